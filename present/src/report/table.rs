//! Report: its columns and rows.

use super::column::{Column, Medium};

/// A table: columns with equal numbers of rows.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Columns of equal length, from left to right.
    pub columns: Vec<Column>,
    /// Word between the parts of a row if they share a line, such as "against".
    pub between: &'static str,
}

impl Report {
    /// Makes a table without notes.
    pub fn new(columns: Vec<Column>) -> Self {
        Report { columns, between: "" }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.columns.iter().map(Column::rows).max().unwrap_or(0)
    }

    /// Returns a report of the rows with these numbers, in this order.
    pub fn at(&self, rows: &[usize]) -> Report {
        let columns = self.columns.iter().map(|column| column.at(rows)).collect();
        Report { columns, between: self.between }
    }

    /// Returns the columns for readers of a medium.
    pub(super) fn shown(&self, medium: Medium) -> impl Iterator<Item = &Column> {
        let seen = move |column: &&Column| match column.medium {
            Medium::All => true,
            Medium::Screen => medium != Medium::All,
            Medium::Terminal => medium == Medium::Terminal,
        };
        self.columns.iter().filter(|column| !column.heading.is_empty()).filter(seen)
    }

    /// Returns whether rows have several parts, each on a separate line.
    pub(super) fn has_parts(&self) -> bool {
        self.shown(Medium::Terminal).any(Column::has_parts)
    }
}
