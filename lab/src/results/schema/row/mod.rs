//! Rows of the tables, and their way into frames and back.

mod generation;
mod genomes;
mod timing;
mod trial;

pub use generation::GenerationRow;
pub use timing::TimingRow;
pub(crate) use trial::trial_ends;

use crate::parquet::{Column, Frame, FrameError, Naturals, Reals};
use crate::plan::swept_text;
use crate::problem::parameter::Value;
use crate::results::schema::columns::Table;
use crate::results::schema::table_schema::{SweptType, TableSchema};
use std::iter::repeat_n;

/// A row that belongs to a trial.
pub trait Row: Sized + Send + 'static {
    /// Table that the rows are of.
    const TABLE: Table;
    /// Columns of the table in which every row has a value.
    const COMPLETE: &'static [&'static str];
    /// Columns that figures need, without the descriptions of single rows.
    const FIGURES: &'static [&'static str];

    /// Returns the arm's index and the trial's number.
    fn key(&self) -> (usize, u64);

    /// Returns the size in genes or similar units, which bounds the memory of a row group.
    fn weight(&self) -> usize {
        1
    }

    /// Adds the rows that the trial of a journal's entry has in the table, as those of arm `arm`.
    /// `None` if another version of the runner wrote the entry.
    fn add_of_entry(entry: &[u8], arm: usize, rows: &mut Vec<Self>) -> Option<()>;

    /// Checks whether rows with these columns are such as a runner writes. `first`: the row of the
    /// file that the frame begins with, from 0.
    fn check(frame: &Frame, first: usize) -> Result<(), FrameError> {
        Self::COMPLETE.iter().try_for_each(|name| complete(frame, name, first).map(|_| ()))
    }

    /// Returns the rows as the table has them, one chunk per column.
    fn frame(rows: &[Self], schema: &TableSchema) -> Result<Frame, FrameError>;

    /// Returns the reader of the rows of a frame. `first`: the row of the file that the frame
    /// begins with, from 0.
    ///
    /// # Errors
    /// If a column is missing or of another type, a row lacks a value that every row has, or has
    /// one that no runner writes: naming the row.
    fn reader(frame: &Frame, first: usize) -> Result<RowReader<Self>, FrameError>;
}

/// Reader of the rows of a frame, by the place of the row and the index of its arm.
pub(crate) type RowReader<R> = Box<dyn Fn(usize, usize) -> R + Send>;

/// Returns the columns that describe arms (experiment to operators, then the swept keys), for rows
/// of these arms.
pub(crate) fn arm_columns(arms: &[usize], schema: &TableSchema) -> Vec<Column> {
    let text = |name: &str, of: &dyn Fn(usize) -> Option<String>| {
        let runs = arms.chunk_by(|one, next| one == next).map(|run| (of(run[0]), run.len()));
        let runs: Vec<(Option<String>, usize)> = runs.collect();
        let values = runs.iter().flat_map(|(text, rows)| repeat_n(text.as_deref(), *rows));
        Column::texts(name, values)
    };
    let mut columns = vec![
        text("experiment", &|_| Some(schema.experiment.clone())),
        text("arm", &|arm| Some(schema.arms[arm].label.clone())),
        text("arm_id", &|arm| Some(schema.hex[arm].clone())),
        text("problem", &|arm| Some(schema.arms[arm].problem.clone())),
        text("operators", &|arm| Some(schema.arms[arm].operators.clone())),
    ];
    for (key, (name, kind)) in schema.swept_keys.iter().zip(&schema.swept_types).enumerate() {
        columns.push(match kind {
            // Arms have many rows: each text is made once.
            SweptType::Text => {
                text(name, &|arm| schema.arms[arm].swept[key].as_ref().map(swept_text))
            }
            kind => {
                let values = arms.iter().map(|&arm| schema.arms[arm].swept[key].as_ref());
                swept_column(name, *kind, values)
            }
        });
    }
    columns
}

/// Returns a column of values of this type.
pub(crate) fn swept_column<'a>(
    name: &str,
    kind: SweptType,
    values: impl Iterator<Item = Option<&'a Value>>,
) -> Column {
    match kind {
        SweptType::Integer => {
            let integer =
                |value: &Value| if let Value::Integer(value) = value { *value } else { 0 };
            Column::optional(name, values.map(|value| value.map(integer)))
        }
        SweptType::Real => {
            let real = |value: &Value| match value {
                Value::Integer(value) => *value as f64,
                Value::Real(value) => *value,
                Value::Boolean(_) | Value::Text(_) | Value::File(_) => f64::NAN,
            };
            Column::optional(name, values.map(|value| value.map(real)))
        }
        SweptType::Boolean => {
            let truth = |value: &Value| *value == Value::Boolean(true);
            Column::booleans(name, values.map(|value| value.map(truth)))
        }
        SweptType::Text => {
            let texts: Vec<Option<String>> = values.map(|value| value.map(swept_text)).collect();
            Column::texts(name, texts.iter().map(Option::as_deref))
        }
    }
}

fn ids(arms: impl Iterator<Item = usize>, schema: &TableSchema) -> Column {
    Column::texts("arm_id", arms.map(|arm| Some(schema.hex[arm].as_str())))
}

/// Returns a column of whole numbers that every row has.
pub(crate) fn whole_numbers(
    frame: &Frame,
    name: &str,
    first: usize,
) -> Result<Naturals, FrameError> {
    Ok(complete(frame, name, first)?.u64()?.clone())
}

/// Returns a column of real numbers that every row has.
fn real_numbers(frame: &Frame, name: &str, first: usize) -> Result<Reals, FrameError> {
    Ok(complete(frame, name, first)?.f64()?.clone())
}

/// Returns the values of a column that a table may lack, or that is not read.
fn optional<T: Clone>(
    frame: &Frame,
    name: &str,
    values: impl FnOnce(&Column) -> Result<&T, FrameError>,
) -> Result<Option<T>, FrameError> {
    frame.column(name).ok().map(|column| values(column).cloned()).transpose()
}

/// Returns a column of which every row has a value.
fn complete<'a>(frame: &'a Frame, name: &str, first: usize) -> Result<&'a Column, FrameError> {
    let column = frame.column(name)?;
    match column.first_missing() {
        None => Ok(column),
        Some(row) => Err(wrong_row(first + row, &format!("it has no `{name}`"))),
    }
}

/// Returns the error of a row. `row` counts from 0, and the message counts from 1.
pub(crate) fn wrong_row(row: usize, what: &str) -> FrameError {
    FrameError::new(format!("row {}: {what}", row + 1))
}
