//! The store: where a run's records go, and where a later run finds them.
//!
//! While a run lasts, finished trials go to a journal at once. A journal that is full becomes a
//! segment, in which trials are in order. At the end, the tables are written from segments, the
//! journal and earlier tables. Every file appears whole or not at all, and what it replaces goes
//! last: killed at any point, the folder holds each finished trial at least once, and readers take
//! each but once.

mod checkpoints;
mod open;
mod pieces;
mod publish;
mod tables;

pub use open::Opened;
pub(crate) use pieces::checksum_of;
pub(crate) use tables::open_sources;

use crate::analysis::SummaryTable;
use crate::plan::ResultsSpec;
use crate::plan::round::Share;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::atomic::{remove_if_there, write_atomically};
use crate::results::storage::attempt::{Attempt, take};
use crate::results::storage::completeness::CompletenessCheck;
use crate::results::storage::entry::{Batch, Entries, EntryWriter};
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::{PARTS, PLAN, TableSet, rotated_path, segment_path};
use crate::results::storage::frame;
use crate::results::storage::journal::{FULL, Journal};
use crate::results::storage::lock::Lock;
use crate::results::storage::metadata::Origin;
use crate::results::storage::plan_file;
use crate::results::storage::segment::{self, Segment};
use crate::results::storage::summary::write_summary;
use crate::system::allocator::return_large_blocks;
use std::collections::BTreeSet;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Finished trials are on the disk after at most this long.
const FLUSH_EVERY: Duration = Duration::from_secs(1);

/// An experiment's results folder, open for writing by this process alone.
pub struct Store {
    spec: Arc<ResultsSpec>,
    share: Option<Share>,
    schema: Arc<TableSchema>,
    /// The folder of the experiment or of the shard.
    folder: PathBuf,
    /// Folder that the store writes to: the same, or the attempt's.
    work: PathBuf,
    /// The attempt at a shard.
    attempt: Option<Attempt>,
    journal: Journal,
    /// Trials of the journal.
    journalled: Entries,
    encoder: Arc<EntryWriter>,
    /// Origin of the rows, without the builds.
    origin: Origin,
    finished: Finished,
    /// Builds of the plugin that made the finished trials.
    plugins: BTreeSet<String>,
    /// Builds that the plan says may have made trials.
    planned_plugins: BTreeSet<String>,
    /// A journal that is becoming a segment.
    sealing: Option<JoinHandle<Result<Segment, ResultsError>>>,
    segments: Vec<Segment>,
    /// Tables in the folder of parts, as earlier versions wrote them.
    parts: Vec<TableSet>,
    /// Segments of other folders that the tables are to have too.
    guests: Vec<Segment>,
    next_number: u64,
    /// Whether there is more or less than what was found.
    changed: bool,
    /// Moment at which checkpoints of finished trials were last removed.
    checkpoints_removed: Instant,
    lock: Arc<Lock>,
}

impl Store {
    /// Returns the folder of the experiment or of the shard.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder in it with all that this store found and wrote, and nothing of other
    /// stores.
    pub(crate) fn work(&self) -> &Path {
        &self.work
    }

    /// Returns the lock of the folder that the store writes to. It is held until the store and all
    /// that this returned are dropped.
    pub(crate) fn lock(&self) -> Arc<Lock> {
        Arc::clone(&self.lock)
    }

    /// Returns all trials that are finished by now.
    #[must_use]
    pub fn finished(&self) -> &Finished {
        &self.finished
    }

    /// Takes note that trials of the builds that are there and of the one that is about to run may
    /// be in one folder.
    ///
    /// # Errors
    /// Returns an error if the plan cannot be written.
    pub fn accept_plugins(&mut self) -> Result<(), ResultsError> {
        let mut plugins = self.plugins.clone();
        plugins.insert(self.spec.build());
        if self.planned_plugins == plugins { Ok(()) } else { self.write_plan(plugins) }
    }

    /// Writes the plan of the trials. `plugins`: the builds that may have made them.
    fn write_plan(&mut self, plugins: BTreeSet<String>) -> Result<(), ResultsError> {
        let plan = plan_file::to_json(&self.spec, self.share.as_ref(), plugins.clone());
        if self.attempt.is_some() {
            write_atomically(&self.work.join(PARTS).join(PLAN), &plan)?;
        }
        write_atomically(&self.folder.join(PARTS).join(PLAN), &plan)?;
        self.planned_plugins = plugins;
        Ok(())
    }

    /// Sets how many trials of each arm the tables are to have: no more and no fewer.
    pub fn want(&mut self, trials: Vec<u64>) {
        Arc::make_mut(&mut self.spec).limits = Some(trials);
    }

    /// Takes segments of other folders into the tables. `finished`: their trials. `plugins`: the
    /// builds that made them.
    pub(crate) fn invite(
        &mut self,
        segments: Vec<Segment>,
        finished: &Finished,
        plugins: BTreeSet<String>,
    ) {
        self.guests.extend(segments);
        self.finished.extend(finished);
        self.plugins.extend(plugins);
    }

    /// Takes a copy of a segment of another folder, whose trials count once the store is opened
    /// anew.
    pub(crate) fn adopt(&mut self, segment: &Path) -> Result<(), ResultsError> {
        let number = self.take_number();
        take(segment, &segment_path(&self.work, number)).map(|_| ())
    }

    /// Returns the tables in the folder: the finished ones, then the parts.
    pub(crate) fn sets(&self) -> Vec<TableSet> {
        let tables = TableSet::tables(&self.work);
        let there = tables.path(Table::Trials).exists().then_some(tables);
        there.into_iter().chain(self.parts.iter().cloned()).collect()
    }

    /// Segments that it found or wrote.
    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    fn take_number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number - 1
    }

    /// Returns the encoder of records, for use on any thread.
    pub(crate) fn encoder(&self) -> Arc<EntryWriter> {
        Arc::clone(&self.encoder)
    }

    /// Checks that these are records of trials of this experiment.
    ///
    /// # Errors
    /// Returns an error if one is of no arm, of no trial of its arm, or has another seed.
    pub fn check(&self, records: &[TrialRecord]) -> Result<(), ResultsError> {
        self.encoder.check(records)
    }

    /// Takes finished trials, in any order; a trial that is finished already is ignored.
    ///
    /// # Errors
    /// Returns an error if a record is of no trial of this experiment, or a file cannot be written.
    pub fn append(&mut self, records: Vec<TrialRecord>) -> Result<(), ResultsError> {
        let batch = self.encoder.prepare(records)?;
        self.take(batch)
    }

    /// Takes records that were made ready.
    pub(crate) fn take(&mut self, batch: Batch) -> Result<(), ResultsError> {
        let Batch { records, frames } = batch;
        if records.is_empty() {
            return Ok(());
        }
        if self.journal.length() == 0 {
            self.plugins.insert(self.spec.build());
            self.withdraw_summary()?;
        }
        self.journal.append(&frames)?;
        for (record, entry) in records.iter().zip(frame::bodies(&frames)) {
            self.journalled.push(record.arm, record.trial, entry);
        }
        self.changed = true;
        let is_next = |one: &TrialRecord, other: &TrialRecord| {
            one.arm == other.arm && one.trial.checked_add(1) == Some(other.trial)
        };
        for run in records.chunk_by(is_next) {
            self.finished.insert_run(run[0].arm, run[0].trial..run[run.len() - 1].trial + 1);
        }
        if self.journal.length() >= FULL { self.seal() } else { Ok(()) }
    }

    /// Flushes trials that finished more than a second ago. To be called at least a few times a
    /// second.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written, or the folder is no longer there.
    pub fn flush_if_due(&mut self) -> Result<(), ResultsError> {
        if self.sealing.as_ref().is_some_and(JoinHandle::is_finished) {
            self.settle()?;
        }
        if self.journal.flush_every(FLUSH_EVERY)? {
            self.check_in_place()?;
        }
        self.remove_checkpoints_if_due()
    }

    /// Checks that the folder is still where it was opened. Another run may have made a new one of
    /// its name meanwhile, whose files must not be taken for its own.
    fn check_in_place(&self) -> Result<(), ResultsError> {
        match self.journal.is_in_place() {
            true => Ok(()),
            false => Err(ResultsError::Moved { folder: self.folder.clone() }),
        }
    }

    /// Flushes all finished trials to the disk.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written, or the folder is no longer there.
    pub fn flush(&mut self) -> Result<(), ResultsError> {
        self.journal.flush_every(Duration::ZERO)?;
        self.check_in_place()
    }

    /// Begins a new journal, and has a thread make a segment of the old one.
    pub(crate) fn seal(&mut self) -> Result<(), ResultsError> {
        self.settle()?;
        if self.journal.length() == 0 {
            return Ok(());
        }
        self.check_in_place()?;
        let number = self.take_number();
        let journal = rotated_path(&self.work, number);
        self.journal.rotate(&journal)?;
        let (path, origin) = (segment_path(&self.work, number), self.origin());
        let entries = Arc::new(std::mem::take(&mut self.journalled));
        let work = move || {
            let segment = segment::write_entries(&path, &origin, &entries)?;
            remove_if_there(&journal)?;
            Ok(segment)
        };
        match Builder::new().name("segment".to_owned()).spawn(work.clone()) {
            Ok(thread) => self.sealing = Some(thread),
            // The system has no thread to spare.
            Err(_) => self.segments.push(work()?),
        }
        Ok(())
    }

    /// Waits until no journal is becoming a segment.
    fn settle(&mut self) -> Result<(), ResultsError> {
        if let Some(thread) = self.sealing.take() {
            let segment = thread.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            self.segments.push(segment);
        }
        Ok(())
    }

    /// Returns the origin of the rows of the store's files.
    fn origin(&self) -> Origin {
        Origin { plugins: self.plugins.clone(), ..self.origin.clone() }
    }

    /// Returns the trials of the journal, in order.
    fn journalled(&self) -> Result<Option<Segment>, ResultsError> {
        if self.journalled.is_empty() {
            return Ok(None);
        }
        let origin = self.origin();
        segment::in_memory(self.journal.path(), &origin, self.journalled.sorted()).map(Some)
    }

    /// Removes the summary of the trials that were asked for before. A summary has all trials that
    /// are asked for now, or there is none.
    fn withdraw_summary(&self) -> Result<(), ResultsError> {
        remove_if_there(&TableSet::tables(&self.work).path(Table::Summary))
    }

    /// Leaves segments and journal: the next run goes on from them. For a run that was interrupted,
    /// and for a shard, whose segments are published.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written.
    pub fn close(mut self) -> Result<(), ResultsError> {
        self.flush()?;
        self.settle()?;
        self.remove_checkpoints()?;
        match self.attempt.take() {
            Some(attempt) => self.publish(attempt),
            None => Ok(()),
        }
    }

    /// Writes the final tables, in plan order, and removes segments and journal. Before the tables
    /// get their names, they are read once more, and each trial that is asked for must be in them.
    /// Tables that are there already stay, and only the summary is written anew. `report` receives
    /// the share of the trials whose rows are written, now and then.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written, or a trial is missing. Every finished
    /// trial is still on the disk then.
    pub fn finish(mut self, report: &mut dyn FnMut(f64)) -> Result<SummaryTable, ResultsError> {
        self.flush()?;
        self.settle()?;
        return_large_blocks();
        let mut segments = self.segments.clone();
        segments.extend(self.guests.iter().cloned());
        segments.extend(self.journalled()?);
        let origin = self.origin();
        let tables = TableSet::tables(&self.work);
        let path = tables.path(Table::Summary);
        let write_summary = |summary: &SummaryTable, trials| {
            let table = write_summary(summary, &path, &self.schema, &origin, trials)?;
            table.check(Table::Summary)?;
            table.publish()
        };
        let summary = if let Some(trials) = self.written_before(&origin) {
            let summary = self.sum_up(&[], report)?;
            self.check_in_place()?;
            write_summary(&summary, trials)?;
            summary
        } else {
            let mut check = CompletenessCheck::new(&self.spec, report);
            let (summary, written) = self.write_tables(&segments, &tables, &origin, &mut check)?;
            check.finish(&self.work)?;
            written.check()?;
            self.check_in_place()?;
            write_summary(&summary, written.trials.checksum)?;
            written.publish()?;
            summary
        };
        self.check_in_place()?;
        self.end_parts()?;
        Ok(summary)
    }

    /// Removes the folder of parts, once the tables have all that was in it.
    fn end_parts(&self) -> Result<(), ResultsError> {
        self.parts.iter().try_for_each(TableSet::remove)?;
        self.segments.iter().try_for_each(|segment| remove_if_there(&segment.path))?;
        remove_if_there(self.journal.path())?;
        self.remove_all_checkpoints()?;
        let parts = self.work.join(PARTS);
        remove_if_there(&parts.join(PLAN))?;
        // Whatever else someone put there stays, and the folder with it.
        _ = fs::remove_dir(&parts);
        Ok(())
    }
}
