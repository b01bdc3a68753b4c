//! Rows of a table, read arm by arm.

use super::GenerationRow;
use super::ResultsError;
use super::schema::row::{GenerationView, Row, TrialView};
use super::storage::merge::{Source, merge_arm};
use crate::record::TrialRecord;

/// The files of a table, opened once: the rows of arms are read from them in any order.
pub(crate) struct Rows<R: Row> {
    sources: Vec<Source<R>>,
}

impl<R: Row> Rows<R> {
    pub(super) fn of(sources: Vec<Source<R>>) -> Self {
        Rows { sources }
    }

    /// Calls `visit` with the rows of one arm, by trial.
    pub(crate) fn of_arm<E: From<ResultsError>>(
        &mut self,
        arm: usize,
        mut visit: impl FnMut(R) -> Result<(), E>,
    ) -> Result<(), E> {
        merge_arm(&mut self.sources, arm, &|_, _| true, &mut visit)
    }
}

impl Rows<GenerationRow> {
    /// The same, and genomes are not read.
    pub(super) fn without_genomes(self) -> Self {
        let sources = self.sources.into_iter();
        Rows { sources: sources.map(|one| one.only(&GenerationView::FIGURES)).collect() }
    }
}

impl Rows<TrialRecord> {
    /// The same without what no figure is made of: `valid`, genomes, texts and errors are not read.
    pub(super) fn figures(self) -> Self {
        let sources = self.sources.into_iter();
        Rows { sources: sources.map(|one| one.only(&TrialView::FIGURES)).collect() }
    }

    /// The same with all that the table has.
    pub(crate) fn whole(self) -> Self {
        Rows { sources: self.sources.into_iter().map(Source::whole).collect() }
    }

    /// A trial.
    pub(crate) fn find(
        &mut self,
        arm: usize,
        trial: u64,
    ) -> Result<Option<TrialRecord>, ResultsError> {
        for source in &mut self.sources {
            if let Some(record) = source.find(arm, trial)? {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }
}
