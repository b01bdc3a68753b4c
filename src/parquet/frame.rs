//! Frames: columns of equal length.

use super::column::Column;
use super::error::FrameError;
use polars_arrow::array::BooleanArray;
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::ArrowSchema;
use polars_compute::filter::filter;

/// The names and types of columns.
pub type Schema = ArrowSchema;

/// A table in memory.
#[derive(Clone, Debug)]
pub struct Frame {
    height: usize,
    columns: Vec<Column>,
}

impl Frame {
    /// # Errors
    /// If a column has another number of rows than `height`.
    pub(crate) fn new(height: usize, columns: Vec<Column>) -> Result<Self, FrameError> {
        match columns.iter().find(|column| column.len() != height) {
            None => Ok(Frame { height, columns }),
            Some(other) => Err(FrameError::new(format!(
                "the column `{}` has {} rows, and the table has {height}",
                other.name(),
                other.len()
            ))),
        }
    }

    /// The number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
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

    pub(crate) fn schema(&self) -> Schema {
        let mut schema = Schema::with_capacity(self.columns.len());
        for column in &self.columns {
            schema.with_column(column.name().into(), column.field());
        }
        schema
    }

    /// The rows for which `wanted`, one for each row, is true.
    pub(crate) fn filter(&self, wanted: &[bool]) -> Frame {
        let mask = BooleanArray::from(Bitmap::from(wanted));
        let chosen = |column: &Column| Column::new(column.name(), filter(column.array(), &mask));
        Frame {
            height: wanted.iter().filter(|wanted| **wanted).count(),
            columns: self.columns.iter().map(chosen).collect(),
        }
    }

    /// With a column in place of the one of that name.
    #[cfg(test)]
    pub(crate) fn with_column(mut self, column: Column) -> Self {
        let places = self.columns.iter().position(|one| one.name() == column.name());
        self.columns[places.expect("a column of that name")] = column;
        self
    }
}
