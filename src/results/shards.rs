//! Shards on the disk: whether they belong together and are complete, and their parts as parts of
//! one experiment.

use crate::analysis::SummaryTable;
use crate::plan::ResultsSpec;
use crate::plan::round::Round;
use crate::plan::settings::Trace;
use crate::plan::shard::Shard;
use crate::record::{Timing, TrialRecord};
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::row::View;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::{
    PARTS, PLAN, TableSet, is_there, list_parts, list_pieces, refuse_pieces,
};
use crate::results::storage::merge::{scan_keys, scan_seeds, walk_arm};
use crate::results::storage::plan_file::PlanFile;
use crate::results::storage::provenance::{Provenance, Run};
use crate::results::storage::reader::{Refusal, TableReader};
use crate::results::storage::recovery::{FailedTrials, ends_of, must_be_traced};
use crate::results::storage::round_file::RoundFile;
use crate::results::storage::start_file::FirstGenomes;
use crate::results::storage::store::{Opened, Store, open_sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One folder that a run with `--shard` made.
struct Folder {
    path: PathBuf,
    shard: Shard,
}

/// What a shard's folder says that it is of.
#[derive(Clone)]
struct Plan {
    shard: Shard,
    round: Option<Round>,
    spec: ResultsSpec,
    runner_version: String,
}

impl Folder {
    fn open(path: &Path) -> Result<(Self, Plan), ResultsError> {
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
        let (round, runner_version) = (file.origin.round, file.origin.runner_version);
        Ok((Folder { path: path.to_owned(), shard }, Plan { shard, round, spec, runner_version }))
    }
}

impl Plan {
    /// What keeps it from being merged with the first one.
    fn conflict(&self, first: &Plan, accept_plugin_change: bool) -> Option<&'static str> {
        let (one, other) = (&self.spec, &first.spec);
        let checks = [
            (one.experiment != other.experiment, "a different experiment"),
            (self.shard.of != first.shard.of, "a different number of shards"),
            (self.round != first.round, "a different round"),
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

/// What shards become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MergedForm {
    /// Each table a file, as a run on one machine writes it.
    Files,
    /// Each table a folder with a file of each shard.
    Pieces,
}

/// Puts shards together in `out/<experiment>/`. Reads them row group by row group: what is in
/// memory at a time does not grow with their size.
///
/// # Errors
/// If the shards do not belong together or to what the folder has, some are missing, incomplete or
/// damaged, two disagree, or files cannot be read or written. No table is written then. Trials of
/// several builds of the plugin are only put together if `accept_plugin_change` says so.
pub(crate) fn merge_shards(
    paths: &[PathBuf],
    out: &Path,
    form: MergedForm,
    accept_plugin_change: bool,
) -> Result<Merged, ResultsError> {
    let Gathered { folders, plan, guests, finished, plugins, mut notices } =
        Gathered::of(paths, accept_plugin_change)?;
    if plan.round.is_some() {
        let missing = "it is a shard of a round: `runner submit` takes it in";
        return Err(ResultsError::None { path: paths[0].clone(), missing });
    }
    let spec = plan.spec;
    let target = out.join(&spec.experiment);
    if form == MergedForm::Files {
        refuse_pieces(&target)?;
    }
    let Opened { mut store, finished: before, plugins: others, notices: found, .. } =
        Store::open(out, &spec)?;
    notices.extend(found);
    let other = !others.is_empty() && others != plugins;
    if other && !accept_plugin_change {
        return Err(mixed(&target, &folders[0].path, "a different build of the plugin"));
    }
    let mut kept = store.sets();
    kept.extend(list_pieces(&target)?);
    if check_agreement(&spec, &target, &kept, &folders, &guests)? && before.total() > 0 {
        // It holds the folder's lock.
        drop(store);
        let opened = Store::open_share(out, &spec, None, FailedTrials::RunAgain)?;
        notices.extend(opened.notices);
        store = opened.store;
    }
    let (mut provenance, notice) = Provenance::read_or_quarantine(&target)?;
    notices.extend(notice);
    take_runs(&mut provenance, &target, &folders)?;
    store.invite(guests.into_iter().map(|guest| guest.set).collect(), &finished, plugins);
    let summary = match form {
        MergedForm::Files => store.finish()?,
        MergedForm::Pieces => store.finish_in_pieces()?,
    };
    provenance.write(&target)?;
    Ok(Merged { folder: target, summary, notices })
}

/// Takes copies of a round's shards into the experiment's folder, as parts of an experiment that is
/// under way.
///
/// # Errors
/// As [`merge_shards`]; nothing is taken then.
pub(crate) fn take_in_round(
    out: &Path,
    spec: &ResultsSpec,
    file: &RoundFile,
    accept_plugin_change: bool,
) -> Result<(), ResultsError> {
    let paths = file.shard_folders(out, &spec.experiment);
    // A shard that no run has begun is named like those that lack trials.
    let (there, absent): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.into_iter().partition(|path| path.join(PARTS).join(PLAN).exists());
    if there.is_empty() {
        let (experiment, missing) = (spec.experiment.clone(), words_of_all(&absent));
        return Err(ResultsError::Incomplete { experiment, missing });
    }
    let Gathered { folders, plan, guests, plugins, .. } =
        Gathered::of(&there, accept_plugin_change)?;
    let asked = Plan {
        shard: plan.shard,
        round: Some(file.round.clone()),
        spec: spec.clone(),
        runner_version: plan.runner_version.clone(),
    };
    let target = out.join(&spec.experiment);
    if let Some(what) = plan.conflict(&asked, accept_plugin_change) {
        return Err(mixed(&folders[0].path, &target, what));
    }
    let Opened { mut store, plugins: others, .. } = Store::open(out, spec)?;
    if !others.is_empty() && others != plugins && !accept_plugin_change {
        return Err(mixed(&target, &folders[0].path, "a different build of the plugin"));
    }
    guests.iter().try_for_each(|guest| store.adopt(&guest.set))?;
    store.close()?;
    let mut provenance = Provenance::read(&target)?;
    take_runs(&mut provenance, &target, &folders)?;
    provenance.write(&target)
}

/// Says that none of the shards is there.
fn words_of_all(absent: &[PathBuf]) -> String {
    match absent.len() {
        1 => "the one shard of the round is missing".to_owned(),
        all => format!("all {all} shards of the round are missing"),
    }
}

/// Notes the runs of the shards, each once, and keeps the genomes that their trials began with.
fn take_runs(
    provenance: &mut Provenance,
    target: &Path,
    folders: &[Folder],
) -> Result<(), ResultsError> {
    let mut seen: BTreeSet<_> = provenance.runs.iter().map(names).collect();
    for folder in folders {
        let runs = Provenance::read(&folder.path)?.runs;
        for kept in runs.iter().filter_map(|run| run.first_genomes.as_ref()) {
            FirstGenomes::keep(target, &kept.read(&folder.path)?)?;
        }
        provenance.runs.extend(runs.into_iter().filter(|run| seen.insert(names(run))));
    }
    Ok(())
}

/// What tells runs apart.
fn names(run: &Run) -> (String, Option<String>, Vec<String>) {
    (run.start.clone(), run.host.clone(), run.overrides.clone())
}

fn mixed(path: &Path, other: &Path, what: &'static str) -> ResultsError {
    ResultsError::Mixed { path: path.to_owned(), other: other.to_owned(), what }
}

/// A part of a shard.
struct Guest {
    set: TableSet,
    /// Place of its shard's folder.
    folder: usize,
}

/// Shards that belong together and have every trial.
struct Gathered {
    folders: Vec<Folder>,
    plan: Plan,
    guests: Vec<Guest>,
    finished: Finished,
    /// The builds of the plugin that made their trials.
    plugins: BTreeSet<String>,
    /// For the user.
    notices: Vec<String>,
}

impl Gathered {
    fn of(paths: &[PathBuf], accept_plugin_change: bool) -> Result<Self, ResultsError> {
        let mut folders: Vec<Folder> = Vec::with_capacity(paths.len());
        let mut common: Option<Plan> = None;
        let (mut guests, mut notices) = (Vec::new(), Vec::new());
        let mut all: Option<(Finished, BTreeSet<String>)> = None;
        for (place, path) in paths.iter().enumerate() {
            let (folder, plan) = Folder::open(path)?;
            let first = common.get_or_insert_with(|| plan.clone());
            if let Some(what) = plan.conflict(first, accept_plugin_change) {
                return Err(mixed(path, &paths[0], what));
            }
            let (finished, plugins) =
                all.get_or_insert_with(|| (Finished::new(first.spec.arms.len()), BTreeSet::new()));
            let Contents { parts, trials, builds, notices: told } = folder.read(&first.spec)?;
            // The parts say themselves which builds made them.
            let other = !plugins.is_empty() && !builds.is_empty() && *plugins != builds;
            if other && !accept_plugin_change {
                return Err(mixed(path, &paths[0], "a different build of the plugin"));
            }
            finished.extend(&trials);
            plugins.extend(builds);
            notices.extend(told);
            guests.extend(parts.into_iter().map(|set| Guest { set, folder: place }));
            folders.push(folder);
        }
        let (finished, plugins) = all.expect("the command line asks for one at least");
        let plan = common.expect("there is a first one");
        check_complete(&folders, &plan, &finished)?;
        Ok(Gathered { folders, plan, guests, finished, plugins, notices })
    }
}

/// What the parts of a shard have.
struct Contents {
    parts: Vec<TableSet>,
    trials: Finished,
    /// Of the plugin.
    builds: BTreeSet<String>,
    /// For the user.
    notices: Vec<String>,
}

impl Folder {
    /// Looks through its parts: every row has a trial of the experiment, and every trial that must
    /// have left a trace has one.
    fn read(&self, spec: &ResultsSpec) -> Result<Contents, ResultsError> {
        let arms = TableSchema::of(spec);
        let mut trials = Finished::new(spec.arms.len());
        let mut untraced = Finished::new(spec.arms.len());
        let (mut builds, mut notices) = (BTreeSet::new(), Vec::new());
        let parts = list_parts(&self.path, &[Table::Trials])?;
        for set in &parts {
            let reader = self.open_part(set, Table::Trials)?;
            let damaged = |refusal: Refusal| self.broken(&reader.path, refusal, Table::Trials);
            builds.extend(reader.metadata.origin().plugins.iter().cloned());
            scan_seeds(&reader, |id, trial, seed| {
                let arm = arms.arm_index(id).filter(|arm| spec.trial_seed(*arm, trial) == seed);
                arm.map(|arm| _ = trials.insert(arm, trial))
                    .ok_or_else(|| format!("trial {trial} of arm {id} is none of this experiment"))
            })
            .map_err(damaged)?;
            if spec.trace != Trace::None {
                find_traced(&reader, &arms, &mut untraced).map_err(damaged)?;
            }
            notices.extend(lost_timings(&set.path(Table::Timings))?);
        }
        if spec.trace != Trace::None {
            self.check_traces(&parts, &arms, untraced)?;
        }
        Ok(Contents { parts, trials, builds, notices })
    }

    fn open_part(&self, set: &TableSet, table: Table) -> Result<TableReader, ResultsError> {
        let path = set.path(table);
        TableReader::open(&path, table).map_err(|refusal| self.broken(&path, refusal, table))
    }

    /// What is wrong with a part, and what to do about it.
    fn broken(&self, path: &Path, refusal: Refusal, table: Table) -> ResultsError {
        let what = match refusal {
            Refusal::Missing => "it is missing".to_owned(),
            Refusal::Damaged(message) => format!("it cannot be read ({message})"),
            Refusal::Other(error) => return error,
        };
        let trials = match table {
            Table::Generations => "its trials are intact, but their trace is missing",
            _ => "its trials are lost",
        };
        let message =
            format!("{what}: {trials}; run shard {} again: it runs these trials again", self.shard);
        ResultsError::Record { path: path.to_owned(), message }
    }

    /// Whether each of these trials has a trace.
    fn check_traces(
        &self,
        parts: &[TableSet],
        arms: &TableSchema,
        mut untraced: Finished,
    ) -> Result<(), ResultsError> {
        for set in parts {
            let reader = self.open_part(set, Table::Generations)?;
            let scanned = scan_keys(&reader, |id, trial| {
                arms.arm_index(id).into_iter().for_each(|arm| _ = untraced.remove(arm, trial));
                Ok(())
            });
            scanned.map_err(|refusal| refusal.into_error(&reader.path))?;
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

/// Finds the trials of a table that must have left a trace.
fn find_traced(
    reader: &TableReader,
    arms: &TableSchema,
    traced: &mut Finished,
) -> Result<(), Refusal> {
    let mut ends = ends_of(reader)?.into_iter();
    scan_keys(reader, |id, trial| {
        let end = ends.next();
        if end.is_some_and(|end| must_be_traced(end.outcome, end.generations)) {
            arms.arm_index(id).into_iter().for_each(|arm| _ = traced.insert(arm, trial));
        }
        Ok(())
    })
}

/// Words for the user if a part's timings cannot be read.
fn lost_timings(path: &Path) -> Result<Option<String>, ResultsError> {
    match TableReader::open(path, Table::Timings) {
        Ok(_) | Err(Refusal::Missing) => Ok(None),
        Err(Refusal::Damaged(message)) => Ok(Some(format!(
            "{}: cannot be read ({message}); the timings of its trials are lost",
            path.display()
        ))),
        Err(refusal) => Err(refusal.into_error(path)),
    }
}

/// What a trial left, but for its times, in short.
fn digest(record: TrialRecord) -> u128 {
    let plain = TrialRecord { timing: Timing::default(), ..record };
    let hash = blake3::hash(format!("{plain:?}").as_bytes());
    let (start, _) = hash.as_bytes().split_first_chunk::<16>().expect("a hash has 32 bytes");
    u128::from_le_bytes(*start)
}

/// Whether every trial is there.
fn check_complete(
    folders: &[Folder],
    plan: &Plan,
    finished: &Finished,
) -> Result<(), ResultsError> {
    let Plan { shard, round, spec, .. } = plan;
    let given: BTreeSet<Shard> = folders.iter().map(|folder| folder.shard).collect();
    let mut missing: BTreeMap<Shard, u64> = BTreeMap::new();
    for arm in 0..spec.arms.len() {
        let wanted = round.as_ref().map_or(0..spec.repeats, |round| round.trials[arm].clone());
        let length = wanted.end - wanted.start;
        for run in finished.missing(arm, wanted.clone()) {
            let mut trial = run.start - wanted.start;
            while trial < run.end - wanted.start {
                let holder = Shard::holding(shard.of, arm, trial, length);
                let end = holder.trials(arm, length).end.min(run.end - wanted.start);
                *missing.entry(holder).or_default() += end - trial;
                trial = end;
            }
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let word = |(shard, trials): (&Shard, &u64)| match given.contains(shard) {
        true => format!("{shard} lacks {trials} trials: run it again"),
        false => format!("{shard} is missing ({trials} trials)"),
    };
    let mut words: Vec<String> = missing.iter().take(10).map(word).collect();
    if missing.len() > 10 {
        words.push(format!("and {} more", missing.len() - 10));
    }
    Err(ResultsError::Incomplete { experiment: spec.experiment.clone(), missing: words.join("; ") })
}

/// Whether trials that are there twice, in two shards or in the folder and a shard, are the same.
/// True if they are but for failed ones of the folder that a shard ran again.
fn check_agreement(
    spec: &ResultsSpec,
    target: &Path,
    kept: &[TableSet],
    folders: &[Folder],
    guests: &[Guest],
) -> Result<bool, ResultsError> {
    let shards: BTreeSet<Shard> = folders.iter().map(|folder| folder.shard).collect();
    if kept.is_empty() && shards.len() == folders.len() {
        return Ok(false);
    }
    let schema = TableSchema::of(spec);
    let sets: Vec<TableSet> =
        kept.iter().chain(guests.iter().map(|guest| &guest.set)).cloned().collect();
    let mut sources = open_sources::<TrialRecord>(&sets, &schema)?;
    let home = |source: usize| match source.checked_sub(kept.len()) {
        None => target,
        Some(guest) => folders[guests[guest].folder].path.as_path(),
    };
    let mut ran_again = false;
    for arm in 0..spec.arms.len() {
        let mut first: Option<(u64, usize, u128, bool)> = None;
        walk_arm(&mut sources, arm, |found, view| {
            let record = view.row(found.place, arm);
            let failed = record.outcome.may_be_retried();
            let own = digest(record);
            match first.filter(|(trial, ..)| *trial == found.trial) {
                Some((_, source, other, _))
                    if other == own || home(source) == home(found.source) => {}
                Some((_, source, _, true)) if source < kept.len() => ran_again = true,
                Some((trial, source, ..)) => {
                    let arm = spec.arms[arm].label.clone();
                    let (path, other) = (home(found.source), home(source));
                    return Err(ResultsError::Disagree {
                        path: path.to_owned(),
                        other: other.to_owned(),
                        arm,
                        trial,
                    });
                }
                None => first = Some((found.trial, found.source, own, failed)),
            }
            Ok(())
        })?;
    }
    Ok(ran_again)
}
