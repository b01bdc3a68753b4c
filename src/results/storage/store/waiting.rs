//! Finished trials that wait to be written, in memory and in the journal.

use crate::problem::Genome;
use crate::record::TrialRecord;
use crate::results::schema::row::Row;
use crate::results::storage::writer::{BLOCK, GroupSize};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Waiting trials, by the block that they belong to: an arm, and how many blocks come before.
#[derive(Default)]
pub(super) struct Waiting {
    blocks: BTreeMap<(usize, u64), Block>,
    pub size: Size,
}

#[derive(Default)]
struct Block {
    records: Vec<TrialRecord>,
    size: Size,
    /// When its first trial came.
    since: Option<Instant>,
}

/// What records weigh.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    /// Of trials and of their traces.
    pub rows: usize,
    pub genes: usize,
}

impl Size {
    fn of(record: &TrialRecord) -> Self {
        let traced = record.traced_genes.as_ref().map_or(0, Genome::length);
        Size { rows: 1 + record.trace.len(), genes: record.weight() + traced }
    }

    pub(super) fn add(&mut self, other: Size) {
        self.rows += other.rows;
        self.genes += other.genes;
    }

    fn take(&mut self, other: Size) {
        self.rows -= other.rows;
        self.genes -= other.genes;
    }
}

impl Waiting {
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Takes records in, of trials that do not wait yet.
    pub(super) fn push(&mut self, records: Vec<TrialRecord>) {
        let block_of = |record: &TrialRecord| (record.arm, record.trial / BLOCK as u64);
        let mut records = records.into_iter().peekable();
        while let Some(key) = records.peek().map(block_of) {
            let block = self.blocks.entry(key).or_default();
            block.since.get_or_insert_with(Instant::now);
            while let Some(record) = records.next_if(|record| block_of(record) == key) {
                let size = Size::of(&record);
                block.size.add(size);
                self.size.add(size);
                block.records.push(record);
            }
        }
    }

    /// How long the oldest of them waits by now.
    pub(super) fn longest(&self) -> Option<Duration> {
        self.blocks.values().filter_map(|block| block.since).map(|since| since.elapsed()).max()
    }

    /// Takes out a block that is whole and makes a row group of its own.
    pub(super) fn take_whole(&mut self) -> Option<(Vec<TrialRecord>, Size)> {
        let is_whole = |block: &Block| {
            block.records.len() == BLOCK && GroupSize::TABLE.holds(block.size.genes)
        };
        let (key, _) = self.blocks.iter().find(|(_, block)| is_whole(block))?;
        let key = *key;
        let block = self.blocks.remove(&key)?;
        self.size.take(block.size);
        Some((block.records, block.size))
    }

    /// Takes out all, in order.
    pub(super) fn take_all(&mut self) -> (Vec<TrialRecord>, Size) {
        let blocks = std::mem::take(&mut self.blocks).into_values();
        let mut records: Vec<TrialRecord> = blocks.flat_map(|block| block.records).collect();
        records.sort_unstable_by_key(Row::key);
        (records, std::mem::take(&mut self.size))
    }

    /// Those that wait.
    pub(super) fn records(&self) -> impl Iterator<Item = &[TrialRecord]> {
        self.blocks.values().map(|block| block.records.as_slice())
    }
}
