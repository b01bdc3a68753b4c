//! Rows of the tables, and their way into data frames and back.

mod generation;
mod genomes;
mod timing;
mod trial;

pub use generation::GenerationRow;
pub(crate) use generation::generation_rows;
pub use timing::TimingRow;
pub(crate) use trial::{outcomes, trial_ends};

use crate::plan::swept_text;
use crate::problem::parameter::Value;
use crate::record::TrialRecord;
use crate::results::schema::columns::Table;
use crate::results::schema::table_schema::{SweptType, TableSchema};
use polars::prelude::*;

/// A row that belongs to a trial.
pub(crate) trait Row: Sized {
    const TABLE: Table;
    /// Its own columns of which every row has a value.
    const COMPLETE: &'static [&'static str];
    type View: View<Self>;

    /// The arm's index and the trial's number.
    fn key(&self) -> (usize, u64);

    /// Its size in genes or the like: bounds the memory of a row group.
    fn weight(&self) -> usize {
        1
    }

    /// The rows that a trial has in the table.
    fn of_trial(record: TrialRecord) -> Vec<Self>;

    /// Whether rows with these columns are such as a runner writes. `first`: the row of the file
    /// that the frame begins with, from 0.
    fn check(frame: &DataFrame, first: usize) -> PolarsResult<()> {
        Self::COMPLETE.iter().try_for_each(|name| complete(frame, name, first).map(|_| ()))
    }

    /// The rows as the table has them, one chunk per column.
    fn frame(rows: &[Self], schema: &TableSchema) -> PolarsResult<DataFrame>;
}

/// A frame of a table, read row by row.
pub(crate) trait View<R>: Sized {
    /// `first`: the row of the file that the frame begins with, from 0.
    ///
    /// # Errors
    /// If a column is missing or of another type, a row lacks a value that every row has, or has
    /// one that no runner writes: naming the row.
    fn new(frame: &DataFrame, first: usize) -> PolarsResult<Self>;
    fn trial(&self, row: usize) -> u64;
    /// The row, whose arm is known to be `arm`.
    fn row(&self, row: usize, arm: usize) -> R;
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

/// A column of whole numbers that every row has.
fn whole_numbers(frame: &DataFrame, name: &str, first: usize) -> PolarsResult<UInt64Chunked> {
    Ok(complete(frame, name, first)?.u64()?.rechunk().into_owned())
}

/// A column of real numbers that every row has.
fn real_numbers(frame: &DataFrame, name: &str, first: usize) -> PolarsResult<Float64Chunked> {
    Ok(complete(frame, name, first)?.f64()?.rechunk().into_owned())
}

/// A column of real numbers that a table may lack.
fn optional_reals(frame: &DataFrame, name: &str) -> PolarsResult<Option<Float64Chunked>> {
    match frame.column(name) {
        Ok(column) => Ok(Some(column.f64()?.rechunk().into_owned())),
        Err(_) => Ok(None),
    }
}

/// A column without nulls.
fn complete<'a>(frame: &'a DataFrame, name: &str, first: usize) -> PolarsResult<&'a Column> {
    let column = frame.column(name)?;
    if column.null_count() == 0 {
        return Ok(column);
    }
    let row = column.is_null().iter().position(|null| null == Some(true)).unwrap_or(0);
    Err(wrong_row(first + row, &format!("it has no `{name}`")))
}

/// What is wrong with a row of a file, whose number is from 0; readers count from 1.
pub(crate) fn wrong_row(row: usize, what: &str) -> PolarsError {
    PolarsError::ComputeError(format!("row {}: {what}", row + 1).into())
}
