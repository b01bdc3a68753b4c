//! Rows of a table, read arm by arm.

use super::GenerationRow;
use super::ResultsError;
use super::schema::row::{GenerationView, Row, TrialView};
use super::storage::merge::merge_arm;
use super::storage::source::Source;
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
}

impl Rows<GenerationRow> {
    /// Leaves out genomes when reading.
    pub(super) fn without_genomes(mut self) -> Self {
        self.sources.iter_mut().for_each(|one| one.only(&GenerationView::FIGURES));
        self
    }
}

impl Rows<TrialRecord> {
    /// Leaves out the columns that no figure needs: `valid`, genomes, texts and errors are not
    /// read.
    pub(super) fn figures(mut self) -> Self {
        self.sources.iter_mut().for_each(|one| one.only(&TrialView::FIGURES));
        self
    }

    /// Reads all columns of the table.
    pub fn whole(mut self) -> Self {
        self.sources.iter_mut().for_each(Source::whole);
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
