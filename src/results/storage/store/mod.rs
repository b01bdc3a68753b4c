//! The store: where a run's records go, and where a later run finds them.
//!
//! While a run lasts, finished trials go to a journal at once and then to part files: whole blocks
//! each to a set of its own as they will be in the tables, encoded by whatever worker has time, and
//! what comes slowly each second. Eight parts of a level are folded into one of the next, so that
//! their number grows with the logarithm of the run's length. At the end all is merged into the
//! tables. Every file appears whole or not at all, its companions (generations, timings) before its
//! trials, and what it replaces goes last: killed at any point, the folder holds each finished
//! trial at least once, and readers take each but once.

mod intake;
mod open;
mod parts;
mod pieces;
mod publish;
mod tables;
mod underway;
mod waiting;

pub(crate) use intake::{Batch, Intake};
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
use crate::results::storage::errands::Errands;
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::{JOURNAL, PARTS, PLAN, TableSet};
use crate::results::storage::journal::Journal;
use crate::results::storage::lock::Lock;
use crate::results::storage::metadata::Origin;
use crate::results::storage::plan_file::PlanFile;
use crate::results::storage::summary::write_summary;
use crate::results::storage::writer::GroupSize;
use parts::Kept;
use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use underway::Underway;
use waiting::Waiting;

/// Finished trials are on the disk after at most this long: in a part, or in the journal.
const FLUSH_EVERY: Duration = Duration::from_secs(1);
/// As long as fewer rows came in that time, they make a part. More wait for their blocks to be
/// whole, and the journal is flushed.
const FEW_ROWS: usize = 4_096;
/// Rows (of trials and of their traces) and genes that are not kept waiting for the second to pass.
const MOST_ROWS: usize = 120_000;
const MOST_GENES: usize = 1 << 22;
/// Beyond this length the journal is shortened as soon as no part is under way, and beyond twice as
/// much at once.
const JOURNAL_LENGTH: u64 = 1 << 24;

/// An experiment's results folder, open for writing by this process alone.
pub struct Store {
    spec: Arc<ResultsSpec>,
    share: Option<Share>,
    schema: Arc<TableSchema>,
    /// The folder of the experiment or of the shard.
    folder: PathBuf,
    /// Where it writes: the same, or the attempt's.
    work: PathBuf,
    /// At a shard.
    attempt: Option<Attempt>,
    journal: Journal,
    intake: Arc<Intake>,
    /// Without the builds.
    origin: Origin,
    finished: Finished,
    /// The builds of the plugin that made the finished trials, and those of them that wait.
    plugins: BTreeSet<String>,
    waiting_plugins: BTreeSet<String>,
    /// Builds that the plan says may have made parts.
    planned_plugins: BTreeSet<String>,
    waiting: Waiting,
    errands: Arc<Errands>,
    /// What was left to whoever has time, the oldest first.
    underway: VecDeque<Underway>,
    /// What is on the disk already, if that is all there is and not too much.
    kept: Option<Kept>,
    /// Whether there is more or less than what was found.
    changed: bool,
    parts: Vec<TableSet>,
    /// Sets of other folders that the tables are to have too.
    guests: Vec<TableSet>,
    next_part: u64,
    /// The number of the first part that it wrote itself.
    first_part: u64,
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
        if self.planned_plugins == plugins { Ok(()) } else { self.write_plan(plugins) }
    }

    /// Says in the folder what its parts are of. `plugins`: the builds that may have made them.
    fn write_plan(&mut self, plugins: BTreeSet<String>) -> Result<(), ResultsError> {
        let plan = PlanFile::new(&self.spec, self.share.as_ref(), plugins.clone()).to_json();
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

    /// Where the rows of its files come from. `plugins`: the builds that made them.
    fn origin(&self, plugins: BTreeSet<String>) -> Origin {
        Origin { plugins, ..self.origin.clone() }
    }

    /// A number for one more part.
    fn take_number(&mut self) -> u64 {
        self.next_part += 1;
        self.next_part - 1
    }

    /// Makes records ready to be taken in, on any thread.
    pub(crate) fn intake(&self) -> Arc<Intake> {
        Arc::clone(&self.intake)
    }

    /// What others may do for it.
    pub(crate) fn errands(&self) -> Arc<Errands> {
        Arc::clone(&self.errands)
    }

    /// Whether these are records of trials that this experiment has.
    ///
    /// # Errors
    /// If one is of no arm, of no trial of its arm, or has another seed.
    pub fn check(&self, records: &[TrialRecord]) -> Result<(), ResultsError> {
        self.intake.check(records)
    }

    /// Takes finished trials, in any order; a trial that is finished already is ignored. Writes
    /// them once enough wait.
    ///
    /// # Errors
    /// If a record is of no trial of this experiment, or a part file cannot be written.
    pub fn append(&mut self, records: Vec<TrialRecord>) -> Result<(), ResultsError> {
        let batch = self.intake.prepare(records)?;
        self.take(batch)
    }

    /// The same with records that were made ready.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn take(&mut self, batch: Batch) -> Result<(), ResultsError> {
        let Batch { records, entries } = batch;
        self.journal.append(&entries)?;
        if !records.is_empty() && self.waiting_plugins.is_empty() {
            self.waiting_plugins.insert(self.spec.build());
        }
        self.wait_for_parts(records);
        while let Some((records, size)) = self.waiting.take_whole() {
            self.begin_block(records, size)?;
        }
        if self.waiting.size.rows >= MOST_ROWS || self.waiting.size.genes >= MOST_GENES {
            self.flush()?;
        }
        Ok(())
    }

    /// Takes note of trials that are not finished yet.
    fn wait_for_parts(&mut self, mut records: Vec<TrialRecord>) {
        let is_next = |one: &TrialRecord, other: &TrialRecord| {
            one.arm == other.arm && one.trial.checked_add(1) == Some(other.trial)
        };
        let mut new = 0;
        for run in records.chunk_by(is_next) {
            let (arm, trials) = (run[0].arm, run[0].trial..run[run.len() - 1].trial + 1);
            if self.finished.count_among(arm, trials.clone()) > 0 {
                break;
            }
            self.finished.insert_run(arm, trials);
            new += run.len();
        }
        let mut others = records.split_off(new);
        others.retain(|TrialRecord { arm, trial, .. }| self.finished.insert(*arm, *trial));
        records.append(&mut others);
        self.waiting.push(records);
    }

    /// Puts on the disk what has waited for a second, and takes in what others have done. To be
    /// called at least a few times a second.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn flush_if_due(&mut self) -> Result<(), ResultsError> {
        self.take_done()?;
        if self.waiting.longest().is_none_or(|age| age < FLUSH_EVERY) {
            return Ok(());
        }
        match self.waiting.size.rows < FEW_ROWS {
            true => self.flush(),
            false => self.journal.flush_every(FLUSH_EVERY),
        }
    }

    /// Writes what waits to a part file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn flush(&mut self) -> Result<(), ResultsError> {
        self.settle_parts()?;
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.changed = true;
        let number = self.take_number();
        let set = TableSet::part(&self.work, 0, number);
        let (records, size) = self.waiting.take_all();
        let plugins = std::mem::take(&mut self.waiting_plugins);
        let origin = self.origin(plugins);
        self.write(&set, &records, &origin, GroupSize::PART)?.publish()?;
        self.plugins.extend(origin.plugins);
        self.journal.clear()?;
        self.keep(records, size);
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
        self.settle()?;
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
        self.settle()?;
        self.fold_guests()?;
        let origin = self.origin(self.plugins.clone());
        let mut check = CompletenessCheck::new(&self.spec);
        let (figures, tables) = match self.kept.take() {
            Some(kept) => self.write_kept(kept.records, &origin, &mut check)?,
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
