//! Rows of the generations table.

use super::genomes::{GenomeLists, genome_column, named_column, widened};
use super::{Row, RowReader, ids, optional, real_numbers, whole_numbers};
use crate::parquet::{Column, Frame, FrameError, Naturals, Reals};
use crate::problem::Genome;
use crate::record::{OperatorCounts, TraceRow, TrialRecord, ViolationTrace};
use crate::results::schema::columns::{self, GENOME, GENOME_NAMED, OPERATOR_COUNTS, Table};
use crate::results::schema::entry_format;
use crate::results::schema::table_schema::TableSchema;

/// One row of the generations table.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerationRow {
    /// Index of the arm.
    pub arm: usize,
    /// Number of the trial within its arm.
    pub trial: u64,
    /// The generation, or the improvement.
    pub figures: TraceRow,
    /// Children of the generation by operators, where the trace counts them.
    pub operators: Option<OperatorCounts>,
    /// The individual's genome, where the trace has genomes.
    pub genome: Option<Genome>,
}

impl Row for GenerationRow {
    const TABLE: Table = Table::Generations;
    const COMPLETE: &'static [&'static str] =
        &["trial", "generation", "evaluations", "best", "mean", "worst", "best_so_far"];
    /// All columns but genomes and counts of children.
    const FIGURES: &'static [&'static str] = &[
        "trial",
        "generation",
        "evaluations",
        "best",
        "mean",
        "worst",
        "best_so_far",
        "best_violation",
        "feasible_share",
        "violation_so_far",
    ];

    fn key(&self) -> (usize, u64) {
        (self.arm, self.trial)
    }

    fn weight(&self) -> usize {
        1 + self.genome.as_ref().map_or(0, Genome::length)
    }

    fn add_of_entry(entry: &[u8], arm: usize, rows: &mut Vec<Self>) -> Option<()> {
        let record = entry_format::record(entry, arm)?;
        let as_read = |row: GenerationRow| {
            let genome = row.genome.map(widened);
            GenerationRow { genome, ..row }
        };
        rows.extend(generation_rows(&record).map(as_read));
        Some(())
    }

    fn frame(rows: &[Self], schema: &TableSchema) -> Result<Frame, FrameError> {
        let mut columns = vec![
            ids(rows.iter().map(|row| row.arm), schema),
            Column::numbers("trial", rows.iter().map(|row| row.trial)),
            Column::numbers("generation", rows.iter().map(|row| row.figures.generation)),
            Column::numbers("evaluations", rows.iter().map(|row| row.figures.evaluations)),
            Column::numbers("best", rows.iter().map(|row| row.figures.best)),
            Column::numbers("mean", rows.iter().map(|row| row.figures.mean)),
            Column::numbers("worst", rows.iter().map(|row| row.figures.worst)),
            Column::numbers("best_so_far", rows.iter().map(|row| row.figures.best_so_far)),
        ];
        if schema.violations {
            let column = |name: &str, of: fn(ViolationTrace) -> f64| {
                Column::optional(name, rows.iter().map(|row| row.figures.violations.map(of)))
            };
            columns.extend([
                column("best_violation", |figures| figures.best),
                column("feasible_share", |figures| figures.feasible),
                column("violation_so_far", |figures| figures.best_so_far),
            ]);
        }
        if schema.trace.has_operators() {
            let counts: Vec<Option<[u64; 7]>> =
                rows.iter().map(|row| row.operators.map(OperatorCounts::to_array)).collect();
            columns.extend(OPERATOR_COUNTS.iter().enumerate().map(|(place, column)| {
                let numbers = counts.iter().map(|counts| counts.map(|counts| counts[place]));
                Column::optional(column.name, numbers)
            }));
        }
        if schema.trace.has_genomes() {
            let genomes = rows.iter().map(|row| row.genome.as_ref());
            columns.push(genome_column(GENOME[0].name, genomes, schema.best));
        }
        if schema.trace.has_genomes() && schema.has_names() {
            let genomes = rows.iter().map(|row| (row.arm, row.genome.as_ref()));
            columns.push(named_column(GENOME_NAMED.name, genomes, &schema.arms));
        }
        Frame::new(rows.len(), columns)
    }

    fn reader(frame: &Frame, first: usize) -> Result<RowReader<Self>, FrameError> {
        let trials = whole_numbers(frame, "trial", first)?;
        let generations = whole_numbers(frame, "generation", first)?;
        let evaluations = whole_numbers(frame, "evaluations", first)?;
        let best = real_numbers(frame, "best", first)?;
        let mean = real_numbers(frame, "mean", first)?;
        let worst = real_numbers(frame, "worst", first)?;
        let best_so_far = real_numbers(frame, "best_so_far", first)?;
        let violations = [
            optional(frame, "best_violation", Column::f64)?,
            optional(frame, "feasible_share", Column::f64)?,
            optional(frame, "violation_so_far", Column::f64)?,
        ];
        let counts = optional_counts(frame)?;
        let genomes = frame.column(GENOME[0].name).ok().map(GenomeLists::new).transpose()?;
        Ok(Box::new(move |row, arm| {
            let real = |column: &Reals| column.get(row).unwrap_or(f64::NAN);
            let violation = |column: &Option<Reals>| column.as_ref()?.get(row);
            let violations = match violations.each_ref().map(violation) {
                [Some(best), Some(feasible), Some(best_so_far)] => {
                    Some(ViolationTrace { best, feasible, best_so_far })
                }
                _ => None,
            };
            let figures = TraceRow {
                generation: generations.get(row).unwrap_or(0),
                evaluations: evaluations.get(row).unwrap_or(0),
                best: real(&best),
                mean: real(&mean),
                worst: real(&worst),
                best_so_far: real(&best_so_far),
                violations,
            };
            let numbers = counts.as_ref().and_then(|columns| {
                let mut numbers = [0; 7];
                for (number, column) in numbers.iter_mut().zip(columns) {
                    *number = column.get(row)?;
                }
                Some(numbers)
            });
            let operators = numbers.map(OperatorCounts::from_array);
            let genome = genomes.as_ref().and_then(|genomes| genomes.get(row));
            let trial = trials.get(row).unwrap_or(u64::MAX);
            GenerationRow { arm, trial, figures, operators, genome }
        }))
    }
}

/// Returns the rows of a trial, in order.
fn generation_rows(record: &TrialRecord) -> impl Iterator<Item = GenerationRow> {
    let (arm, trial, rows) = (record.arm, record.trial, record.trace.len());
    let genes = record.traced_genes.as_ref().filter(|genes| rows > 0 && genes.length() >= rows);
    let genomes = genes.map_or_else(Vec::new, |genes| genes.split(genes.length() / rows));
    let mut genomes = genomes.into_iter();
    record.trace.iter().map(move |figures| GenerationRow {
        arm,
        trial,
        figures: *figures,
        operators: record.operator_counts.get(figures.generation as usize).copied(),
        genome: genomes.next(),
    })
}

/// Returns the columns of [`OperatorCounts`]; `None` if the table lacks them.
fn optional_counts(frame: &Frame) -> Result<Option<[Naturals; 7]>, FrameError> {
    if frame.column(OPERATOR_COUNTS[0].name).is_err() {
        return Ok(None);
    }
    let column = |column: &columns::Column| Ok(frame.column(column.name)?.u64()?.clone());
    let columns: Vec<Naturals> =
        OPERATOR_COUNTS.iter().map(column).collect::<Result<_, FrameError>>()?;
    Ok(columns.try_into().ok())
}
