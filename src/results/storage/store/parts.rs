//! The parts of a run: written about once a second, and folded so that they stay few.

use super::Store;
use super::tables::{Tables, open_sources};
use crate::plan::settings::Trace;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::schema::row::{GenerationRow, Row, TimingRow};
use crate::results::storage::folder::TableSet;
use crate::results::storage::merge::{MOST_OPEN, Source, merge};
use crate::results::storage::metadata::Origin;
use crate::results::storage::writer::{ARM_ROWS, GroupSize, RowWriter, Written};
use std::collections::BTreeSet;

/// Rows and genes of a run that stay in memory until its end, so that its tables need not be read
/// from the parts.
const KEPT_ROWS: usize = 100_000;
const KEPT_GENES: usize = 1 << 22;
/// Parts of one level that are folded into one.
const FOLD: usize = 8;

/// Records in memory, and their size.
#[derive(Default)]
pub(super) struct Kept {
    pub records: Vec<TrialRecord>,
    rows: usize,
    genes: usize,
}

impl Store {
    /// Keeps what was written for the end of the run, unless it grows too large.
    pub(super) fn keep(&mut self, mut records: Vec<TrialRecord>) {
        if let Some(kept) = &mut self.kept {
            kept.rows += self.buffered_rows;
            kept.genes += self.buffered_genes;
            if kept.rows <= KEPT_ROWS && kept.genes <= KEPT_GENES {
                kept.records.append(&mut records);
            } else {
                self.kept = None;
            }
        }
        (self.buffered_rows, self.buffered_genes) = (0, 0);
    }

    /// Folds parts until no level has too many.
    pub(super) fn fold(&mut self) -> Result<(), ResultsError> {
        let level_of = |set: &TableSet| set.part.map_or(0, |(level, _)| level);
        // A fold makes a part of the next level, which may then have too many.
        loop {
            let levels: BTreeSet<u32> = self.parts.iter().map(level_of).collect();
            let of =
                |level: u32| self.parts.iter().filter(move |set| level_of(set) == level).cloned();
            let Some(level) = levels.into_iter().find(|level| of(*level).count() >= FOLD) else {
                return Ok(());
            };
            let folded: Vec<TableSet> = of(level).collect();
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
        let origin = Origin::new(&self.spec, self.plugins_of(sets)?);
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
        let trials = self.merge_into::<TrialRecord>(sets, into, origin, size)?;
        let generations = match self.schema.trace {
            Trace::None => None,
            _ => Some(self.merge_into::<GenerationRow>(sets, into, origin, size)?),
        };
        let timings = self.merge_into::<TimingRow>(sets, into, origin, size)?;
        Ok(Tables { generations, timings, trials })
    }

    /// The builds of the plugin that made the trials of these sets.
    pub(super) fn plugins_of(&self, sets: &[TableSet]) -> Result<BTreeSet<String>, ResultsError> {
        let sources = open_sources::<TrialRecord>(sets, &self.schema)?;
        let metadata = sources
            .iter()
            .filter_map(|source| source.reader.as_ref())
            .map(|reader| &reader.metadata);
        Ok(metadata.flat_map(|one| one.origin().plugins.iter().cloned()).collect())
    }

    /// Writes one table of a set: the finished trials' rows of these sets, merged.
    pub(super) fn merge_into<R: Row>(
        &self,
        sets: &[TableSet],
        into: &TableSet,
        origin: &Origin,
        size: GroupSize,
    ) -> Result<Written, ResultsError> {
        let mut writer = RowWriter::<R>::create(&into.path(R::TABLE), &self.schema, origin, size)?;
        let keep = |arm, trial| self.finished.contains(arm, trial);
        let mut sources = open_sources::<R>(sets, &self.schema)?;
        merge(&mut sources, self.schema.arms.len(), keep, |row| writer.push(row))?;
        writer.finish()
    }
}
