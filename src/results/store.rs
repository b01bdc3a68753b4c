//! The store: where a run's records go, and where a later run finds them.
//!
//! While a run lasts, finished trials go to a journal at once and to part files, one set a second; eight parts of a level are folded
//! into one of the next, so that their number grows with the logarithm of the run's length. At the end all is merged
//! into the tables. Every file appears whole or not at all, its companions (generations, timings) before its trials, and
//! what it replaces goes last: killed at any point, the folder holds each finished trial at least once, and readers take
//! each but once.

use super::columns::Table;
use super::error::ResultsError;
use super::file::{GroupSize, RowWriter, Written, write_atomically, write_rows};
use super::finished::Finished;
use super::folder::{self, Aside, JOURNAL, Lock, PARTS, PLAN, SUPERSEDED, Unit};
use super::journal::{self, Journal};
use super::layout::{Layout, Shape};
use super::merge::{Source, merge, merge_arm};
use super::plan_file::PlanFile;
use super::row::{GenerationRow, Row, TimingRow};
use super::summary::{ArmSummary, SummaryTable, Tally};
use super::triage::triage;
use crate::experiment::Trace;
use crate::record::TrialRecord;
use crate::shard::Shard;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Finished trials are on the disk after at most this long.
const FLUSH_EVERY: Duration = Duration::from_secs(1);
/// Buffered rows (of trials and of their traces) and genes that are not kept waiting for the second to pass.
const BUFFER_ROWS: usize = 50_000;
const BUFFER_GENES: usize = 1 << 22;
/// Rows and genes of a run that stay in memory until its end, so that its tables need not be read from the parts.
const KEPT_ROWS: usize = 100_000;
const KEPT_GENES: usize = 1 << 22;
/// Parts of one level that are folded into one.
const FOLD: usize = 8;

/// An experiment's results folder, open for writing by this process alone.
pub struct Store {
    layout: Layout,
    shape: Shape,
    folder: PathBuf,
    journal: Journal,
    finished: Finished,
    buffer: Vec<TrialRecord>,
    buffered_rows: usize,
    buffered_genes: usize,
    flushed: Instant,
    /// What is on the disk already, if that is all there is and not too much.
    kept: Option<Kept>,
    parts: Vec<Unit>,
    next_part: u64,
    _lock: Lock,
}

/// Records in memory, and their size.
#[derive(Default)]
struct Kept {
    records: Vec<TrialRecord>,
    rows: usize,
    genes: usize,
}

/// A store, and what it found in its folder.
pub struct Opened {
    pub store: Store,
    /// Trials that need not be run.
    pub finished: Finished,
    /// What was moved aside and why, in words for the user.
    pub notices: Vec<String>,
}

impl Store {
    /// Opens `out_dir/<experiment>/`, makes it if need be, and sorts what is there: trials that the layout asks for count
    /// as finished; those that it does not are moved to `superseded/`, unreadable files to `damaged/`.
    ///
    /// # Errors
    /// If another process holds the folder, it is a symbolic link, or its files cannot be read, moved or written.
    pub fn open(out_dir: &Path, layout: &Layout) -> Result<Opened, ResultsError> {
        Store::open_shard(out_dir, layout, None)
    }

    /// The same for the folder of a shard.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_shard(out_dir: &Path, layout: &Layout, shard: Option<Shard>) -> Result<Opened, ResultsError> {
        let folder =
            out_dir.join(shard.map_or_else(|| layout.experiment.clone(), |one| one.folder(&layout.experiment)));
        let fixed = |key: &str| {
            Table::ALL.iter().filter(|table| table.describes_arms()).any(|t| t.columns().iter().any(|c| c.name == key))
        };
        if let Some(key) = layout.swept_keys.iter().find(|key| fixed(key)) {
            return Err(ResultsError::Column { path: folder, key: key.clone() });
        }
        folder::create_folder(&folder)?;
        let lock = Lock::take(&folder, &holder())?;
        let parts = folder.join(PARTS);
        fs::create_dir_all(&parts).map_err(ResultsError::writing(&parts, "create the folder"))?;
        folder::remove_unfinished(&folder)?;
        folder::remove_unfinished(&parts)?;
        let shape = layout.shape();
        let found = triage(&folder, layout, &shape)?;
        write_atomically(&parts.join(PLAN), &PlanFile::new(layout, shard).to_json())?;
        let next_part = found.parts.iter().filter_map(|unit| unit.part).map(|(_, number)| number + 1).max();
        let fresh = found.parts.is_empty() && !Unit::tables(&folder).path(Table::Trials).exists();
        let path = parts.join(JOURNAL);
        let journalled = journal::read(&path, layout)?;
        let mut notices = found.notices;
        if journalled.stale > 0 {
            let mut aside = Aside::new(&folder, SUPERSEDED);
            fs::copy(&path, aside.folder()?.join(JOURNAL)).map_err(ResultsError::writing(&path, "copy the journal"))?;
            let folder = aside.folder()?.display();
            notices.push(format!("{} trials moved to {folder}: the config no longer asks for them", journalled.stale));
        }
        let mut store = Store {
            layout: layout.clone(),
            journal: Journal::open(&path)?,
            shape,
            folder,
            finished: found.finished,
            buffer: Vec::new(),
            buffered_rows: 0,
            buffered_genes: 0,
            flushed: Instant::now(),
            kept: fresh.then(Kept::default),
            parts: found.parts,
            next_part: next_part.unwrap_or(0),
            _lock: lock,
        };
        // What a killed run had only in its journal becomes a part before the journal is used again.
        store.buffer(journalled.records);
        store.flush()?;
        store.journal.clear()?;
        let finished = store.finished.clone();
        Ok(Opened { store, finished, notices })
    }

    /// The experiment's folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All trials that are finished by now, whether on the disk yet or not.
    #[must_use]
    pub fn finished(&self) -> &Finished {
        &self.finished
    }

    /// A number for one more part.
    pub(super) fn take_number(&mut self) -> u64 {
        self.next_part += 1;
        self.next_part - 1
    }

    /// Takes finished trials, in any order; a trial that is finished already is ignored. Writes them once enough wait.
    ///
    /// # Errors
    /// If a part file cannot be written.
    pub fn append(&mut self, records: Vec<TrialRecord>) -> Result<(), ResultsError> {
        self.journal.append(&records, &self.layout)?;
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
                self.buffered_genes += record.weight();
                self.buffer.push(record);
            }
        }
    }

    /// Writes what waits if the last time was a second ago. To be called at least a few times a second.
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
        self.buffer.sort_unstable_by_key(Row::key);
        let number = self.take_number();
        let unit = Unit::part(&self.folder, 0, number);
        let records = std::mem::take(&mut self.buffer);
        self.write(&unit, &records, GroupSize::PART)?.publish()?;
        self.journal.clear()?;
        self.keep(records);
        self.parts.push(unit);
        self.fold()
    }

    /// Writes the tables of these trials, which are in order, under names that are not theirs yet.
    fn write(&self, unit: &Unit, records: &[TrialRecord], size: GroupSize) -> Result<Tables, ResultsError> {
        let shape = &self.shape;
        let timing = |record: &TrialRecord| TimingRow { arm: record.arm, trial: record.trial, timing: record.timing };
        let timings: Vec<TimingRow> = records.iter().map(timing).collect();
        // The tables beside each other: on short trials this is what the end of a run waits for.
        let (trials, timings, generations) = std::thread::scope(|scope| {
            let timings = scope.spawn(|| write_rows(&unit.path(Table::Timings), &timings, shape, size));
            let generations = (shape.trace != Trace::None).then(|| {
                scope.spawn(|| {
                    let mut writer = RowWriter::create(&unit.path(Table::Generations), shape, size)?;
                    for TrialRecord { arm, trial, trace, .. } in records {
                        for figures in trace {
                            writer.push(GenerationRow { arm: *arm, trial: *trial, figures: *figures })?;
                        }
                    }
                    writer.finish()
                })
            });
            let trials = write_rows(&unit.path(Table::Trials), records, shape, size);
            (trials, timings.join(), generations.map(|thread| thread.join()))
        });
        let whole = |joined: std::thread::Result<_>| joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let (trials, timings) = (trials?, whole(timings)?);
        let generations = generations.map(whole).transpose()?;
        Ok(Tables { generations, timings, trials })
    }

    /// Keeps what was written for the end of the run, unless it grows too large.
    fn keep(&mut self, mut records: Vec<TrialRecord>) {
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
    fn fold(&mut self) -> Result<(), ResultsError> {
        let level_of = |unit: &Unit| unit.part.map_or(0, |(level, _)| level);
        let mut level = 0;
        while self.parts.iter().any(|unit| level_of(unit) >= level) {
            let folded: Vec<Unit> = self.parts.iter().filter(|unit| level_of(unit) == level).cloned().collect();
            if folded.len() >= FOLD {
                let number = self.take_number();
                let unit = Unit::part(&self.folder, level + 1, number);
                let trials = self.merge_into::<TrialRecord>(&folded, &unit, GroupSize::PART)?;
                let generations = match self.shape.trace {
                    Trace::None => None,
                    _ => Some(self.merge_into::<GenerationRow>(&folded, &unit, GroupSize::PART)?),
                };
                let timings = self.merge_into::<TimingRow>(&folded, &unit, GroupSize::PART)?;
                Tables { generations, timings, trials }.publish()?;
                folded.iter().try_for_each(Unit::remove)?;
                self.parts.retain(|unit| !folded.contains(unit));
                self.parts.push(unit);
            }
            level += 1;
        }
        Ok(())
    }

    fn sources<R: Row>(&self, units: &[Unit]) -> Result<Vec<Source<R>>, ResultsError> {
        open_sources(units, &self.shape)
    }

    fn merge_into<R: Row>(&self, units: &[Unit], into: &Unit, size: GroupSize) -> Result<Written, ResultsError> {
        let mut writer = RowWriter::<R>::create(&into.path(R::TABLE), &self.shape, size)?;
        let keep = |arm, trial| self.finished.contains(arm, trial);
        merge(&mut self.sources::<R>(units)?, self.shape.arms.len(), keep, |row| writer.push(row))?;
        writer.finish()
    }

    /// Writes what waits and leaves the parts: the next run goes on from them. For a run that was interrupted.
    ///
    /// # Errors
    /// If a part file cannot be written.
    pub fn close(mut self) -> Result<(), ResultsError> {
        self.flush()
    }

    /// Merges all parts and earlier tables into the final tables, in plan order, and removes the parts.
    ///
    /// # Errors
    /// If a file cannot be read or written; every finished trial is still on the disk then.
    pub fn finish(mut self) -> Result<SummaryTable, ResultsError> {
        self.flush()?;
        let (figures, tables) = match self.kept.take() {
            Some(kept) => self.write_tables(kept.records)?,
            None => self.merge_tables()?,
        };
        let mut figures = figures;
        if let Some(enough) = &self.layout.enough {
            figures.iter_mut().for_each(|arm| arm.sequence = enough.interval(arm.successes, arm.trials));
        }
        let summary = SummaryTable::new(&self.shape, figures);
        summary.write(&Unit::tables(&self.folder).path(Table::Summary), &self.shape)?.publish()?;
        tables.publish()?;
        self.parts.iter().try_for_each(Unit::remove)?;
        let parts = self.folder.join(PARTS);
        folder::remove_if_there(&parts.join(JOURNAL))?;
        folder::remove_if_there(&parts.join(PLAN))?;
        // Whatever else someone put there stays, and the folder with it.
        _ = fs::remove_dir(&parts);
        Ok(summary)
    }

    /// Writes the final tables from memory.
    fn write_tables(&self, mut records: Vec<TrialRecord>) -> Result<(Vec<ArmSummary>, Tables), ResultsError> {
        records.sort_unstable_by_key(Row::key);
        let mut figures = Vec::new();
        let mut rest = &records[..];
        for (arm, row) in self.shape.arms.iter().enumerate() {
            let count = rest.iter().take_while(|record| record.arm == arm).count();
            let mut tally = Tally::default();
            rest[..count].iter().for_each(|record| tally.add(record));
            figures.push(tally.finish(row.id));
            rest = &rest[count..];
        }
        let tables = self.write(&Unit::tables(&self.folder), &records, GroupSize::TABLE)?;
        Ok((figures, tables))
    }

    /// Writes the final tables from the parts and the earlier tables.
    fn merge_tables(&self) -> Result<(Vec<ArmSummary>, Tables), ResultsError> {
        let tables = Unit::tables(&self.folder);
        let mut units = vec![tables.clone()];
        units.extend(self.parts.iter().cloned());
        let mut sources = self.sources::<TrialRecord>(&units)?;
        let mut writer = RowWriter::<TrialRecord>::create(&tables.path(Table::Trials), &self.shape, GroupSize::TABLE)?;
        let mut figures = Vec::new();
        for arm in 0..self.shape.arms.len() {
            let mut tally = Tally::default();
            merge_arm(&mut sources, arm, &|_, _| true, &mut |trial: TrialRecord| {
                tally.add(&trial);
                writer.push(trial)
            })?;
            figures.push(tally.finish(self.shape.arms[arm].id));
        }
        let trials = writer.finish()?;
        drop(sources);
        let generations = match self.shape.trace {
            Trace::None => None,
            _ => Some(self.merge_into::<GenerationRow>(&units, &tables, GroupSize::TABLE)?),
        };
        let timings = self.merge_into::<TimingRow>(&units, &tables, GroupSize::TABLE)?;
        Ok((figures, Tables { generations, timings, trials }))
    }
}

/// Tables that are written but do not have their names yet.
struct Tables {
    generations: Option<Written>,
    timings: Written,
    trials: Written,
}

impl Tables {
    /// Companions first: a trial counts as finished once its row is there, so all else must be by then.
    fn publish(self) -> Result<(), ResultsError> {
        self.generations.map_or(Ok(()), Written::publish)?;
        self.timings.publish()?;
        self.trials.publish()
    }
}

/// Opens a table of these units, where they have it.
pub(crate) fn open_sources<R: Row>(units: &[Unit], shape: &Shape) -> Result<Vec<Source<R>>, ResultsError> {
    let mut sources = Vec::new();
    for unit in units {
        let path = unit.path(R::TABLE);
        match Source::open(&path, shape) {
            Ok(source) => sources.push(source),
            // The first run has no tables yet, and timings that could not be read were set aside.
            Err(super::file::Refusal::Missing) => {}
            Err(refusal) => return Err(refusal.into_error(&path)),
        }
    }
    Ok(sources)
}

/// Who holds the lock, in words.
fn holder() -> String {
    let host = super::provenance::host_name().unwrap_or_else(|| "this host".to_owned());
    format!("process {} on {host}, since {}", std::process::id(), super::provenance::now())
}
