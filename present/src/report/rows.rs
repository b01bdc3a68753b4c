//! Rows of a table, from which its columns are made.

use super::column::{Cell, Column};
use serde_json::Value;

/// Subjects of a table's rows.
pub struct Rows<'a, T>(pub &'a [T]);

impl<T> Rows<'_, T> {
    /// Returns something of each row.
    pub fn each<V>(&self, of: impl Fn(&T) -> V) -> Vec<V> {
        self.0.iter().map(of).collect()
    }

    /// Returns a cell of one text for each row.
    pub fn cells(&self, text: impl Fn(&T) -> String) -> Vec<Cell> {
        self.each(|row| Cell::Whole(text(row)))
    }

    /// Returns the values of each row for programs.
    pub(crate) fn values<const N: usize>(&self, of: impl Fn(&T) -> [Value; N]) -> Vec<Vec<Value>> {
        self.each(|row| of(row).to_vec())
    }

    /// Returns a column for programs only.
    pub(crate) fn data<const N: usize>(
        &self,
        keys: [&str; N],
        of: impl Fn(&T) -> [Value; N],
    ) -> Column {
        Column::data("", []).keyed(&keys, self.values(of))
    }

    /// Returns a column of names.
    pub(crate) fn name(&self, heading: &str, text: impl Fn(&T) -> String) -> Column {
        Column::name(heading, self.cells(text))
    }

    /// Returns a column of figures.
    pub fn figure(&self, heading: &str, text: impl Fn(&T) -> String) -> Column {
        Column::figure(heading, self.cells(text))
    }

    /// Returns a column of texts.
    pub(crate) fn text(&self, heading: &str, text: impl Fn(&T) -> String) -> Column {
        Column::text(heading, self.cells(text))
    }
}
