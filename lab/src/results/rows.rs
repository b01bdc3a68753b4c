//! Rows of a table, read arm by arm.

use super::ResultsError;
use super::schema::row::Row;
use super::storage::merge::{Source, merge, merge_arm};
use crate::record::TrialRecord;

/// Ends a visit early.
enum Halt {
    Enough,
    Error(ResultsError),
}

impl From<ResultsError> for Halt {
    fn from(error: ResultsError) -> Self {
        Halt::Error(error)
    }
}

/// Returns whether a trial of an arm is before the end.
fn counted(ends: &Option<Vec<u64>>) -> impl Fn(usize, u64) -> bool {
    move |arm, trial| ends.as_ref().is_none_or(|ends| trial < ends[arm])
}

/// The files of a table, opened once: the rows of arms are read from them in any order.
pub struct Rows<R: Row> {
    sources: Vec<Source<R>>,
    /// Number of arms.
    arms: usize,
    /// Trial of each arm from which on rows are left out; `None` if none are.
    ends: Option<Vec<u64>>,
}

impl<R: Row> Rows<R> {
    pub(super) fn of(sources: Vec<Source<R>>, arms: usize, ends: Option<Vec<u64>>) -> Self {
        Rows { sources, arms, ends }
    }

    /// Calls `visit` with every row, arm by arm in plan order, within an arm by trial.
    ///
    /// # Errors
    /// Returns an error if the table cannot be read.
    pub fn all(mut self, mut visit: impl FnMut(R)) -> Result<(), ResultsError> {
        (0..self.arms).try_for_each(|arm| self.of_arm(arm, &mut visit))
    }

    /// Calls `visit` with every row like [`all`](Self::all), until it fails.
    pub(super) fn try_all(
        mut self,
        visit: impl FnMut(R) -> Result<(), ResultsError>,
    ) -> Result<(), ResultsError> {
        merge(&mut self.sources, self.arms, counted(&self.ends), visit)
    }

    /// Calls `visit` with the rows of one arm, by trial.
    ///
    /// # Errors
    /// Returns an error if the table cannot be read.
    pub fn of_arm(&mut self, arm: usize, mut visit: impl FnMut(R)) -> Result<(), ResultsError> {
        self.of_arm_while(arm, |row| {
            visit(row);
            true
        })
    }

    /// Calls `visit` with the rows of one arm, by trial, until it returns false.
    pub(super) fn of_arm_while(
        &mut self,
        arm: usize,
        mut visit: impl FnMut(R) -> bool,
    ) -> Result<(), ResultsError> {
        let Rows { sources, ends, .. } = self;
        let visited = merge_arm(sources, arm, &counted(ends), &mut |row| match visit(row) {
            true => Ok(()),
            false => Err(Halt::Enough),
        });
        match visited {
            Ok(()) | Err(Halt::Enough) => Ok(()),
            Err(Halt::Error(error)) => Err(error),
        }
    }

    /// Leaves out the columns that no figure needs.
    #[must_use]
    pub fn figures(mut self) -> Self {
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
