//! The end of an attempt at a shard: its parts appear in the shard's folder.

use super::Store;
use crate::results::error::ResultsError;
use crate::results::schema::row::Row;
use crate::results::storage::attempt::Attempt;
use crate::results::storage::folder::TableSet;
use crate::results::storage::metadata::Origin;
use crate::results::storage::writer::GroupSize;

impl Store {
    /// Publishes what an attempt has: a shard with all of its trials as one set, in order.
    pub(super) fn publish(&mut self, attempt: Attempt) -> Result<(), ResultsError> {
        if !self.is_whole() {
            attempt.publish(&self.parts)?;
            return attempt.end();
        }
        if self.changed || !attempt.is_published(&self.parts) {
            self.write_whole(&attempt.whole())?;
        }
        attempt.end_done()
    }

    /// Whether every trial of the share is finished.
    fn is_whole(&self) -> bool {
        let share = self.share.as_ref();
        let lacks = |arm: usize| {
            let trials = share.map(|share| share.trials(arm, self.spec.repeats));
            !self.finished.missing(arm, trials.unwrap_or(0..self.spec.limit(arm))).is_empty()
        };
        !(0..self.spec.arms.len()).any(lacks)
    }

    fn write_whole(&mut self, set: &TableSet) -> Result<(), ResultsError> {
        let (origin, size) = (Origin::new(&self.spec, self.plugins.clone()), GroupSize::SHARD);
        if let Some(kept) = self.kept.take() {
            let mut records = kept.records;
            records.sort_unstable_by_key(Row::key);
            return self.write(set, &records, &origin, size)?.publish();
        }
        self.merge_sets(&self.parts, set, &origin, size)?.publish()
    }
}
