//! The store: where a run's records go, and where a later run finds them.
//!
//! While a run lasts, finished trials go to a journal at once and to part files, one set a second;
//! eight parts of a level are folded into one of the next, so that their number grows with the
//! logarithm of the run's length. At the end all is merged into the tables. Every file appears
//! whole or not at all, its companions (generations, timings) before its trials, and what it
//! replaces goes last: killed at any point, the folder holds each finished trial at least once, and
//! readers take each but once.

use crate::analysis::{SummaryTable, Summed, Tally};
use crate::plan::ResultsSpec;
use crate::plan::settings::Trace;
use crate::plan::shard::Shard;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::row::{GenerationRow, Row, TimingRow};
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::file::{GroupSize, RowWriter, Written, write_atomically, write_rows};
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::{
    self, Aside, DAMAGED, JOURNAL, Lock, PARTS, PLAN, SUPERSEDED, Unit,
};
use crate::results::storage::journal::{self, Journal};
use crate::results::storage::label::Origin;
use crate::results::storage::merge::{Source, merge, merge_arm};
use crate::results::storage::plan_file::PlanFile;
use crate::results::storage::reader::Refusal;
use crate::results::storage::roll::Roll;
use crate::results::storage::summary::write_summary;
use crate::results::storage::triage::triage;
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
/// Rows and genes of a run that stay in memory until its end, so that its tables need not be read
/// from the parts.
const KEPT_ROWS: usize = 100_000;
const KEPT_GENES: usize = 1 << 22;
/// Parts of one level that are folded into one.
const FOLD: usize = 8;

/// An experiment's results folder, open for writing by this process alone.
pub struct Store {
    spec: ResultsSpec,
    shard: Option<Shard>,
    schema: TableSchema,
    folder: PathBuf,
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
    /// The builds of the plugin that made them: the BLAKE3 of its library, in hex.
    pub plugins: BTreeSet<String>,
    /// Those that an earlier run found there or was told to accept.
    pub known_plugins: BTreeSet<String>,
    /// What was moved aside and why, in words for the user.
    pub notices: Vec<String>,
}

impl Store {
    /// Opens `out_dir/<experiment>/`, makes it if need be, and sorts what is there: trials that the
    /// layout asks for count as finished; those that it does not are moved to `superseded/`,
    /// unreadable files to `damaged/`.
    ///
    /// # Errors
    /// If another process holds the folder, it is a symbolic link, or its files cannot be read,
    /// moved or written.
    pub fn open(out_dir: &Path, spec: &ResultsSpec) -> Result<Opened, ResultsError> {
        Store::open_shard(out_dir, spec, None)
    }

    /// The same for the folder of a shard.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_shard(
        out_dir: &Path,
        spec: &ResultsSpec,
        shard: Option<Shard>,
    ) -> Result<Opened, ResultsError> {
        let folder = out_dir.join(
            shard.map_or_else(|| spec.experiment.clone(), |one| one.folder(&spec.experiment)),
        );
        let fixed = |key: &str| {
            Table::ALL
                .iter()
                .filter(|table| table.describes_arms())
                .any(|t| t.columns().iter().any(|c| c.name == key))
        };
        if let Some(key) = spec.swept_keys.iter().find(|key| fixed(key)) {
            return Err(ResultsError::Column { path: folder, key: key.clone() });
        }
        folder::create_folder(&folder)?;
        let lock = Lock::take(&folder, &holder())?;
        let parts = folder.join(PARTS);
        fs::create_dir_all(&parts).map_err(ResultsError::writing(&parts, "create the folder"))?;
        folder::remove_unfinished(&folder)?;
        folder::remove_unfinished(&parts)?;
        let schema = TableSchema::of(spec);
        // All that can fail to be read is read before anything is moved.
        let (plan, path) = (parts.join(PLAN), parts.join(JOURNAL));
        let before = match PlanFile::read(&plan) {
            Ok(before) => before.map(|plan| (plan.origin.plugin.blake3, plan.origin.plugins)),
            // It is about to be written anew.
            Err(ResultsError::Unreadable { .. }) => None,
            Err(error) => return Err(error),
        };
        let journalled = journal::read(&path, spec)?;
        let found = triage(&folder, spec, &schema)?;
        let (before, known_plugins) =
            before.map_or((None, found.tables_plugins), |(last, all)| (Some(last), all));
        write_atomically(&plan, &PlanFile::new(spec, shard, known_plugins.clone()).to_json())?;
        let next_part =
            found.parts.iter().filter_map(|unit| unit.part).map(|(_, number)| number + 1).max();
        let fresh = found.parts.is_empty() && found.finished.total() == 0;
        let mut notices = found.notices;
        let copy = |name: &str| -> Result<PathBuf, ResultsError> {
            let mut aside = Aside::new(&folder, name);
            fs::copy(&path, aside.folder()?.join(JOURNAL))
                .map_err(ResultsError::writing(&path, "copy the journal"))?;
            aside.folder().map(Path::to_owned)
        };
        if journalled.stale > 0 {
            let to = copy(SUPERSEDED)?;
            let to = to.display();
            notices.push(format!(
                "{} trials moved to {to}: the config no longer asks for them",
                journalled.stale
            ));
        }
        if journalled.damaged > 0 {
            let (to, bytes) = (copy(DAMAGED)?, journalled.damaged);
            notices.push(format!(
                "{}: {bytes} bytes cannot be read (they are not those that were written); copied \
                to {}, the trials that they held are run again",
                path.display(),
                to.display()
            ));
        }
        // The journal names builds by their first digits: those that can have written it are known.
        let known: Vec<&String> =
            [&spec.plugin.blake3].into_iter().chain(&before).chain(&found.plugins).collect();
        let name = |start: &u64| {
            let known = known.iter().find(|hex| journal::build(hex) == *start);
            known.map_or_else(|| format!("{start:016x}"), |hex| (*hex).clone())
        };
        let journal_plugins: BTreeSet<String> = journalled.plugins.iter().map(name).collect();
        let mut store = Store {
            spec: spec.clone(),
            shard,
            journal: Journal::open(&path, &spec.plugin.blake3)?,
            schema,
            folder: folder.clone(),
            finished: found.finished,
            plugins: found.plugins.clone(),
            buffer_plugins: BTreeSet::new(),
            buffer: Vec::new(),
            buffered_rows: 0,
            buffered_genes: 0,
            flushed: Instant::now(),
            kept: fresh.then(Kept::default),
            parts: found.parts,
            next_part: next_part.unwrap_or(0),
            _lock: lock,
        };
        // What a killed run had only in its journal becomes a part before the journal is used
        // again.
        store.buffer(journalled.records);
        if !store.buffer.is_empty() {
            store.buffer_plugins = journal_plugins;
        }
        store.flush()?;
        store.journal.clear()?;
        let (finished, plugins) = (store.finished.clone(), store.plugins.clone());
        Ok(Opened { store, finished, plugins, known_plugins, notices })
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

    /// Takes note that trials of the builds that are there and of the one that is about to run may
    /// stand beside each other.
    ///
    /// # Errors
    /// If the plan cannot be written.
    pub fn accept_plugins(&mut self) -> Result<(), ResultsError> {
        let mut plugins = self.plugins.clone();
        plugins.insert(self.spec.plugin.blake3.clone());
        let plan = PlanFile::new(&self.spec, self.shard, plugins).to_json();
        write_atomically(&self.folder.join(PARTS).join(PLAN), &plan)
    }

    /// Sets how many trials of each arm the tables are to have: no more and no fewer.
    pub fn want(&mut self, trials: Vec<u64>) {
        self.spec.limits = Some(trials);
    }

    /// A number for one more part.
    pub(crate) fn take_number(&mut self) -> u64 {
        self.next_part += 1;
        self.next_part - 1
    }

    /// Takes finished trials, in any order; a trial that is finished already is ignored. Writes
    /// them once enough wait.
    ///
    /// # Errors
    /// If a record is of no trial of this experiment, or a part file cannot be written.
    pub fn append(&mut self, records: Vec<TrialRecord>) -> Result<(), ResultsError> {
        for TrialRecord { arm, trial, seed, .. } in &records {
            let asked = *arm < self.spec.arms.len()
                && *trial < self.spec.limit(*arm)
                && *seed == self.spec.trial_seed(*arm, *trial);
            if !asked {
                let message = format!(
                    "a worker left a result that nobody asked for (arm {arm}, trial {trial}, seed \
                    {seed}); it is not kept"
                );
                return Err(ResultsError::Record { path: self.folder.clone(), message });
            }
        }
        self.journal.append(&records, &self.spec)?;
        if !records.is_empty() && !self.buffer_plugins.contains(&self.spec.plugin.blake3) {
            self.buffer_plugins.insert(self.spec.plugin.blake3.clone());
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
                self.buffered_genes += record.weight();
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
        self.buffer.sort_unstable_by_key(Row::key);
        let number = self.take_number();
        let unit = Unit::part(&self.folder, 0, number);
        let records = std::mem::take(&mut self.buffer);
        let origin = Origin::new(&self.spec, std::mem::take(&mut self.buffer_plugins));
        self.write(&unit, &records, &origin, GroupSize::PART)?.publish()?;
        self.plugins.extend(origin.plugins);
        self.journal.clear()?;
        self.keep(records);
        self.parts.push(unit);
        self.fold()
    }

    /// Writes the tables of these trials, which are in order, under names that are not theirs yet.
    fn write(
        &self,
        unit: &Unit,
        records: &[TrialRecord],
        origin: &Origin,
        size: GroupSize,
    ) -> Result<Tables, ResultsError> {
        let schema = &self.schema;
        let timing = |record: &TrialRecord| TimingRow {
            arm: record.arm,
            trial: record.trial,
            timing: record.timing,
        };
        let timings: Vec<TimingRow> = records.iter().map(timing).collect();
        // The tables beside each other: on short trials this is what the end of a run waits for.
        let (trials, timings, generations) = std::thread::scope(|scope| {
            let timings = scope
                .spawn(|| write_rows(&unit.path(Table::Timings), &timings, schema, origin, size));
            let generations = (schema.trace != Trace::None).then(|| {
                scope.spawn(|| {
                    let mut writer =
                        RowWriter::create(&unit.path(Table::Generations), schema, origin, size)?;
                    for TrialRecord { arm, trial, trace, .. } in records {
                        for figures in trace {
                            writer.push(GenerationRow {
                                arm: *arm,
                                trial: *trial,
                                figures: *figures,
                            })?;
                        }
                    }
                    writer.finish()
                })
            });
            let trials = write_rows(&unit.path(Table::Trials), records, schema, origin, size);
            (trials, timings.join(), generations.map(|thread| thread.join()))
        });
        let whole = |joined: std::thread::Result<_>| {
            joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
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
        // A fold makes a part of the next level, which may then have too many.
        loop {
            let levels: BTreeSet<u32> = self.parts.iter().map(level_of).collect();
            let of =
                |level: u32| self.parts.iter().filter(move |unit| level_of(unit) == level).cloned();
            let Some(level) = levels.into_iter().find(|level| of(*level).count() >= FOLD) else {
                return Ok(());
            };
            let folded: Vec<Unit> = of(level).collect();
            let number = self.take_number();
            let unit = Unit::part(&self.folder, level + 1, number);
            let origin = Origin::new(&self.spec, self.plugins_of(&folded)?);
            let trials =
                self.merge_into::<TrialRecord>(&folded, &unit, &origin, GroupSize::PART)?;
            let generations = match self.schema.trace {
                Trace::None => None,
                _ => Some(self.merge_into::<GenerationRow>(
                    &folded,
                    &unit,
                    &origin,
                    GroupSize::PART,
                )?),
            };
            let timings = self.merge_into::<TimingRow>(&folded, &unit, &origin, GroupSize::PART)?;
            Tables { generations, timings, trials }.publish()?;
            folded.iter().try_for_each(Unit::remove)?;
            self.parts.retain(|unit| !folded.contains(unit));
            self.parts.push(unit);
        }
    }

    /// The builds of the plugin that made the trials of these units.
    fn plugins_of(&self, units: &[Unit]) -> Result<BTreeSet<String>, ResultsError> {
        let sources = open_sources::<TrialRecord>(units, &self.schema)?;
        let labels =
            sources.iter().filter_map(|source| source.reader.as_ref()).map(|reader| &reader.label);
        Ok(labels.flat_map(|label| label.origin().plugins.iter().cloned()).collect())
    }

    fn merge_into<R: Row>(
        &self,
        units: &[Unit],
        into: &Unit,
        origin: &Origin,
        size: GroupSize,
    ) -> Result<Written, ResultsError> {
        let mut writer = RowWriter::<R>::create(&into.path(R::TABLE), &self.schema, origin, size)?;
        let keep = |arm, trial| self.finished.contains(arm, trial);
        let mut sources = open_sources::<R>(units, &self.schema)?;
        merge(&mut sources, self.schema.arms.len(), keep, |row| writer.push(row))?;
        writer.finish()
    }

    /// Writes what waits and leaves the parts: the next run goes on from them. For a run that was
    /// interrupted.
    ///
    /// # Errors
    /// If a part file cannot be written.
    pub fn close(mut self) -> Result<(), ResultsError> {
        self.flush()
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
        let origin = Origin::new(&self.spec, self.plugins.clone());
        let mut roll = Roll::new(&self.spec);
        let (figures, tables) = match self.kept.take() {
            Some(kept) => self.write_tables(kept.records, &origin, &mut roll)?,
            None => self.merge_tables(&origin, &mut roll)?,
        };
        roll.check(&self.folder)?;
        tables.check()?;
        let summary = self.schema.summary(figures);
        let path = Unit::tables(&self.folder).path(Table::Summary);
        let written = write_summary(&summary, &path, &self.schema, &origin, tables.trials.seal)?;
        written.check(Table::Summary)?;
        written.publish()?;
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
    fn write_tables(
        &self,
        mut records: Vec<TrialRecord>,
        origin: &Origin,
        roll: &mut Roll<'_>,
    ) -> Result<(Vec<Summed>, Tables), ResultsError> {
        records.sort_unstable_by_key(Row::key);
        let mut figures = Vec::new();
        let mut rest = &records[..];
        for (arm, row) in self.schema.arms.iter().enumerate() {
            let count = rest.iter().take_while(|record| record.arm == arm).count();
            let mut tally = Tally::of(self.schema.baseline_method());
            for record in &rest[..count] {
                roll.trial(record);
                if !record.trace.is_empty() {
                    roll.traced(arm, record.trial);
                }
                tally.add(record);
            }
            figures.push(tally.finish(row.id, self.spec.stopping_rule.as_ref()));
            rest = &rest[count..];
        }
        let tables = self.write(&Unit::tables(&self.folder), &records, origin, GroupSize::TABLE)?;
        Ok((figures, tables))
    }

    /// Writes the final tables from the parts and the earlier tables.
    fn merge_tables(
        &self,
        origin: &Origin,
        roll: &mut Roll<'_>,
    ) -> Result<(Vec<Summed>, Tables), ResultsError> {
        let (schema, size) = (&self.schema, GroupSize::TABLE);
        let tables = Unit::tables(&self.folder);
        let mut units = vec![tables.clone()];
        units.extend(self.parts.iter().cloned());
        let mut sources = open_sources::<TrialRecord>(&units, schema)?;
        let mut writer =
            RowWriter::<TrialRecord>::create(&tables.path(Table::Trials), schema, origin, size)?;
        let mut figures = Vec::new();
        for arm in 0..schema.arms.len() {
            let mut tally = Tally::of(schema.baseline_method());
            merge_arm(&mut sources, arm, &|_, _| true, &mut |trial: TrialRecord| {
                roll.trial(&trial);
                tally.add(&trial);
                writer.push(trial)
            })?;
            figures.push(tally.finish(schema.arms[arm].id, self.spec.stopping_rule.as_ref()));
        }
        let trials = writer.finish()?;
        drop(sources);
        let generations = match schema.trace {
            Trace::None => None,
            _ => {
                let path = tables.path(Table::Generations);
                let mut writer = RowWriter::<GenerationRow>::create(&path, schema, origin, size)?;
                let keep = |arm, trial| self.finished.contains(arm, trial);
                let mut sources = open_sources::<GenerationRow>(&units, schema)?;
                merge(&mut sources, schema.arms.len(), keep, |row: GenerationRow| {
                    roll.traced(row.arm, row.trial);
                    writer.push(row)
                })?;
                Some(writer.finish()?)
            }
        };
        let timings = self.merge_into::<TimingRow>(&units, &tables, origin, size)?;
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
    /// Reads them once more.
    fn check(&self) -> Result<(), ResultsError> {
        self.generations.as_ref().map_or(Ok(()), |written| written.check(Table::Generations))?;
        self.timings.check(Table::Timings)?;
        self.trials.check(Table::Trials)
    }

    /// Companions first: a trial counts as finished once its row is there, so all else must be by
    /// then.
    fn publish(self) -> Result<(), ResultsError> {
        self.generations.map_or(Ok(()), Written::publish)?;
        self.timings.publish()?;
        self.trials.publish()
    }
}

/// Opens a table of these units, where they have it.
pub(crate) fn open_sources<R: Row>(
    units: &[Unit],
    schema: &TableSchema,
) -> Result<Vec<Source<R>>, ResultsError> {
    let mut sources = Vec::new();
    for unit in units {
        let path = unit.path(R::TABLE);
        match Source::open(&path, schema) {
            Ok(source) => sources.push(source),
            // The first run has no tables yet, and timings that could not be read were set aside.
            Err(Refusal::Missing) => {}
            Err(refusal) => return Err(refusal.into_error(&path)),
        }
    }
    Ok(sources)
}

/// Who holds the lock, in words.
fn holder() -> String {
    let host =
        crate::results::storage::provenance::host_name().unwrap_or_else(|| "this host".to_owned());
    format!(
        "process {} on {host}, since {}",
        std::process::id(),
        crate::results::storage::provenance::now()
    )
}
