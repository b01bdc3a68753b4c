//! Rows of the trials table.

use super::genomes::{GenomeLists, genome_column, named_column, widened};
use super::{Row, View, arm_columns, complete, optional_reals, whole_numbers, wrong_row};
use crate::parquet::{Booleans, Column, Frame, FrameError, Naturals, Reals, Texts};
use crate::problem::Genome;
use crate::record::{Outcome, Timing, TrialEnd, TrialRecord};
use crate::results::schema::columns::{AFTER_BEST, BEST_NAMED, SAVED, STANDARD_ERROR, Table};
use crate::results::schema::entry_format;
use crate::results::schema::table_schema::TableSchema;

impl Row for TrialRecord {
    const TABLE: Table = Table::Trials;
    const COMPLETE: &'static [&'static str] =
        &["trial", "seed", "outcome", "success", "generations", "evaluations"];
    type View = TrialView;

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
}

/// The trials table's own columns; those that describe arms come from the spec.
pub struct TrialView {
    trial: Naturals,
    seed: Naturals,
    outcome: Vec<Outcome>,
    success: Booleans,
    best_fitness: Reals,
    best_violation: Option<Reals>,
    best_error: Option<Reals>,
    generations: Naturals,
    evaluations: Naturals,
    saved: Option<Naturals>,
    to_success: Naturals,
    /// `None` if the table is of an earlier format.
    after_best: Option<Naturals>,
    /// `None` if the column was not read; the next columns are then also `None`.
    valid: Option<Booleans>,
    best: Option<GenomeLists>,
    best_text: Option<Texts>,
    error: Option<Texts>,
}

impl TrialView {
    /// Columns that figures need: all but the descriptions of single trials.
    pub(crate) const FIGURES: [&'static str; 12] = [
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
}

impl View<TrialRecord> for TrialView {
    fn new(frame: &Frame, first: usize) -> Result<Self, FrameError> {
        let texts = |name: &str| -> Result<Option<Texts>, FrameError> {
            frame.column(name).ok().map(|column| Ok(column.str()?.clone())).transpose()
        };
        let valid = frame.column("valid").ok().map(|column| Ok(column.bool()?.clone()));
        let naturals = |name: &str| -> Result<Option<Naturals>, FrameError> {
            frame.column(name).ok().map(|column| Ok(column.u64()?.clone())).transpose()
        };
        let best = frame.column("best").ok().map(GenomeLists::new);
        Ok(TrialView {
            trial: whole_numbers(frame, "trial", first)?,
            seed: whole_numbers(frame, "seed", first)?,
            outcome: outcomes(frame, first)?,
            success: complete(frame, "success", first)?.bool()?.clone(),
            best_fitness: frame.column("best_fitness")?.f64()?.clone(),
            best_violation: optional_reals(frame, "best_violation")?,
            best_error: optional_reals(frame, STANDARD_ERROR.name)?,
            generations: whole_numbers(frame, "generations", first)?,
            evaluations: whole_numbers(frame, "evaluations", first)?,
            saved: naturals(SAVED.name)?,
            to_success: frame.column("evaluations_to_success")?.u64()?.clone(),
            after_best: naturals(AFTER_BEST)?,
            valid: valid.transpose()?,
            best: best.transpose()?,
            best_text: texts("best_text")?,
            error: texts("error")?,
        })
    }

    fn trial(&self, row: usize) -> u64 {
        self.trial.get(row).unwrap_or(u64::MAX)
    }

    fn row(&self, row: usize, arm: usize) -> TrialRecord {
        TrialRecord {
            arm,
            trial: self.trial(row),
            seed: self.seed.get(row).unwrap_or(0),
            outcome: self.outcome[row],
            success: self.success.get(row).unwrap_or(false),
            best_fitness: self.best_fitness.get(row),
            best_violation: self.best_violation.as_ref().and_then(|column| column.get(row)),
            generations: self.generations.get(row).unwrap_or(0),
            evaluations: self.evaluations.get(row).unwrap_or(0),
            evaluations_to_success: self.to_success.get(row),
            valid: self.valid.as_ref().and_then(|column| column.get(row)),
            best: self.best.as_ref().and_then(|column| column.get(row)),
            best_text: text(&self.best_text, row),
            error: text(&self.error, row),
            timing: Timing::default(),
            trace: Vec::new(),
            traced_genes: None,
            improvements: Vec::new(),
            operator_counts: Vec::new(),
            evaluations_after_best: self.after_best.as_ref().and_then(|column| column.get(row)),
            best_error: self.best_error.as_ref().and_then(|column| column.get(row)),
            evaluations_saved: self.saved.as_ref().and_then(|column| column.get(row)),
        }
    }
}

fn text(column: &Option<Texts>, row: usize) -> Option<String> {
    column.as_ref()?.get(row).map(str::to_owned)
}

/// Returns the ends of the trials in `frame`. Its first row is row `first` of the file, from 0.
///
/// # Errors
/// Returns an error if a value is unknown or missing.
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
///
/// # Errors
/// Returns an error if one is unknown or missing.
pub(crate) fn outcomes(frame: &Frame, first: usize) -> Result<Vec<Outcome>, FrameError> {
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
