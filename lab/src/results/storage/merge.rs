//! Merging: rows of many files into one sequence, arm by arm in plan order.

use crate::results::error::ResultsError;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Maximum number of files that are open at a time: more are closed and opened again in turn.
pub(crate) const MOST_OPEN: usize = 64;

/// A file with rows to be merged: a table or a segment.
pub(crate) type Source<R> = Box<dyn Stream<Item = R> + Send>;

/// Rows of one file, arm by arm, within an arm by trial.
pub(crate) trait Stream {
    type Item;

    /// Returns the number of the first trial of an arm; `None` if it has none.
    fn first(&self, arm: usize) -> Option<u64>;

    /// Goes to the first row of an arm.
    fn begin(&mut self, arm: usize);

    /// Returns the trial of the next row; `None` at the end of the arm.
    fn next_trial(&mut self) -> Result<Option<u64>, ResultsError>;

    /// Takes the next row, whose trial was asked for.
    fn take(&mut self) -> Result<Self::Item, ResultsError>;

    /// Passes over the next row, whose trial was asked for.
    fn skip(&mut self);

    /// Ends an arm. `streams`: number of files that are merged.
    fn end(&mut self, streams: usize);

    /// Returns the first row of a trial.
    fn find(&mut self, arm: usize, trial: u64) -> Result<Option<Self::Item>, ResultsError>;

    /// Reads these columns alone, where that saves time.
    fn only(&mut self, _columns: &'static [&'static str]) {}

    /// Reads all columns.
    fn whole(&mut self) {}
}

/// Calls `emit` with the rows of each trial that `keep` wants, arm by arm in plan order, within an
/// arm by trial, within a trial as in the file. Where several files have a trial, the rows of the
/// first file are taken: they are the same but for timings.
pub(crate) fn merge<R, E: From<ResultsError>>(
    streams: &mut [Source<R>],
    arms: usize,
    keep: impl Fn(usize, u64) -> bool,
    mut emit: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    (0..arms).try_for_each(|arm| merge_arm(streams, arm, &keep, &mut emit))
}

/// Merges the rows of one arm.
pub(crate) fn merge_arm<R, E: From<ResultsError>>(
    streams: &mut [Source<R>],
    arm: usize,
    keep: &impl Fn(usize, u64) -> bool,
    emit: &mut impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let mut last: Option<(u64, bool)> = None;
    walk_arm(streams, arm, |found, stream| {
        let wanted = match last {
            Some((trial, wanted)) if trial == found.trial => wanted,
            _ => last.insert((found.trial, keep(arm, found.trial))).1,
        };
        if wanted && found.is_first {
            return emit(stream.take()?);
        }
        stream.skip();
        Ok(())
    })
}

/// A row that comes next.
pub(crate) struct NextRow {
    pub stream: usize,
    pub trial: u64,
    /// No earlier stream has the trial.
    pub is_first: bool,
}

/// Calls `visit` with the rows of an arm in all streams, by trial and, where several have a trial,
/// in the order of the streams. `visit` takes or skips the row.
pub(crate) fn walk_arm<R, E: From<ResultsError>>(
    streams: &mut [Source<R>],
    arm: usize,
    mut visit: impl FnMut(NextRow, &mut Source<R>) -> Result<(), E>,
) -> Result<(), E> {
    let (all, mut heads) = (streams.len(), BinaryHeap::new());
    for (number, stream) in streams.iter_mut().enumerate() {
        if let Some(trial) = stream.first(arm) {
            stream.begin(arm);
            heads.push(Reverse((trial, number)));
        }
    }
    let mut owner: Option<(u64, usize)> = None;
    'heads: while let Some(Reverse((mut at, number))) = heads.pop() {
        let stream = &mut streams[number];
        // Until another stream is at the same trial or at an earlier one.
        let until = heads.peek().map_or(u64::MAX, |Reverse((trial, _))| *trial);
        while let Some(trial) = stream.next_trial()? {
            if trial != at && trial >= until {
                heads.push(Reverse((trial, number)));
                continue 'heads;
            }
            at = trial;
            let is_first = owner.is_none_or(|(owned, own)| owned != trial || own == number);
            if is_first {
                owner = Some((trial, number));
            }
            visit(NextRow { stream: number, trial, is_first }, stream)?;
        }
        stream.end(all);
    }
    Ok(())
}
