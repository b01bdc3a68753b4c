//! The end of an attempt at a shard: its segments appear in the shard's folder.

use super::Store;
use crate::results::error::ResultsError;
use crate::results::storage::attempt::Attempt;
use crate::results::storage::folder::segment_path;
use crate::results::storage::merge::{Source, merge};
use crate::results::storage::segment::{self, RawEntry, Segment, SegmentRows};

impl Store {
    /// Publishes what an attempt has: a shard with all of its trials as one segment, in order.
    pub(super) fn publish(&mut self, attempt: Attempt) -> Result<(), ResultsError> {
        if !self.is_whole() {
            self.seal()?;
            self.settle()?;
            attempt.publish(&self.segments)?;
            attempt.leave_checkpoints()?;
            return attempt.end();
        }
        if self.changed || !attempt.is_published(&self.segments) {
            let whole = self.write_whole()?;
            // Whoever was done first removes the others' folders: what was read of one that is gone
            // may have been half of it.
            attempt.check_folder_exists()?;
            attempt.publish_whole(&whole)?;
        }
        attempt.end_done(&self.origin)
    }

    /// Returns whether every trial of the share is finished.
    fn is_whole(&self) -> bool {
        let share = self.share.as_ref();
        let lacks = |arm: usize| {
            let trials = share.map(|share| share.trials(arm, self.spec.repeats));
            !self.finished.missing(arm, trials.unwrap_or(0..self.spec.limit(arm))).is_empty()
        };
        !(0..self.spec.arms.len()).any(lacks)
    }

    /// Writes all of the share's trials, in order, to one segment.
    fn write_whole(&mut self) -> Result<Segment, ResultsError> {
        let number = self.take_number();
        let path = segment_path(&self.work, number);
        let mut all: Vec<Source<RawEntry>> = (self.segments.iter().cloned())
            .chain(self.journalled()?)
            .map(|segment| SegmentRows::source(segment, &self.schema))
            .collect();
        segment::write(&path, &self.origin(), |writer| {
            let keep = |arm, trial| self.finished.contains(arm, trial);
            merge(&mut all, self.schema.arms.len(), keep, |entry: RawEntry| {
                let pushed = writer.push(&entry.bytes);
                pushed.map_err(ResultsError::writing(&path, "write the file"))
            })
        })
    }
}
