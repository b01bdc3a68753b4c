//! Rows of the tables, and their way into data frames and back.

use crate::plan::{BestType, swept_text};
use crate::problem::Genome;
use crate::problem::parameter::Value;
use crate::record::{Outcome, Timing, TraceRow, TrialRecord};
use crate::results::schema::columns::Table;
use crate::results::schema::table_schema::{SweptType, TableSchema};
use polars::prelude::*;

/// A row that belongs to a trial.
pub(crate) trait Row: Sized {
    const TABLE: Table;
    type View: View<Self>;

    /// The arm's index and the trial's number.
    fn key(&self) -> (usize, u64);

    /// Its size in genes or the like: bounds the memory of a row group.
    fn weight(&self) -> usize {
        1
    }

    /// The rows that a trial has in the table.
    fn of_trial(record: TrialRecord) -> Vec<Self>;

    /// The rows as the table has them, one chunk a column.
    fn frame(rows: &[Self], schema: &TableSchema) -> PolarsResult<DataFrame>;
}

/// A frame of a table, read row by row.
pub(crate) trait View<R>: Sized {
    fn new(frame: &DataFrame) -> PolarsResult<Self>;
    fn trial(&self, row: usize) -> u64;
    /// The row, whose arm is known to be `arm`.
    fn row(&self, row: usize, arm: usize) -> R;
}

/// One row of the generations table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerationRow {
    /// Index of the arm.
    pub arm: usize,
    pub trial: u64,
    pub figures: TraceRow,
}

/// One row of the timings table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimingRow {
    /// Index of the arm.
    pub arm: usize,
    pub trial: u64,
    pub timing: Timing,
}

pub(crate) fn strings<'a>(
    name: &str,
    values: impl ExactSizeIterator<Item = Option<&'a str>>,
) -> Column {
    let mut builder = StringChunkedBuilder::new(name.into(), values.len());
    values.for_each(|value| builder.append_option(value));
    builder.finish().into_column()
}

pub(crate) fn integers(name: &str, values: impl Iterator<Item = u64>) -> Column {
    UInt64Chunked::from_vec(name.into(), values.collect()).into_column()
}

pub(crate) fn reals(name: &str, values: impl Iterator<Item = f64>) -> Column {
    Float64Chunked::from_vec(name.into(), values.collect()).into_column()
}

/// The columns that describe arms (experiment to operators, then the swept keys), for rows of these
/// arms.
pub(crate) fn arm_columns(arms: &[usize], schema: &TableSchema) -> Vec<Column> {
    let text = |name: &str, of: &dyn Fn(usize) -> Option<String>| {
        let mut builder = StringChunkedBuilder::new(name.into(), arms.len());
        let mut last: Option<(usize, Option<String>)> = None;
        for &arm in arms {
            if last.as_ref().is_none_or(|(index, _)| *index != arm) {
                last = Some((arm, of(arm)));
            }
            builder.append_option(last.as_ref().and_then(|(_, text)| text.as_deref()));
        }
        builder.finish().into_column()
    };
    let mut columns = vec![
        text("experiment", &|_| Some(schema.experiment.clone())),
        text("arm", &|arm| Some(schema.arms[arm].label.clone())),
        text("arm_id", &|arm| Some(schema.hex[arm].clone())),
        text("problem", &|arm| Some(schema.arms[arm].problem.clone())),
        text("operators", &|arm| Some(schema.arms[arm].operators.clone())),
    ];
    for (key, (name, kind)) in schema.swept_keys.iter().zip(&schema.swept_types).enumerate() {
        let values = arms.iter().map(|&arm| schema.arms[arm].swept[key].as_ref());
        let name = PlSmallStr::from_str(name);
        columns.push(match kind {
            SweptType::Integer => {
                let integer =
                    |value: &Value| if let Value::Integer(value) = value { *value } else { 0 };
                let values = values.map(|value| value.map(integer));
                values.collect::<Int64Chunked>().with_name(name).into_column()
            }
            SweptType::Real => {
                let real = |value: &Value| match value {
                    Value::Integer(value) => *value as f64,
                    Value::Real(value) => *value,
                    Value::Boolean(_) | Value::Text(_) => f64::NAN,
                };
                values
                    .map(|value| value.map(real))
                    .collect::<Float64Chunked>()
                    .with_name(name)
                    .into_column()
            }
            SweptType::Boolean => values
                .map(|value| value.map(|value| *value == Value::Boolean(true)))
                .collect::<BooleanChunked>()
                .with_name(name)
                .into_column(),
            SweptType::Text => {
                text(&name, &|arm| schema.arms[arm].swept[key].as_ref().map(swept_text))
            }
        });
    }
    columns
}

fn ids(arms: impl ExactSizeIterator<Item = usize>, schema: &TableSchema) -> Column {
    strings("arm_id", arms.map(|arm| Some(schema.hex[arm].as_str())))
}

fn optional_booleans(name: &str, values: impl Iterator<Item = Option<bool>>) -> Column {
    values.collect::<BooleanChunked>().with_name(name.into()).into_column()
}

fn genomes(rows: &[TrialRecord], best: BestType) -> Column {
    let genes = rows.iter().map(Row::weight).sum();
    let best_of = rows.iter().map(|row| row.best.as_ref());
    match best {
        BestType::Integers => {
            let mut builder = ListPrimitiveChunkedBuilder::<UInt32Type>::new(
                "best".into(),
                rows.len(),
                genes,
                DataType::UInt32,
            );
            for genome in best_of {
                match genome {
                    None => builder.append_null(),
                    Some(Genome::U8(genes)) => {
                        builder.append_values_iter(genes.iter().map(|&gene| u32::from(gene)))
                    }
                    Some(Genome::U16(genes)) => {
                        builder.append_values_iter(genes.iter().map(|&gene| u32::from(gene)))
                    }
                    Some(Genome::U32(genes)) => builder.append_slice(genes),
                    // The spec says that no arm has real genes: these are integers that an
                    // earlier spec, which had arms of both kinds, wrote as reals.
                    Some(Genome::F64(genes)) => {
                        builder.append_values_iter(genes.iter().map(|&gene| gene as u32))
                    }
                }
            }
            builder.finish().into_column()
        }
        BestType::Reals => {
            let mut builder = ListPrimitiveChunkedBuilder::<Float64Type>::new(
                "best".into(),
                rows.len(),
                genes,
                DataType::Float64,
            );
            for genome in best_of {
                match genome {
                    None => builder.append_null(),
                    Some(Genome::U8(genes)) => {
                        builder.append_values_iter(genes.iter().map(|&gene| f64::from(gene)))
                    }
                    Some(Genome::U16(genes)) => {
                        builder.append_values_iter(genes.iter().map(|&gene| f64::from(gene)))
                    }
                    Some(Genome::U32(genes)) => {
                        builder.append_values_iter(genes.iter().map(|&gene| f64::from(gene)))
                    }
                    Some(Genome::F64(genes)) => builder.append_slice(genes),
                }
            }
            builder.finish().into_column()
        }
    }
}

impl Row for TrialRecord {
    const TABLE: Table = Table::Trials;
    type View = TrialView;

    fn key(&self) -> (usize, u64) {
        (self.arm, self.trial)
    }

    fn weight(&self) -> usize {
        let genes = match &self.best {
            None => 0,
            Some(Genome::U8(genes)) => genes.len(),
            Some(Genome::U16(genes)) => genes.len(),
            Some(Genome::U32(genes)) => genes.len(),
            Some(Genome::F64(genes)) => genes.len(),
        };
        genes + self.best_text.as_ref().map_or(0, |text| text.len() / 4)
    }

    fn of_trial(record: TrialRecord) -> Vec<Self> {
        vec![record]
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
        columns.push(integers("generations", rows.iter().map(|row| row.generations)));
        columns.push(integers("evaluations", rows.iter().map(|row| row.evaluations)));
        let to_success: Vec<_> = rows.iter().map(|row| row.evaluations_to_success).collect();
        columns.push(Column::new("evaluations_to_success".into(), to_success));
        columns.push(optional_booleans("valid", rows.iter().map(|row| row.valid)));
        columns.push(genomes(rows, schema.best));
        columns.push(strings("best_text", rows.iter().map(|row| row.best_text.as_deref())));
        columns.push(strings("error", rows.iter().map(|row| row.error.as_deref())));
        DataFrame::new(rows.len(), columns)
    }
}

/// The trials table's own columns; those that describe arms come from the spec.
pub(crate) struct TrialView {
    trial: UInt64Chunked,
    seed: UInt64Chunked,
    outcome: StringChunked,
    success: BooleanChunked,
    best_fitness: Float64Chunked,
    generations: UInt64Chunked,
    evaluations: UInt64Chunked,
    to_success: UInt64Chunked,
    valid: BooleanChunked,
    best: ListChunked,
    genes: Genes,
    best_text: StringChunked,
    error: StringChunked,
}

enum Genes {
    Integers(UInt32Chunked),
    Reals(Float64Chunked),
}

impl TrialView {
    fn genome(&self, row: usize) -> Option<Genome> {
        let lists = self.best.downcast_as_array();
        if lists.validity().is_some_and(|valid| !valid.get_bit(row)) {
            return None;
        }
        let offsets = lists.offsets();
        let range = offsets[row] as usize..offsets[row + 1] as usize;
        Some(match &self.genes {
            Genes::Integers(genes) => {
                Genome::U32(genes.downcast_as_array().values()[range].to_vec())
            }
            Genes::Reals(genes) => Genome::F64(genes.downcast_as_array().values()[range].to_vec()),
        })
    }
}

impl View<TrialRecord> for TrialView {
    fn new(frame: &DataFrame) -> PolarsResult<Self> {
        let best = frame.column("best")?.list()?.rechunk().into_owned();
        let inner = best.get_inner();
        let genes = match inner.dtype() {
            DataType::Float64 => Genes::Reals(inner.f64()?.clone()),
            _ => Genes::Integers(inner.u32()?.clone()),
        };
        Ok(TrialView {
            trial: integer_column(frame, "trial")?,
            seed: integer_column(frame, "seed")?,
            outcome: frame.column("outcome")?.str()?.rechunk().into_owned(),
            success: frame.column("success")?.bool()?.rechunk().into_owned(),
            best_fitness: real_column(frame, "best_fitness")?,
            generations: integer_column(frame, "generations")?,
            evaluations: integer_column(frame, "evaluations")?,
            to_success: integer_column(frame, "evaluations_to_success")?,
            valid: frame.column("valid")?.bool()?.rechunk().into_owned(),
            best,
            genes,
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
            outcome: self.outcome.get(row).and_then(Outcome::parse).unwrap_or(Outcome::Failed),
            success: self.success.get(row).unwrap_or(false),
            best_fitness: self.best_fitness.get(row),
            generations: self.generations.get(row).unwrap_or(0),
            evaluations: self.evaluations.get(row).unwrap_or(0),
            evaluations_to_success: self.to_success.get(row),
            valid: self.valid.get(row),
            best: self.genome(row),
            best_text: self.best_text.get(row).map(str::to_owned),
            error: self.error.get(row).map(str::to_owned),
            timing: Timing::default(),
            trace: Vec::new(),
            improvements: Vec::new(),
        }
    }
}

fn integer_column(frame: &DataFrame, name: &str) -> PolarsResult<UInt64Chunked> {
    Ok(frame.column(name)?.u64()?.rechunk().into_owned())
}

fn real_column(frame: &DataFrame, name: &str) -> PolarsResult<Float64Chunked> {
    Ok(frame.column(name)?.f64()?.rechunk().into_owned())
}

impl Row for GenerationRow {
    const TABLE: Table = Table::Generations;
    type View = GenerationView;

    fn key(&self) -> (usize, u64) {
        (self.arm, self.trial)
    }

    fn of_trial(TrialRecord { arm, trial, trace, .. }: TrialRecord) -> Vec<Self> {
        trace.into_iter().map(|figures| GenerationRow { arm, trial, figures }).collect()
    }

    fn frame(rows: &[Self], schema: &TableSchema) -> PolarsResult<DataFrame> {
        let columns = vec![
            ids(rows.iter().map(|row| row.arm), schema),
            integers("trial", rows.iter().map(|row| row.trial)),
            integers("generation", rows.iter().map(|row| row.figures.generation)),
            integers("evaluations", rows.iter().map(|row| row.figures.evaluations)),
            reals("best", rows.iter().map(|row| row.figures.best)),
            reals("mean", rows.iter().map(|row| row.figures.mean)),
            reals("worst", rows.iter().map(|row| row.figures.worst)),
            reals("best_so_far", rows.iter().map(|row| row.figures.best_so_far)),
        ];
        DataFrame::new(rows.len(), columns)
    }
}

pub(crate) struct GenerationView {
    trial: UInt64Chunked,
    generation: UInt64Chunked,
    evaluations: UInt64Chunked,
    best: Float64Chunked,
    mean: Float64Chunked,
    worst: Float64Chunked,
    best_so_far: Float64Chunked,
}

impl View<GenerationRow> for GenerationView {
    fn new(frame: &DataFrame) -> PolarsResult<Self> {
        Ok(GenerationView {
            trial: integer_column(frame, "trial")?,
            generation: integer_column(frame, "generation")?,
            evaluations: integer_column(frame, "evaluations")?,
            best: real_column(frame, "best")?,
            mean: real_column(frame, "mean")?,
            worst: real_column(frame, "worst")?,
            best_so_far: real_column(frame, "best_so_far")?,
        })
    }

    fn trial(&self, row: usize) -> u64 {
        self.trial.get(row).unwrap_or(u64::MAX)
    }

    fn row(&self, row: usize, arm: usize) -> GenerationRow {
        let real = |column: &Float64Chunked| column.get(row).unwrap_or(f64::NAN);
        let figures = TraceRow {
            generation: self.generation.get(row).unwrap_or(0),
            evaluations: self.evaluations.get(row).unwrap_or(0),
            best: real(&self.best),
            mean: real(&self.mean),
            worst: real(&self.worst),
            best_so_far: real(&self.best_so_far),
        };
        GenerationRow { arm, trial: self.trial(row), figures }
    }
}

impl Row for TimingRow {
    const TABLE: Table = Table::Timings;
    type View = TimingView;

    fn key(&self) -> (usize, u64) {
        (self.arm, self.trial)
    }

    fn of_trial(TrialRecord { arm, trial, timing, .. }: TrialRecord) -> Vec<Self> {
        vec![TimingRow { arm, trial, timing }]
    }

    fn frame(rows: &[Self], schema: &TableSchema) -> PolarsResult<DataFrame> {
        let columns = vec![
            ids(rows.iter().map(|row| row.arm), schema),
            integers("trial", rows.iter().map(|row| row.trial)),
            reals("seconds", rows.iter().map(|row| row.timing.seconds)),
            UInt32Chunked::from_vec(
                "worker".into(),
                rows.iter().map(|row| row.timing.worker).collect(),
            )
            .into_column(),
        ];
        DataFrame::new(rows.len(), columns)
    }
}

pub(crate) struct TimingView {
    trial: UInt64Chunked,
    seconds: Float64Chunked,
    worker: UInt32Chunked,
}

impl View<TimingRow> for TimingView {
    fn new(frame: &DataFrame) -> PolarsResult<Self> {
        Ok(TimingView {
            trial: integer_column(frame, "trial")?,
            seconds: real_column(frame, "seconds")?,
            worker: frame.column("worker")?.u32()?.rechunk().into_owned(),
        })
    }

    fn trial(&self, row: usize) -> u64 {
        self.trial.get(row).unwrap_or(u64::MAX)
    }

    fn row(&self, row: usize, arm: usize) -> TimingRow {
        let timing = Timing {
            seconds: self.seconds.get(row).unwrap_or(0.0),
            worker: self.worker.get(row).unwrap_or(0),
        };
        TimingRow { arm, trial: self.trial(row), timing }
    }
}
