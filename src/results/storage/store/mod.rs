//! The store: where a run's records go, and where a later run finds them.
//!
//! While a run lasts, finished trials go to a journal at once and to part files, one set a second;
//! eight parts of a level are folded into one of the next, so that their number grows with the
//! logarithm of the run's length. At the end all is merged into the tables. Every file appears
//! whole or not at all, its companions (generations, timings) before its trials, and what it
//! replaces goes last: killed at any point, the folder holds each finished trial at least once, and
//! readers take each but once.

mod open;
mod parts;
mod pieces;
mod publish;
mod tables;

pub use open::Opened;
pub(crate) use pieces::checksum_of;
pub(crate) use tables::open_sources;

use crate::analysis::SummaryTable;
use crate::plan::ResultsSpec;
use crate::plan::round::Share;
use crate::problem::Genome;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::row::Row;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::atomic::{remove_if_there, write_atomically};
use crate::results::storage::attempt::{Attempt, take};
use crate::results::storage::completeness::CompletenessCheck;
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::{JOURNAL, PARTS, PLAN, TableSet};
use crate::results::storage::journal::Journal;
use crate::results::storage::lock::Lock;
use crate::results::storage::metadata::Origin;
use crate::results::storage::plan_file::PlanFile;
use crate::results::storage::summary::write_summary;
use crate::results::storage::writer::GroupSize;
use parts::Kept;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Finished trials are on the disk after at most this long.
const FLUSH_EVERY: Duration = Duration::from_secs(1);
/// Buffered rows (of trials and of their traces) and genes that are not kept waiting for the second
/// to pass.
const BUFFER_ROWS: usize = 50_000;
const BUFFER_GENES: usize = 1 << 22;
/// An experiment's results folder, open for writing by this process alone.
pub struct Store {
    spec: ResultsSpec,
    share: Option<Share>,
    schema: TableSchema,
    /// The folder of the experiment or of the shard.
    folder: PathBuf,
    /// Where it writes: the same, or the attempt's.
    work: PathBuf,
    /// At a shard.
    attempt: Option<Attempt>,
    journal: Journal,
    finished: Finished,
    /// The builds of the plugin that made the finished trials, and those of them that wait.
    plugins: BTreeSet<String>,
    buffer_plugins: BTreeSet<String>,
    buffer: Vec<TrialRecord>,
    buffered_rows: usize,
    buffered_genes: usize,
    flushed: Instant,
    /// What is on the disk already, if that is all there is and not too much.
    kept: Option<Kept>,
    /// Whether there is more or less than what was found.
    changed: bool,
    parts: Vec<TableSet>,
    /// Sets of other folders that the tables are to have too.
    guests: Vec<TableSet>,
    next_part: u64,
    _lock: Lock,
}

impl Store {
    /// The folder of the experiment or of the shard.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder in there that has what it found and wrote, and nothing of others.
    pub(crate) fn work(&self) -> &Path {
        &self.work
    }

    /// All trials that are finished by now, whether on the disk yet or not.
    #[must_use]
    pub fn finished(&self) -> &Finished {
        &self.finished
    }

    /// Takes note that trials of the builds that are there and of the one that is about to run may
    /// stand beside each other.
    ///
    /// # Errors
    /// If the plan cannot be written.
    pub fn accept_plugins(&mut self) -> Result<(), ResultsError> {
        let mut plugins = self.plugins.clone();
        plugins.insert(self.spec.build());
        self.write_plan(plugins)
    }

    /// Says in the folder what its parts are of. `plugins`: the builds that may have made them.
    fn write_plan(&self, plugins: BTreeSet<String>) -> Result<(), ResultsError> {
        let plan = PlanFile::new(&self.spec, self.share.as_ref(), plugins).to_json();
        if self.attempt.is_some() {
            write_atomically(&self.work.join(PARTS).join(PLAN), &plan)?;
        }
        write_atomically(&self.folder.join(PARTS).join(PLAN), &plan)
    }

    /// Sets how many trials of each arm the tables are to have: no more and no fewer.
    pub fn want(&mut self, trials: Vec<u64>) {
        self.spec.limits = Some(trials);
    }

    /// Takes the sets of another folder into the tables, where they lie. `finished`: their trials.
    /// `plugins`: the builds that made them.
    pub(crate) fn invite(
        &mut self,
        sets: Vec<TableSet>,
        finished: &Finished,
        plugins: BTreeSet<String>,
    ) {
        self.kept = None;
        self.guests.extend(sets);
        self.finished.extend(finished);
        self.plugins.extend(plugins);
    }

    /// Takes a copy of a part of another folder, whose trials count once the store is opened anew.
    pub(crate) fn adopt(&mut self, part: &TableSet) -> Result<(), ResultsError> {
        let number = self.take_number();
        take(part, &TableSet::part(&self.work, 0, number)).map(|_| ())
    }

    /// What it found or wrote: the tables, if there are some, and the parts.
    pub(crate) fn sets(&self) -> Vec<TableSet> {
        let tables = TableSet::tables(&self.work);
        let there = tables.path(Table::Trials).exists().then_some(tables);
        there.into_iter().chain(self.parts.iter().cloned()).collect()
    }

    /// A number for one more part.
    fn take_number(&mut self) -> u64 {
        self.next_part += 1;
        self.next_part - 1
    }

    /// Whether these are records of trials that this experiment has.
    ///
    /// # Errors
    /// If one is of no arm, of no trial of its arm, or has another seed.
    pub fn check(&self, records: &[TrialRecord]) -> Result<(), ResultsError> {
        for TrialRecord { arm, trial, seed, .. } in records {
            let asked = *arm < self.spec.arms.len()
                && *trial < self.spec.limit(*arm)
                && *seed == self.spec.trial_seed(*arm, *trial);
            if !asked {
                let message = format!(
                    "a worker returned a result that was not requested (arm {arm}, trial {trial}, \
                    seed {seed}); it is discarded"
                );
                return Err(ResultsError::Record { path: self.work.clone(), message });
            }
        }
        Ok(())
    }

    /// Takes finished trials, in any order; a trial that is finished already is ignored. Writes
    /// them once enough wait.
    ///
    /// # Errors
    /// If a record is of no trial of this experiment, or a part file cannot be written.
    pub fn append(&mut self, records: Vec<TrialRecord>) -> Result<(), ResultsError> {
        self.check(&records)?;
        self.journal.append(&records, &self.spec)?;
        if !records.is_empty() && !self.buffer_plugins.contains(&self.spec.plugin.blake3) {
            self.buffer_plugins.insert(self.spec.build());
        }
        self.buffer(records);
        if self.buffered_rows >= BUFFER_ROWS || self.buffered_genes >= BUFFER_GENES {
            self.flush()?;
        }
        Ok(())
    }

    /// Takes note of trials that are not finished yet.
    fn buffer(&mut self, records: Vec<TrialRecord>) {
        for record in records {
            if self.finished.insert(record.arm, record.trial) {
                self.buffered_rows += 1 + record.trace.len();
                let traced = record.traced_genes.as_ref().map_or(0, Genome::length);
                self.buffered_genes += record.weight() + traced;
                self.buffer.push(record);
            }
        }
    }

    /// Writes what waits if the last time was a second ago. To be called at least a few times a
    /// second.
    ///
    /// # Errors
    /// If a part file cannot be written.
    pub fn flush_if_due(&mut self) -> Result<(), ResultsError> {
        if self.flushed.elapsed() >= FLUSH_EVERY { self.flush() } else { Ok(()) }
    }

    /// Writes what waits to a part file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn flush(&mut self) -> Result<(), ResultsError> {
        self.flushed = Instant::now();
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.changed = true;
        self.buffer.sort_unstable_by_key(Row::key);
        let number = self.take_number();
        let set = TableSet::part(&self.work, 0, number);
        let records = std::mem::take(&mut self.buffer);
        let origin = Origin::new(&self.spec, std::mem::take(&mut self.buffer_plugins));
        self.write(&set, &records, &origin, GroupSize::PART)?.publish()?;
        self.plugins.extend(origin.plugins);
        self.journal.clear()?;
        self.keep(records);
        self.parts.push(set);
        self.fold()
    }

    /// Writes what waits and leaves the parts: the next run goes on from them. For a run that was
    /// interrupted, and for a shard, whose parts are published.
    ///
    /// # Errors
    /// If a part file cannot be written.
    pub fn close(mut self) -> Result<(), ResultsError> {
        self.flush()?;
        match self.attempt.take() {
            Some(attempt) => self.publish(attempt),
            None => Ok(()),
        }
    }

    /// Merges all parts and earlier tables into the final tables, in plan order, and removes the
    /// parts. Before the tables get their names, they are read once more, and each trial that is
    /// asked for must be in them.
    ///
    /// # Errors
    /// If a file cannot be read or written, or a trial is missing; every finished trial is still on
    /// the disk then.
    pub fn finish(mut self) -> Result<SummaryTable, ResultsError> {
        self.flush()?;
        self.fold_guests()?;
        let origin = Origin::new(&self.spec, self.plugins.clone());
        let mut check = CompletenessCheck::new(&self.spec);
        let (figures, tables) = match self.kept.take() {
            Some(kept) => self.write_tables(kept.records, &origin, &mut check)?,
            None => self.merge_tables(&origin, &mut check)?,
        };
        check.finish(&self.work)?;
        tables.check()?;
        let summary = self.schema.summary(figures);
        let path = TableSet::tables(&self.work).path(Table::Summary);
        let written =
            write_summary(&summary, &path, &self.schema, &origin, tables.trials.checksum)?;
        written.check(Table::Summary)?;
        written.publish()?;
        tables.publish()?;
        self.parts.iter().try_for_each(TableSet::remove)?;
        self.end_parts()?;
        Ok(summary)
    }

    /// Removes the folder of parts, once the tables have all that was in it.
    fn end_parts(&self) -> Result<(), ResultsError> {
        let parts = self.work.join(PARTS);
        remove_if_there(&parts.join(JOURNAL))?;
        remove_if_there(&parts.join(PLAN))?;
        // Whatever else someone put there stays, and the folder with it.
        _ = fs::remove_dir(&parts);
        Ok(())
    }
}
