//! The parts of a run, folded so that they stay few.

use super::Store;
use super::tables::{Tables, merge_sets, open_sources};
use super::waiting::Size;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::storage::folder::TableSet;
use crate::results::storage::merge::{MOST_OPEN, Source};
use crate::results::storage::metadata::Origin;
use crate::results::storage::reader::TableReader;
use crate::results::storage::writer::{ARM_ROWS, GroupSize};
use std::collections::BTreeSet;

/// Rows and genes of a run that stay in memory until its end, so that its tables need not be read
/// from the parts.
const KEPT_ROWS: usize = 50_000;
const KEPT_GENES: usize = 1 << 22;
/// Parts of one level that are folded into one.
const FOLD: usize = 8;

/// Records in memory, and their size.
#[derive(Default)]
pub(super) struct Kept {
    pub records: Vec<TrialRecord>,
    size: Size,
}

impl Store {
    /// Keeps what was written for the end of the run, unless it grows too large.
    pub(super) fn keep(&mut self, mut records: Vec<TrialRecord>, size: Size) {
        if let Some(kept) = &mut self.kept {
            kept.size.add(size);
            if kept.size.rows <= KEPT_ROWS && kept.size.genes <= KEPT_GENES {
                kept.records.append(&mut records);
            } else {
                self.kept = None;
            }
        }
    }

    /// Folds parts until no level has too many.
    pub(super) fn fold(&mut self) -> Result<(), ResultsError> {
        let level_of = |set: &TableSet| set.part.map_or(0, |(level, _)| level);
        // A fold makes a part of the next level, which may then have too many.
        loop {
            let folding = self.underway.iter().position(|one| !one.is_block());
            let taken: Vec<&TableSet> =
                folding.map_or_else(Vec::new, |place| self.underway[place].folded());
            let free: Vec<&TableSet> =
                self.parts.iter().filter(|set| !taken.contains(set)).collect();
            let levels: BTreeSet<u32> = free.iter().map(|set| level_of(set)).collect();
            let of = |level: u32| free.iter().filter(move |set| level_of(set) == level);
            let enough = if folding.is_some() { 2 * FOLD } else { FOLD };
            let Some(level) = levels.into_iter().find(|level| of(*level).count() >= enough) else {
                return Ok(());
            };
            let folded: Vec<TableSet> = of(level).map(|set| (*set).clone()).collect();
            // It is waited for only where parts would pile up.
            if let Some(first) = folding.and_then(|place| self.underway.remove(place)) {
                self.take_in(first)?;
                continue;
            }
            let is_own =
                |set: &TableSet| set.part.is_some_and(|(_, number)| number >= self.first_part);
            if folded.iter().all(is_own) {
                return self.begin_fold(folded, level + 1);
            }
            let set = self.fold_into_one(&folded, level + 1)?;
            folded.iter().try_for_each(TableSet::remove)?;
            self.parts.retain(|set| !folded.contains(set));
            self.parts.push(set);
        }
    }

    /// Makes parts of sets of other folders where these are so many, and have so few rows of each
    /// arm, that reading them side by side would open files without end.
    pub(super) fn fold_guests(&mut self) -> Result<(), ResultsError> {
        if self.guests.len() <= MOST_OPEN {
            return Ok(());
        }
        let guests = open_sources::<TrialRecord>(&self.guests, &self.schema)?;
        let rows: usize = guests.iter().map(Source::rows_per_arm).sum();
        if rows / guests.len().max(1) >= ARM_ROWS {
            return Ok(());
        }
        drop(guests);
        for guests in std::mem::take(&mut self.guests).chunks(MOST_OPEN) {
            let part = self.fold_into_one(guests, 0)?;
            self.parts.push(part);
        }
        self.fold()
    }

    /// Merges sets into a part.
    fn fold_into_one(&mut self, sets: &[TableSet], level: u32) -> Result<TableSet, ResultsError> {
        let number = self.take_number();
        let set = TableSet::part(&self.work, level, number);
        let origin = self.origin(self.plugins_of(sets)?);
        self.merge_sets(sets, &set, &origin, GroupSize::PART)?.publish()?;
        Ok(set)
    }

    /// Writes all tables of a set: the finished trials' rows of these sets, merged.
    pub(super) fn merge_sets(
        &self,
        sets: &[TableSet],
        into: &TableSet,
        origin: &Origin,
        size: GroupSize,
    ) -> Result<Tables, ResultsError> {
        merge_sets(sets, into, &self.schema, origin, size, Some(&self.finished))
    }

    /// The builds of the plugin that made the trials of these sets.
    pub(super) fn plugins_of(&self, sets: &[TableSet]) -> Result<BTreeSet<String>, ResultsError> {
        let mut plugins = BTreeSet::new();
        for path in sets.iter().map(|set| set.path(Table::Trials)) {
            let reader = TableReader::peek(&path, Table::Trials);
            let reader = reader.map_err(|refusal| refusal.into_error(&path))?;
            plugins.extend(reader.metadata.origin().plugins.iter().cloned());
        }
        Ok(plugins)
    }
}
