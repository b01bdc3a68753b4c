//! Shards on the disk: whether they belong together and are complete, and their parts as parts of
//! one experiment.

use crate::analysis::SummaryTable;
use crate::plan::ResultsSpec;
use crate::plan::settings::Trace;
use crate::plan::shard::Shard;
use crate::record::{Timing, TrialRecord};
use crate::results::error::ResultsError;
use crate::results::read::Results;
use crate::results::schema::columns::Table;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::atomic::copy_atomically;
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::{JOURNAL, PARTS, PLAN, TableSet, is_there, list_parts};
use crate::results::storage::journal;
use crate::results::storage::merge::scan_keys;
use crate::results::storage::plan_file::PlanFile;
use crate::results::storage::provenance::{Provenance, Run};
use crate::results::storage::reader::{Refusal, TableReader};
use crate::results::storage::recovery::{FailedTrials, must_be_traced};
use crate::results::storage::start_file::FirstGenomes;
use crate::results::storage::store::{Opened, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One folder that a run with `--shard` made.
struct Folder {
    path: PathBuf,
    shard: Shard,
    spec: ResultsSpec,
    runner_version: String,
}

impl Folder {
    fn open(path: &Path) -> Result<Self, ResultsError> {
        let none = |missing| ResultsError::None { path: path.to_owned(), missing };
        if !is_there(path)? {
            return Err(none("the folder does not exist"));
        }
        Provenance::refuse_imported(path)?;
        let plan = path.join(PARTS).join(PLAN);
        let file = PlanFile::read(&plan)?
            .ok_or_else(|| none("it has no parts/plan.json, so it is not a shard"))?;
        let message = "it is not a plan written by this version of the runner".to_owned();
        let spec = file.spec().ok_or(ResultsError::Unreadable { path: plan, message })?;
        let shard = file.origin.shard.ok_or_else(|| none("it comes from a run without --shard"))?;
        let runner_version = file.origin.runner_version;
        Ok(Folder { path: path.to_owned(), shard, spec, runner_version })
    }

    /// What keeps it from being merged with the first one.
    fn conflict(&self, first: &Folder, accept_plugin_change: bool) -> Option<&'static str> {
        let (one, other) = (&self.spec, &first.spec);
        let checks = [
            (one.experiment != other.experiment, "a different experiment"),
            (self.shard.of != first.shard.of, "a different number of shards"),
            (one.plugin.name != other.plugin.name, "a different plugin"),
            (one.plugin.version != other.plugin.version, "a different version of the plugin"),
            (
                one.build() != other.build() && !accept_plugin_change,
                "a different build of the plugin",
            ),
            (self.runner_version != first.runner_version, "a different version of the runner"),
            (one.seed != other.seed, "a different seed"),
            (one.repeats != other.repeats, "a different number of repeats"),
            (one.trace != other.trace, "a different trace"),
            (one.arms != other.arms || one.fingerprints != other.fingerprints, "different arms"),
        ];
        checks.into_iter().find_map(|(differs, what)| differs.then_some(what))
    }
}

/// An experiment that was put together.
pub(crate) struct Merged {
    pub folder: PathBuf,
    pub summary: SummaryTable,
    /// What was moved aside and why, in words for the user.
    pub notices: Vec<String>,
}

/// Puts shards together in `out/<experiment>/`.
///
/// # Errors
/// If the shards do not belong together or to what the folder has, some are missing, incomplete or
/// damaged, two disagree, or files cannot be read or written. No table is written then. Trials of
/// several builds of the plugin are only put together if `accept_plugin_change` says so.
pub(crate) fn merge_shards(
    paths: &[PathBuf],
    out: &Path,
    accept_plugin_change: bool,
) -> Result<Merged, ResultsError> {
    let folders = paths
        .iter()
        .map(|path| Folder::open(path))
        .collect::<Result<Vec<Folder>, ResultsError>>()?;
    let first = folders.first().expect("the command line asks for one at least");
    let mixed = |path: &Path, what| ResultsError::Mixed {
        path: path.to_owned(),
        other: first.path.clone(),
        what,
    };
    let mut plugins: Option<BTreeSet<String>> = None;
    for folder in &folders {
        if let Some(what) = folder.conflict(first, accept_plugin_change) {
            return Err(mixed(&folder.path, what));
        }
        // The parts say themselves which builds made them.
        let found = folder.plugins()?;
        if !accept_plugin_change
            && !found.is_empty()
            && *plugins.get_or_insert_with(|| found.clone()) != found
        {
            return Err(mixed(&folder.path, "a different build of the plugin"));
        }
    }
    let spec = &first.spec;
    check_trials(&folders, spec)?;
    let target = out.join(&spec.experiment);
    let Opened { mut store, finished, plugins: before, mut notices, .. } = Store::open(out, spec)?;
    let other = !before.is_empty() && plugins.is_some_and(|plugins| plugins != before);
    if other && !accept_plugin_change {
        return Err(mixed(&target, "a different build of the plugin"));
    }
    if finished.total() > 0 && check_agreement(&target, &folders, spec)? {
        // It holds the folder's lock.
        drop(store);
        let opened = Store::open_shard(out, spec, None, FailedTrials::RunAgain)?;
        notices.extend(opened.notices);
        store = opened.store;
    }
    let (mut provenance, notice) = Provenance::read_or_quarantine(&target)?;
    notices.extend(notice);
    for folder in &folders {
        store.adopt(folder)?;
        let runs = Provenance::read(&folder.path)?.runs;
        for kept in runs.iter().filter_map(|run| run.first_genomes.as_ref()) {
            FirstGenomes::keep(&target, &kept.read(&folder.path)?)?;
        }
        provenance.runs.extend(runs);
    }
    let mut seen = BTreeSet::new();
    provenance.runs.retain(|run: &Run| {
        seen.insert((run.start.clone(), run.host.clone(), run.overrides.clone()))
    });
    // Opened anew, it looks through the parts as through those of a run that was cut short.
    store.close()?;
    let opened = Store::open(out, spec)?;
    notices.extend(opened.notices);
    let summary = opened.store.finish()?;
    provenance.write(&target)?;
    Ok(Merged { folder: target, summary, notices })
}

impl Folder {
    fn parts(&self) -> Result<Vec<TableSet>, ResultsError> {
        list_parts(&self.path, &[Table::Trials])
    }

    /// The builds of the plugin that made its trials.
    fn plugins(&self) -> Result<BTreeSet<String>, ResultsError> {
        let mut plugins = BTreeSet::new();
        for unit in self.parts()? {
            plugins.extend(
                self.open_part(&unit, Table::Trials)?.metadata.origin().plugins.iter().cloned(),
            );
        }
        if plugins.is_empty() && !journal::read(&self.journal(), &self.spec)?.records.is_empty() {
            plugins.insert(self.spec.build());
        }
        Ok(plugins)
    }

    fn journal(&self) -> PathBuf {
        self.path.join(PARTS).join(JOURNAL)
    }

    fn open_part(&self, unit: &TableSet, table: Table) -> Result<TableReader, ResultsError> {
        let path = unit.path(table);
        TableReader::open(&path, table).map_err(|refusal| {
            let what = match refusal {
                Refusal::Missing => "it is missing".to_owned(),
                Refusal::Damaged(message) => format!("it cannot be read ({message})"),
                Refusal::Other(error) => return error,
            };
            let trials = match table {
                Table::Generations => "its trials are intact, but their trace is missing",
                _ => "its trials are lost",
            };
            let message = format!(
                "{what}: {trials}; run shard {} again: it runs these trials again",
                self.shard
            );
            ResultsError::Record { path, message }
        })
    }

    /// Whether each trial that must have left a trace has one.
    fn check_traces(&self, untraced: &mut Finished) -> Result<(), ResultsError> {
        let arms = TableSchema::of(&self.spec);
        for unit in self.parts()? {
            let reader = self.open_part(&unit, Table::Generations)?;
            let scanned = scan_keys(&reader, |id, trial, _| {
                arms.arm_index(id).into_iter().for_each(|arm| _ = untraced.remove(arm, trial));
                Ok(())
            });
            scanned.map_err(|refusal| refusal.into_error(&reader.path))?;
        }
        for record in journal::read(&self.journal(), &self.spec)?.records {
            untraced.remove(record.arm, record.trial);
        }
        if untraced.total() == 0 {
            return Ok(());
        }
        let (lacking, shard) = (untraced.total(), self.shard);
        let message = format!(
            "{lacking} of its trials have no trace; run shard {shard} again: it runs these trials \
            again"
        );
        Err(ResultsError::Record { path: self.path.clone(), message })
    }
}

/// What a trial left, but for its times, in short.
fn digest(record: TrialRecord) -> u128 {
    let plain = TrialRecord { timing: Timing::default(), ..record };
    let hash = blake3::hash(format!("{plain:?}").as_bytes());
    let (start, _) = hash.as_bytes().split_first_chunk::<16>().expect("a hash has 32 bytes");
    u128::from_le_bytes(*start)
}

/// Digests of trials, by arm and trial.
type Digests = Vec<BTreeMap<u64, (u128, usize)>>;

/// Whether every trial is there, with its trace, and the same wherever it is twice.
fn check_trials(folders: &[Folder], spec: &ResultsSpec) -> Result<(), ResultsError> {
    let mut finished = Finished::new(spec.arms.len());
    let mut digests: Digests = vec![BTreeMap::new(); spec.arms.len()];
    // Only shards that are given twice can disagree.
    let mut times: BTreeMap<Shard, usize> = BTreeMap::new();
    folders.iter().for_each(|folder| *times.entry(folder.shard).or_default() += 1);
    for (place, folder) in folders.iter().enumerate() {
        let twice = times[&folder.shard] > 1;
        let mut untraced = Finished::new(spec.arms.len());
        Results::open(&folder.path)?.trials(|record: TrialRecord| {
            let (arm, trial) = (record.arm, record.trial);
            finished.insert(arm, trial);
            if spec.trace != Trace::None && must_be_traced(record.outcome, record.generations) {
                untraced.insert(arm, trial);
            }
            if twice {
                let digest = digest(record);
                let (known, other) = *digests[arm].entry(trial).or_insert((digest, place));
                if known != digest {
                    return Err(disagree(spec, arm, trial, &folder.path, &folders[other].path));
                }
            }
            Ok(())
        })?;
        if spec.trace != Trace::None {
            folder.check_traces(&mut untraced)?;
        }
    }
    let of = folders[0].shard.of;
    let mut missing: BTreeMap<Shard, u64> = BTreeMap::new();
    for arm in 0..spec.arms.len() {
        for run in finished.missing(arm, 0..spec.repeats) {
            let mut trial = run.start;
            while trial < run.end {
                let shard = Shard::holding(of, arm, trial, spec.repeats);
                let end = shard.trials(arm, spec.repeats).end.min(run.end);
                *missing.entry(shard).or_default() += end - trial;
                trial = end;
            }
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let word = |(shard, trials): (&Shard, &u64)| match times.contains_key(shard) {
        true => format!("{shard} lacks {trials} trials: run it again"),
        false => format!("{shard} is missing ({trials} trials)"),
    };
    let mut words: Vec<String> = missing.iter().take(10).map(word).collect();
    if missing.len() > 10 {
        words.push(format!("and {} more", missing.len() - 10));
    }
    Err(ResultsError::Incomplete { experiment: spec.experiment.clone(), missing: words.join("; ") })
}

/// Whether trials that the folder has already are those of the shards. True if they are but for
/// failed ones that a shard ran again.
fn check_agreement(
    target: &Path,
    folders: &[Folder],
    spec: &ResultsSpec,
) -> Result<bool, ResultsError> {
    let mut digests: Digests = vec![BTreeMap::new(); spec.arms.len()];
    let (mut failed, mut ran_again) = (Finished::new(spec.arms.len()), false);
    Results::open(target)?.trials(|record: TrialRecord| -> Result<(), ResultsError> {
        let (arm, trial) = (record.arm, record.trial);
        if record.outcome.may_be_retried() {
            failed.insert(arm, trial);
        }
        digests[arm].insert(trial, (digest(record), 0));
        Ok(())
    })?;
    for folder in folders {
        Results::open(&folder.path)?.trials(|record: TrialRecord| {
            let (arm, trial) = (record.arm, record.trial);
            match digests[arm].get(&trial) {
                Some((known, _)) if *known != digest(record) => match failed.contains(arm, trial) {
                    true => {
                        ran_again = true;
                        Ok(())
                    }
                    false => Err(disagree(spec, arm, trial, &folder.path, target)),
                },
                _ => Ok(()),
            }
        })?;
    }
    Ok(ran_again)
}

fn disagree(spec: &ResultsSpec, arm: usize, trial: u64, path: &Path, other: &Path) -> ResultsError {
    let arm = spec.arms[arm].label.clone();
    ResultsError::Disagree { path: path.to_owned(), other: other.to_owned(), arm, trial }
}

impl Store {
    /// Takes copies of a shard's parts, and what it has in its journal.
    fn adopt(&mut self, folder: &Folder) -> Result<(), ResultsError> {
        self.append(journal::read(&folder.journal(), &folder.spec)?.records)?;
        for unit in folder.parts()? {
            let number = self.take_number();
            let copy = TableSet::part(self.folder(), 0, number);
            // Trials last, as always.
            for table in [Table::Generations, Table::Timings, Table::Trials] {
                let (from, to) = (unit.path(table), copy.path(table));
                match copy_atomically(&from, &to) {
                    // Each is there that must be: that was looked at before anything was written.
                    Err(error)
                        if error.kind() == std::io::ErrorKind::NotFound
                            && table != Table::Trials => {}
                    copied => copied.map_err(ResultsError::writing(&to, "copy the part"))?,
                }
            }
        }
        Ok(())
    }
}
