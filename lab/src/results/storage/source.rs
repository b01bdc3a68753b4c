//! Source of rows to be merged: a table or a segment.

use crate::results::error::ResultsError;
use crate::results::schema::row::Row;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::merge::Stream;
use crate::results::storage::segment::{Segment, SegmentRows};
use crate::results::storage::table_rows::TableRows;

/// The rows of a table that one file has.
pub(crate) enum Source<R: Row> {
    Table(Box<TableRows<R>>),
    Segment(Box<SegmentRows<R>>),
}

impl<R: Row> Source<R> {
    pub(crate) fn table(table: TableRows<R>) -> Self {
        Source::Table(Box::new(table))
    }

    pub(crate) fn segment(segment: Segment, schema: &TableSchema) -> Self {
        Source::Segment(Box::new(SegmentRows::new(segment, schema)))
    }

    /// Reads these columns alone, where that saves time.
    pub(crate) fn only(&mut self, columns: &'static [&'static str]) {
        if let Source::Table(table) = self {
            table.only(columns);
        }
    }

    /// Reads all columns.
    pub(crate) fn whole(&mut self) {
        if let Source::Table(table) = self {
            table.whole();
        }
    }

    /// Returns the first row of a trial.
    pub(crate) fn find(&mut self, arm: usize, trial: u64) -> Result<Option<R>, ResultsError> {
        match self {
            Source::Table(table) => table.find(arm, trial),
            Source::Segment(segment) => segment.find(arm, trial),
        }
    }
}

impl<R: Row> Stream for Source<R> {
    type Item = R;

    fn first(&self, arm: usize) -> Option<u64> {
        match self {
            Source::Table(table) => table.first(arm),
            Source::Segment(segment) => segment.first(arm),
        }
    }

    fn begin(&mut self, arm: usize) {
        match self {
            Source::Table(table) => table.begin(arm),
            Source::Segment(segment) => segment.begin(arm),
        }
    }

    fn next_trial(&mut self) -> Result<Option<u64>, ResultsError> {
        match self {
            Source::Table(table) => table.next_trial(),
            Source::Segment(segment) => segment.next_trial(),
        }
    }

    fn take(&mut self) -> Result<R, ResultsError> {
        match self {
            Source::Table(table) => table.take(),
            Source::Segment(segment) => segment.take(),
        }
    }

    fn skip(&mut self) {
        match self {
            Source::Table(table) => table.skip(),
            Source::Segment(segment) => segment.skip(),
        }
    }

    fn end(&mut self, streams: usize) {
        match self {
            Source::Table(table) => table.end(streams),
            Source::Segment(segment) => segment.end(streams),
        }
    }
}
