//! Rows of the trials table.

use super::genomes::{GenomeLists, genome_column};
use super::{
    Row, View, arm_columns, complete, integers, optional_reals, strings, whole_numbers, wrong_row,
};
use crate::problem::Genome;
use crate::record::{Outcome, Timing, TrialEnd, TrialRecord};
use crate::results::schema::columns::Table;
use crate::results::schema::table_schema::TableSchema;
use polars::prelude::*;

fn optional_booleans(name: &str, values: impl Iterator<Item = Option<bool>>) -> Column {
    values.collect::<BooleanChunked>().with_name(name.into()).into_column()
}

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

    fn of_trial(record: TrialRecord) -> Vec<Self> {
        vec![record]
    }

    fn check(frame: &DataFrame, first: usize) -> PolarsResult<()> {
        Self::COMPLETE.iter().try_for_each(|name| complete(frame, name, first).map(|_| ()))?;
        outcomes(frame, first).map(|_| ())
    }

    fn frame(rows: &[Self], schema: &TableSchema) -> PolarsResult<DataFrame> {
        let arms: Vec<usize> = rows.iter().map(|row| row.arm).collect();
        let mut columns = arm_columns(&arms, schema);
        columns.push(integers("trial", rows.iter().map(|row| row.trial)));
        columns.push(integers("seed", rows.iter().map(|row| row.seed)));
        columns.push(strings("outcome", rows.iter().map(|row| Some(row.outcome.as_str()))));
        columns.push(optional_booleans("success", rows.iter().map(|row| Some(row.success))));
        columns.push(Column::new(
            "best_fitness".into(),
            rows.iter().map(|row| row.best_fitness).collect::<Vec<_>>(),
        ));
        if schema.violations {
            let violations: Vec<_> = rows.iter().map(|row| row.best_violation).collect();
            columns.push(Column::new("best_violation".into(), violations));
        }
        columns.push(integers("generations", rows.iter().map(|row| row.generations)));
        columns.push(integers("evaluations", rows.iter().map(|row| row.evaluations)));
        let to_success: Vec<_> = rows.iter().map(|row| row.evaluations_to_success).collect();
        columns.push(Column::new("evaluations_to_success".into(), to_success));
        columns.push(optional_booleans("valid", rows.iter().map(|row| row.valid)));
        let best_of = rows.iter().map(|row| row.best.as_ref());
        columns.push(genome_column("best", best_of, schema.best));
        columns.push(strings("best_text", rows.iter().map(|row| row.best_text.as_deref())));
        columns.push(strings("error", rows.iter().map(|row| row.error.as_deref())));
        DataFrame::new(rows.len(), columns)
    }
}

/// The trials table's own columns; those that describe arms come from the spec.
pub(crate) struct TrialView {
    trial: UInt64Chunked,
    seed: UInt64Chunked,
    outcome: Vec<Outcome>,
    success: BooleanChunked,
    best_fitness: Float64Chunked,
    best_violation: Option<Float64Chunked>,
    generations: UInt64Chunked,
    evaluations: UInt64Chunked,
    to_success: UInt64Chunked,
    valid: BooleanChunked,
    best: GenomeLists,
    best_text: StringChunked,
    error: StringChunked,
}

impl View<TrialRecord> for TrialView {
    fn new(frame: &DataFrame, first: usize) -> PolarsResult<Self> {
        Ok(TrialView {
            trial: whole_numbers(frame, "trial", first)?,
            seed: whole_numbers(frame, "seed", first)?,
            outcome: outcomes(frame, first)?,
            success: complete(frame, "success", first)?.bool()?.rechunk().into_owned(),
            best_fitness: frame.column("best_fitness")?.f64()?.rechunk().into_owned(),
            best_violation: optional_reals(frame, "best_violation")?,
            generations: whole_numbers(frame, "generations", first)?,
            evaluations: whole_numbers(frame, "evaluations", first)?,
            to_success: frame.column("evaluations_to_success")?.u64()?.rechunk().into_owned(),
            valid: frame.column("valid")?.bool()?.rechunk().into_owned(),
            best: GenomeLists::new(frame, "best")?,
            best_text: frame.column("best_text")?.str()?.rechunk().into_owned(),
            error: frame.column("error")?.str()?.rechunk().into_owned(),
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
            valid: self.valid.get(row),
            best: self.best.get(row),
            best_text: self.best_text.get(row).map(str::to_owned),
            error: self.error.get(row).map(str::to_owned),
            timing: Timing::default(),
            trace: Vec::new(),
            traced_genes: None,
            improvements: Vec::new(),
        }
    }
}

/// How the trials of a table ended, of which the first is that row of the file, from 0.
///
/// # Errors
/// If a value is unknown or missing.
pub(crate) fn trial_ends(frame: &DataFrame, first: usize) -> PolarsResult<Vec<TrialEnd>> {
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

/// The outcomes of a trials table's rows, of which the first is that row of the file, from 0.
///
/// # Errors
/// If one is unknown or missing.
pub(crate) fn outcomes(frame: &DataFrame, first: usize) -> PolarsResult<Vec<Outcome>> {
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
