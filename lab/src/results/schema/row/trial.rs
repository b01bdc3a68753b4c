//! Rows of the trials table.

use super::genomes::{GenomeLists, genome_column, named_column, widened};
use super::{Row, RowReader, arm_columns, complete, optional, whole_numbers, wrong_row};
use crate::parquet::{Column, Frame, FrameError, Naturals, Reals, Texts};
use crate::problem::Genome;
use crate::record::{Outcome, TrialEnd, TrialRecord};
use crate::results::schema::columns::{AFTER_BEST, BEST_NAMED, SAVED, STANDARD_ERROR, Table};
use crate::results::schema::entry_format;
use crate::results::schema::table_schema::TableSchema;

impl Row for TrialRecord {
    const TABLE: Table = Table::Trials;
    const COMPLETE: &'static [&'static str] =
        &["trial", "seed", "outcome", "success", "generations", "evaluations"];
    /// All columns but the descriptions of single trials: `valid`, genomes, texts and errors.
    const FIGURES: &'static [&'static str] = &[
        "trial",
        "seed",
        "outcome",
        "success",
        "best_fitness",
        "best_violation",
        STANDARD_ERROR.name,
        "generations",
        "evaluations",
        SAVED.name,
        "evaluations_to_success",
        AFTER_BEST,
    ];

    fn key(&self) -> (usize, u64) {
        (self.arm, self.trial)
    }

    fn weight(&self) -> usize {
        let genes = self.best.as_ref().map_or(0, Genome::length);
        genes + self.best_text.as_ref().map_or(0, |text| text.len() / 4)
    }

    fn add_of_entry(entry: &[u8], arm: usize, rows: &mut Vec<Self>) -> Option<()> {
        let record = entry_format::record(entry, arm)?;
        // As the table has it.
        let record = record.without_trace();
        rows.push(TrialRecord { best: record.best.map(widened), ..record });
        Some(())
    }

    fn check(frame: &Frame, first: usize) -> Result<(), FrameError> {
        Self::COMPLETE.iter().try_for_each(|name| complete(frame, name, first).map(|_| ()))?;
        outcomes(frame, first).map(|_| ())
    }

    fn frame(rows: &[Self], schema: &TableSchema) -> Result<Frame, FrameError> {
        let arms: Vec<usize> = rows.iter().map(|row| row.arm).collect();
        let mut columns = arm_columns(&arms, schema);
        columns.push(Column::numbers("trial", rows.iter().map(|row| row.trial)));
        columns.push(Column::numbers("seed", rows.iter().map(|row| row.seed)));
        columns.push(Column::texts("outcome", rows.iter().map(|row| Some(row.outcome.as_str()))));
        columns.push(Column::booleans("success", rows.iter().map(|row| Some(row.success))));
        columns.push(Column::optional("best_fitness", rows.iter().map(|row| row.best_fitness)));
        if schema.violations {
            let violations = rows.iter().map(|row| row.best_violation);
            columns.push(Column::optional("best_violation", violations));
        }
        if schema.standard_errors {
            let errors = rows.iter().map(|row| row.best_error);
            columns.push(Column::optional(STANDARD_ERROR.name, errors));
        }
        columns.push(Column::numbers("generations", rows.iter().map(|row| row.generations)));
        columns.push(Column::numbers("evaluations", rows.iter().map(|row| row.evaluations)));
        if schema.saved {
            let saved = rows.iter().map(|row| row.evaluations_saved);
            columns.push(Column::optional(SAVED.name, saved));
        }
        let to_success = rows.iter().map(|row| row.evaluations_to_success);
        columns.push(Column::optional("evaluations_to_success", to_success));
        let after_best = rows.iter().map(|row| row.evaluations_after_best);
        columns.push(Column::optional(AFTER_BEST, after_best));
        columns.push(Column::booleans("valid", rows.iter().map(|row| row.valid)));
        let best_of = rows.iter().map(|row| row.best.as_ref());
        columns.push(genome_column("best", best_of, schema.best));
        if schema.has_names() {
            let best_of = rows.iter().map(|row| (row.arm, row.best.as_ref()));
            columns.push(named_column(BEST_NAMED.name, best_of, &schema.arms));
        }
        columns.push(Column::texts("best_text", rows.iter().map(|row| row.best_text.as_deref())));
        columns.push(Column::texts("error", rows.iter().map(|row| row.error.as_deref())));
        Frame::new(rows.len(), columns)
    }

    /// Reads the trials table's own columns; those that describe arms come from the spec.
    fn reader(frame: &Frame, first: usize) -> Result<RowReader<Self>, FrameError> {
        let trials = whole_numbers(frame, "trial", first)?;
        let seeds = whole_numbers(frame, "seed", first)?;
        let outcomes = outcomes(frame, first)?;
        let successes = complete(frame, "success", first)?.bool()?.clone();
        let best_fitness = frame.column("best_fitness")?.f64()?.clone();
        let best_violation = optional(frame, "best_violation", Column::f64)?;
        let best_error = optional(frame, STANDARD_ERROR.name, Column::f64)?;
        let generations = whole_numbers(frame, "generations", first)?;
        let evaluations = whole_numbers(frame, "evaluations", first)?;
        let saved = optional(frame, SAVED.name, Column::u64)?;
        let to_success = frame.column("evaluations_to_success")?.u64()?.clone();
        let after_best = optional(frame, AFTER_BEST, Column::u64)?;
        let valid = optional(frame, "valid", Column::bool)?;
        let best = frame.column("best").ok().map(GenomeLists::new).transpose()?;
        let best_text = optional(frame, "best_text", Column::str)?;
        let errors = optional(frame, "error", Column::str)?;
        Ok(Box::new(move |row, arm| {
            let real = |column: &Option<Reals>| column.as_ref()?.get(row);
            let natural = |column: &Option<Naturals>| column.as_ref()?.get(row);
            let text = |column: &Option<Texts>| column.as_ref()?.get(row).map(str::to_owned);
            TrialRecord {
                arm,
                trial: trials.get(row).unwrap_or(u64::MAX),
                seed: seeds.get(row).unwrap_or(0),
                success: successes.get(row).unwrap_or(false),
                best_fitness: best_fitness.get(row),
                best_violation: real(&best_violation),
                best_error: real(&best_error),
                generations: generations.get(row).unwrap_or(0),
                evaluations: evaluations.get(row).unwrap_or(0),
                evaluations_saved: natural(&saved),
                evaluations_to_success: to_success.get(row),
                evaluations_after_best: natural(&after_best),
                valid: valid.as_ref().and_then(|column| column.get(row)),
                best: best.as_ref().and_then(|column| column.get(row)),
                best_text: text(&best_text),
                error: text(&errors),
                ..TrialRecord::lost(outcomes[row], String::new())
            }
        }))
    }
}

/// Returns the ends of the trials in `frame`. Its first row is row `first` of the file, from 0.
pub(crate) fn trial_ends(frame: &Frame, first: usize) -> Result<Vec<TrialEnd>, FrameError> {
    let outcomes = outcomes(frame, first)?;
    let generations = whole_numbers(frame, "generations", first)?;
    let evaluations = whole_numbers(frame, "evaluations", first)?;
    let end = |(row, outcome)| TrialEnd {
        outcome,
        generations: generations.get(row).unwrap_or(0),
        evaluations: evaluations.get(row).unwrap_or(0),
    };
    Ok(outcomes.into_iter().enumerate().map(end).collect())
}

/// Returns the outcomes of a trials table's rows, of which the first is that row of the file, from
/// 0.
fn outcomes(frame: &Frame, first: usize) -> Result<Vec<Outcome>, FrameError> {
    let column = complete(frame, "outcome", first)?.str()?;
    let outcome = |(row, word): (usize, Option<&str>)| {
        let word = word.unwrap_or_default();
        Outcome::parse(word).ok_or_else(|| {
            let known = Outcome::ALL.map(Outcome::as_str).join(", ");
            wrong_row(first + row, &format!("the outcome `{word}` is none of {known}"))
        })
    };
    column.iter().enumerate().map(outcome).collect()
}
