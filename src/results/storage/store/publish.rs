//! The end of an attempt at a shard: its parts appear in the shard's folder.

use super::Store;
use super::tables::Tables;
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
            let tables = self.whole_tables(&attempt.whole())?;
            // Whoever was done first removes the others' folders: what was read of one that is gone
            // may have been half of it.
            attempt.must_be_there()?;
            if !attempt.is_done_alike(tables.trials.checksum) {
                tables.publish()?;
            }
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

    /// All of the share's trials in order, under names that are not theirs yet.
    fn whole_tables(&mut self, set: &TableSet) -> Result<Tables, ResultsError> {
        let (origin, size) = (Origin::new(&self.spec, self.plugins.clone()), GroupSize::SHARD);
        if let Some(kept) = self.kept.take() {
            let mut records = kept.records;
            records.sort_unstable_by_key(Row::key);
            return self.write(set, &records, &origin, size);
        }
        self.merge_sets(&self.parts, set, &origin, size)
    }
}
