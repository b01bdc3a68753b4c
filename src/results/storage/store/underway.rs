//! Parts under way: what the store left to whoever has time, and takes in once it is done.

use super::tables::{Tables, merge_sets, write_tables};
use super::waiting::Size;
use super::{JOURNAL_LENGTH, Store};
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::schema::row::Row;
use crate::results::storage::errands::Awaited;
use crate::results::storage::folder::TableSet;
use crate::results::storage::writer::GroupSize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Blocks that are encoded at a time, at most: beyond, the store does one itself before it takes
/// more trials in, so that memory stays bounded.
const MOST_UNDERWAY: usize = 2;

/// A set that is being written.
pub(super) struct Underway {
    pub set: TableSet,
    pub work: Work,
}

pub(super) enum Work {
    /// Trials that are in the journal alone until then.
    Block { block: Awaited<Result<Block, ResultsError>>, size: Size, plugins: BTreeSet<String> },
    /// Parts that it stands for.
    Fold { tables: Awaited<Result<Tables, ResultsError>>, folded: Vec<TableSet> },
}

/// A block whose tables are written.
pub(super) struct Block {
    records: Vec<TrialRecord>,
    tables: Tables,
}

impl Underway {
    fn is_done(&mut self) -> bool {
        match &mut self.work {
            Work::Block { block, .. } => block.is_done(),
            Work::Fold { tables, .. } => tables.is_done(),
        }
    }

    /// The parts that it will stand for.
    pub(super) fn folded(&self) -> Vec<&TableSet> {
        match &self.work {
            Work::Block { .. } => Vec::new(),
            Work::Fold { folded, .. } => folded.iter().collect(),
        }
    }

    pub(super) fn is_block(&self) -> bool {
        matches!(self.work, Work::Block { .. })
    }
}

impl Store {
    /// Has a whole block written as the tables will have it.
    pub(super) fn begin_block(
        &mut self,
        mut records: Vec<TrialRecord>,
        size: Size,
    ) -> Result<(), ResultsError> {
        while self.blocks_underway() >= MOST_UNDERWAY {
            self.settle_first()?;
        }
        self.changed = true;
        let number = self.take_number();
        let set = TableSet::part(&self.work, 0, number);
        let plugins = self.waiting_plugins.clone();
        let (origin, schema) = (self.origin(plugins.clone()), Arc::clone(&self.schema));
        let target = set.clone();
        let block = self.errands.leave(move || {
            records.sort_unstable_by_key(Row::key);
            let tables = write_tables(&target, &records, &schema, &origin, GroupSize::TABLE)?;
            Ok(Block { records, tables })
        });
        self.underway.push_back(Underway { set, work: Work::Block { block, size, plugins } });
        Ok(())
    }

    /// Has parts folded that the store wrote itself: all of their rows are wanted.
    pub(super) fn begin_fold(
        &mut self,
        folded: Vec<TableSet>,
        level: u32,
    ) -> Result<(), ResultsError> {
        let number = self.take_number();
        let set = TableSet::part(&self.work, level, number);
        let (origin, schema) = (self.origin(self.plugins_of(&folded)?), Arc::clone(&self.schema));
        let (target, sets) = (set.clone(), folded.clone());
        let tables = self
            .errands
            .leave(move || merge_sets(&sets, &target, &schema, &origin, GroupSize::PART, None));
        self.underway.push_back(Underway { set, work: Work::Fold { tables, folded } });
        Ok(())
    }

    fn blocks_underway(&self) -> usize {
        self.underway.iter().filter(|one| one.is_block()).count()
    }

    /// Takes in what is done by now.
    pub(super) fn take_done(&mut self) -> Result<(), ResultsError> {
        while let Some(place) = self.underway.iter_mut().position(Underway::is_done)
            && let Some(done) = self.underway.remove(place)
        {
            self.take_in(done)?;
        }
        if self.blocks_underway() == 0 && self.journal.length() > JOURNAL_LENGTH {
            self.shorten_journal()?;
        } else if self.journal.length() > 2 * JOURNAL_LENGTH {
            self.settle_parts()?;
            self.shorten_journal()?;
        }
        Ok(())
    }

    /// Waits for the block that was begun first, or for a fold if there is none.
    fn settle_first(&mut self) -> Result<(), ResultsError> {
        let place = self.underway.iter().position(Underway::is_block).unwrap_or(0);
        self.underway.remove(place).map_or(Ok(()), |first| self.take_in(first))
    }

    /// Waits until all trials that were taken in are in parts, but for those that wait.
    pub(super) fn settle_parts(&mut self) -> Result<(), ResultsError> {
        while self.blocks_underway() > 0 {
            self.settle_first()?;
        }
        Ok(())
    }

    /// Waits until nothing is under way.
    pub(super) fn settle(&mut self) -> Result<(), ResultsError> {
        while !self.underway.is_empty() {
            self.settle_first()?;
        }
        Ok(())
    }

    /// Gives files their names, once they are written.
    pub(super) fn take_in(&mut self, Underway { set, work }: Underway) -> Result<(), ResultsError> {
        match work {
            Work::Block { block, size, plugins } => {
                let Block { records, tables } = block.wait(&self.errands)?;
                tables.publish()?;
                self.plugins.extend(plugins);
                self.keep(records, size);
            }
            Work::Fold { tables, folded } => {
                tables.wait(&self.errands)?.publish()?;
                folded.iter().try_for_each(TableSet::remove)?;
                self.parts.retain(|set| !folded.contains(set));
            }
        }
        self.parts.push(set);
        self.fold()
    }

    /// Leaves in the journal what is in no part yet. To be called while no block is under way.
    fn shorten_journal(&mut self) -> Result<(), ResultsError> {
        let entries = self.waiting.records().map(|records| self.intake.entries(records));
        self.journal.replace(entries)
    }
}
