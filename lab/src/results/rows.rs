//! Rows of a table, read arm by arm.

use super::ResultsError;
use super::schema::row::Row;
use super::storage::merge::{Source, merge_arm};
use crate::record::TrialRecord;

/// The files of a table, opened once: the rows of arms are read from them in any order.
pub struct Rows<R: Row> {
    sources: Vec<Source<R>>,
}

impl<R: Row> Rows<R> {
    pub(super) fn of(sources: Vec<Source<R>>) -> Self {
        Rows { sources }
    }

    /// Calls `visit` with the rows of one arm, by trial.
    pub fn of_arm<E: From<ResultsError>>(
        &mut self,
        arm: usize,
        mut visit: impl FnMut(R) -> Result<(), E>,
    ) -> Result<(), E> {
        merge_arm(&mut self.sources, arm, &|_, _| true, &mut visit)
    }

    /// Leaves out the columns that no figure needs.
    pub(super) fn figures(mut self) -> Self {
        self.sources.iter_mut().for_each(|one| one.only(R::FIGURES));
        self
    }
}

impl Rows<TrialRecord> {
    /// Reads all columns of the table.
    pub fn whole(mut self) -> Self {
        self.sources.iter_mut().for_each(|one| one.whole());
        self
    }

    /// Finds a trial.
    pub fn find(&mut self, arm: usize, trial: u64) -> Result<Option<TrialRecord>, ResultsError> {
        for source in &mut self.sources {
            if let Some(record) = source.find(arm, trial)? {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }
}
