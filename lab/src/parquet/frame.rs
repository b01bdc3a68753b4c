//! Frames: columns of equal length.

use super::column::Column;
use super::error::FrameError;
use polars::prelude::{
    ArrayRef, BooleanChunked, CompatLevel, DataFrame, IntoColumn, NewChunkedArray, PlSmallStr,
};

/// The names and types of columns.
pub type Schema = polars::prelude::Schema;

/// A table in memory.
#[derive(Clone, Debug)]
pub struct Frame {
    pub(super) data: DataFrame,
    columns: Vec<Column>,
}

impl Frame {
    /// # Errors
    /// If a column has another number of rows than `height`.
    pub fn new(height: usize, columns: Vec<Column>) -> Result<Self, FrameError> {
        if let Some(other) = columns.iter().find(|column| column.len() != height) {
            return Err(FrameError::new(format!(
                "the column `{}` has {} rows, and the table has {height}",
                other.name(),
                other.len()
            )));
        }
        let series = columns.iter().map(|column| column.0.clone().into_column()).collect();
        let data = DataFrame::new(height, series).map_err(FrameError::new)?;
        Ok(Frame { data, columns })
    }

    /// The number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.data.height()
    }

    /// The columns, in order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns' names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(Column::name)
    }

    /// The column of that name.
    ///
    /// # Errors
    /// If there is none.
    pub fn column(&self, name: &str) -> Result<&Column, FrameError> {
        let found = self.columns.iter().find(|column| column.name() == name);
        found.ok_or_else(|| FrameError::new(format!("the column `{name}` is missing")))
    }

    /// Returns the names and types of the columns.
    pub fn schema(&self) -> &Schema {
        self.data.schema()
    }

    /// The rows for which `wanted`, one for each row, is true.
    pub(crate) fn filter(&self, wanted: &[bool]) -> Result<Frame, FrameError> {
        let mask = BooleanChunked::from_slice(PlSmallStr::EMPTY, wanted);
        let chosen = |column: &Column| column.0.filter(&mask).map(Column);
        let columns = self.columns.iter().map(chosen).collect::<Result<_, _>>();
        let rows = wanted.iter().filter(|wanted| **wanted).count();
        Frame::new(rows, columns.map_err(FrameError::new)?)
    }

    /// With a column in place of the one of that name.
    #[cfg(test)]
    pub(crate) fn with_column(self, column: Column) -> Self {
        let Frame { data, mut columns } = self;
        let place = columns.iter().position(|one| one.name() == column.name());
        columns[place.expect("a column of that name")] = column;
        Frame::new(data.height(), columns).expect("a column of as many rows")
    }
}

/// Rows of a row group, collected from smaller frames of the same columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack(Option<DataFrame>);

impl From<Frame> for Stack {
    fn from(frame: Frame) -> Self {
        Stack(Some(frame.data))
    }
}

impl Stack {
    /// Returns the number of rows.
    pub(crate) fn height(&self) -> usize {
        self.0.as_ref().map_or(0, DataFrame::height)
    }

    /// Adds the rows of a frame below the others.
    pub(crate) fn push(&mut self, frame: Frame) -> Result<(), FrameError> {
        match &mut self.0 {
            None => self.0 = Some(frame.data),
            Some(rows) => _ = rows.vstack_mut_owned(frame.data).map_err(FrameError::new)?,
        }
        Ok(())
    }

    /// Returns the columns, in order, each as one array once it is asked for, so that only one of
    /// them is copied at a time. There are none without rows.
    pub(super) fn into_arrays(self) -> impl Iterator<Item = ArrayRef> {
        let rows = self.0.filter(|rows| rows.height() > 0);
        let columns = rows.map_or_else(Vec::new, DataFrame::into_columns).into_iter();
        columns.map(|column| {
            let series = column.take_materialized_series();
            series.rechunk().to_arrow(0, CompatLevel::newest())
        })
    }
}
