//! Shards on the disk: whether they belong together and are complete, and their parts as parts of
//! one experiment.

use crate::analysis::SummaryTable;
use crate::plan::ResultsSpec;
use crate::plan::shard::Shard;
use crate::problem::Genome;
use crate::record::{Timing, TrialRecord};
use crate::results::error::ResultsError;
use crate::results::schema::table_schema::TableSchema;
use crate::results::shard_state::is_shard_running;
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::{
    PARTS, PLAN, TableSet, is_there, list_pieces, list_segments, refuse_old_parts, refuse_pieces,
};
use crate::results::storage::judge::{FailedTrials, Judge, Judgement};
use crate::results::storage::merge::walk_arm;
use crate::results::storage::plan_file::PlanFile;
use crate::results::storage::provenance::{Provenance, Run};
use crate::results::storage::round_file::RoundFile;
use crate::results::storage::segment::Segment;
use crate::results::storage::start_file::FirstGenomes;
use crate::results::storage::store::{Opened, Store, open_sources};
use crate::words::{counted, first_texts};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One folder that a run with `--shard` made.
struct Folder {
    path: PathBuf,
    shard: Shard,
}

impl Folder {
    fn open(path: &Path) -> Result<(Self, PlanFile), ResultsError> {
        let none = |missing| ResultsError::None { path: path.to_owned(), missing };
        if !is_there(path)? {
            return Err(none("the folder does not exist"));
        }
        Provenance::refuse_imported(path)?;
        let no_shard = || ResultsError::NoShard { path: path.to_owned() };
        let plan = PlanFile::read(&path.join(PARTS).join(PLAN))?.ok_or_else(no_shard)?;
        let shard = plan.shard.ok_or_else(no_shard)?;
        Ok((Folder { path: path.to_owned(), shard }, plan))
    }
}

impl PlanFile {
    /// Returns the reason why the shard cannot be merged with the first one; `None` if it can.
    fn conflict(&self, first: &PlanFile, accept_plugin_change: bool) -> Option<&'static str> {
        let (one, other) = (&self.spec, &first.spec);
        let of = |plan: &PlanFile| plan.shard.map(|shard| shard.of);
        let checks = [
            (one.experiment != other.experiment, "a different experiment"),
            (of(self) != of(first), "a different number of shards"),
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
pub struct Merged {
    /// Folder of the merged results.
    pub folder: PathBuf,
    /// Summary of the merged trials.
    pub summary: SummaryTable,
    /// Notices for the user about files that were moved away, with the reasons.
    pub notices: Vec<String>,
}

/// Form of merged tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergedForm {
    /// One file per table, as a run on one machine writes it.
    Files,
    /// One folder per table, with one file per shard.
    Pieces,
}

/// Puts shards together in `out/<experiment>/`. Reads them row group by row group: what is in
/// memory at a time does not grow with their size.
///
/// # Errors
/// If the shards do not belong together or to what the folder has, some are missing, incomplete or
/// damaged, two disagree, or files cannot be read or written. No table is written then. Trials of
/// several builds of the plugin are only put together if `accept_plugin_change` says so.
pub fn merge_shards(
    paths: &[PathBuf],
    out: &Path,
    form: MergedForm,
    accept_plugin_change: bool,
) -> Result<Merged, ResultsError> {
    let Gathered { folders, plan, guests, finished, plugins } =
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
    let opened = Store::open(out, &spec)?;
    let check = || {
        if is_of_other_builds(&opened, &plugins) && !accept_plugin_change {
            return Err(mixed(&target, &folders[0].path, "a different build of the plugin"));
        }
        if form == MergedForm::Pieces {
            opened.store.must_be_empty()?;
        }
        let mut sets = opened.store.sets();
        sets.extend(list_pieces(&target)?);
        let kept = TargetTrials { path: &target, sets: &sets, segments: opened.store.segments() };
        let ran_again = check_agreement(&spec, &kept, &folders, &guests)?;
        let (mut provenance, notice) = Provenance::read_or_quarantine(&target)?;
        take_runs(&mut provenance, &target, &folders)?;
        Ok((ran_again, provenance, notice))
    };
    let (ran_again, mut provenance, notice) = match check() {
        Ok(found) => found,
        Err(error) => {
            opened.abandon()?;
            return Err(error);
        }
    };
    let Opened { mut store, finished: before, mut notices, .. } = opened;
    notices.extend(notice);
    if ran_again && before.total() > 0 {
        // It holds the folder's lock.
        drop(store);
        let opened = Store::open_share(out, &spec, None, FailedTrials::RunAgain)?;
        notices.extend(opened.notices);
        store = opened.store;
    }
    store.invite(guests.into_iter().map(|guest| guest.segment).collect(), &finished, plugins);
    let summary = match form {
        MergedForm::Files => store.finish(&mut |_| ())?,
        MergedForm::Pieces => store.finish_in_pieces()?,
    };
    provenance.results.clone_from(&summary.results_hash);
    provenance.write(&target)?;
    Ok(Merged { folder: target, summary, notices })
}

/// Takes copies of a round's shards into the experiment's folder, as parts of an experiment that is
/// under way.
///
/// # Errors
/// Returns the errors of [`merge_shards`]; no shard is taken in then.
pub fn take_in_round(
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
    let asked = PlanFile { round: Some(file.round.clone()), spec: spec.clone(), ..plan.clone() };
    let target = out.join(&spec.experiment);
    if let Some(what) = plan.conflict(&asked, accept_plugin_change) {
        return Err(mixed(&folders[0].path, &target, what));
    }
    let opened = Store::open(out, spec)?;
    if is_of_other_builds(&opened, &plugins) && !accept_plugin_change {
        opened.abandon()?;
        return Err(mixed(&target, &folders[0].path, "a different build of the plugin"));
    }
    let Opened { mut store, .. } = opened;
    guests.iter().try_for_each(|guest| store.adopt(&guest.segment.path))?;
    store.close()?;
    let mut provenance = Provenance::read(&target)?;
    take_runs(&mut provenance, &target, &folders)?;
    provenance.write(&target)
}

/// Returns whether the folder has trials, and these builds of the plugin did not make them.
fn is_of_other_builds(opened: &Opened, plugins: &BTreeSet<String>) -> bool {
    !opened.plugins.is_empty() && opened.plugins != *plugins
}

/// Describes that none of the shards exists.
fn words_of_all(absent: &[PathBuf]) -> String {
    match absent.len() {
        1 => "the one shard of the round is missing".to_owned(),
        all => format!("all {all} shards of the round are missing"),
    }
}

/// Notes the runs of the shards, each once, and keeps the genomes that their trials began with and
/// the files of data.
fn take_runs(
    provenance: &mut Provenance,
    target: &Path,
    folders: &[Folder],
) -> Result<(), ResultsError> {
    let mut taken: BTreeMap<String, u64> = BTreeMap::new();
    for run in &provenance.runs {
        *taken.entry(whole(run)).or_default() += 1;
    }
    for folder in folders {
        let runs = Provenance::read(&folder.path)?.runs;
        for kept in runs.iter().filter_map(|run| run.first_genomes.as_ref()) {
            FirstGenomes::keep(target, &kept.read(&folder.path)?)?;
        }
        for kept in runs.iter().flat_map(|run| &run.data_files) {
            kept.copy(&folder.path, target)?;
        }
        provenance.runs.extend(runs.into_iter().filter(|run| {
            let before = taken.get_mut(&whole(run)).filter(|before| **before > 0);
            before.map(|before| *before -= 1).is_none()
        }));
    }
    Ok(())
}

/// Returns all that is known of a run. Runs of several shards may have the same.
fn whole(run: &Run) -> String {
    format!("{run:?}")
}

fn mixed(path: &Path, other: &Path, what: &'static str) -> ResultsError {
    ResultsError::Mixed { path: path.to_owned(), other: other.to_owned(), what }
}

/// A segment of a shard.
struct Guest {
    segment: Segment,
    /// Place of its shard's folder.
    folder: usize,
}

/// Shards that belong together and have every trial.
struct Gathered {
    folders: Vec<Folder>,
    plan: PlanFile,
    guests: Vec<Guest>,
    finished: Finished,
    /// The builds of the plugin that made their trials.
    plugins: BTreeSet<String>,
}

impl Gathered {
    fn of(paths: &[PathBuf], accept_plugin_change: bool) -> Result<Self, ResultsError> {
        let mut folders: Vec<Folder> = Vec::with_capacity(paths.len());
        let mut common: Option<PlanFile> = None;
        let mut guests = Vec::new();
        let mut all: Option<(Finished, BTreeSet<String>)> = None;
        for (place, path) in paths.iter().enumerate() {
            let (folder, plan) = Folder::open(path)?;
            let first = common.get_or_insert_with(|| plan.clone());
            if let Some(what) = plan.conflict(first, accept_plugin_change) {
                return Err(mixed(path, &paths[0], what));
            }
            let (finished, plugins) =
                all.get_or_insert_with(|| (Finished::new(first.spec.arms.len()), BTreeSet::new()));
            let Contents { segments, trials, builds } = folder.read(&first.spec)?;
            // The segments say themselves which builds made them.
            let other = !plugins.is_empty() && !builds.is_empty() && *plugins != builds;
            if other && !accept_plugin_change {
                return Err(mixed(path, &paths[0], "a different build of the plugin"));
            }
            finished.extend(&trials);
            plugins.extend(builds);
            guests.extend(segments.into_iter().map(|segment| Guest { segment, folder: place }));
            folders.push(folder);
        }
        let (finished, plugins) = all.expect("the command line asks for one at least");
        let plan = common.expect("there is a first one");
        check_complete(&folders, &plan, &finished)?;
        Ok(Gathered { folders, plan, guests, finished, plugins })
    }
}

/// Segments of a shard, and the trials in them.
struct Contents {
    segments: Vec<Segment>,
    trials: Finished,
    /// Builds of the plugin.
    builds: BTreeSet<String>,
}

impl Folder {
    /// Looks through its segments: every entry has a trial of the experiment.
    fn read(&self, spec: &ResultsSpec) -> Result<Contents, ResultsError> {
        refuse_old_parts(&self.path)?;
        let judge = Judge::new(spec, FailedTrials::Keep);
        let (mut trials, mut builds) = (Finished::new(spec.arms.len()), BTreeSet::new());
        let mut segments = Vec::new();
        for path in list_segments(&self.path)? {
            let segment = Segment::open(&path).map_err(|error| self.broken(&path, error))?;
            builds.extend(segment.origin.plugins.iter().cloned());
            for index in segment.blocks.iter() {
                let block = segment.block(index).map_err(|error| self.broken(&path, error))?;
                for entry in block.entries() {
                    let Some(Judgement::Asked { arm, trial, .. }) = judge.judge(entry) else {
                        let message = "it has trials that do not belong to this experiment";
                        return Err(self.broken(&path, ResultsError::unreadable(&path, message)));
                    };
                    trials.insert(arm, trial);
                }
            }
            segments.push(segment);
        }
        Ok(Contents { segments, trials, builds })
    }

    /// Returns an error that says how a segment is damaged, and the way out.
    fn broken(&self, path: &Path, error: ResultsError) -> ResultsError {
        let what = match error {
            missing if missing.is_missing() => "it is missing".to_owned(),
            ResultsError::Unreadable { message, .. } => format!("it cannot be read ({message})"),
            error => return error,
        };
        let message = format!(
            "{what}: trials are lost; run shard {} again: it runs these trials again",
            self.shard
        );
        ResultsError::Record { path: path.to_owned(), message }
    }
}

/// Returns the hash of a record without its times and the words of its error, which depend on the
/// machine. It is equal for a row of a table and an entry of a segment.
fn digest(record: TrialRecord) -> u128 {
    let best = record.best.map(|best| Genome::F64(best.numbers()));
    let plain = TrialRecord { best, timing: Timing::default(), error: None, ..record };
    let hash = blake3::hash(format!("{plain:?}").as_bytes());
    let (start, _) = hash.as_bytes().split_first_chunk::<16>().expect("a hash has 32 bytes");
    u128::from_le_bytes(*start)
}

/// Checks whether every trial is there.
fn check_complete(
    folders: &[Folder],
    plan: &PlanFile,
    finished: &Finished,
) -> Result<(), ResultsError> {
    let PlanFile { round, spec, .. } = plan;
    let given: BTreeSet<Shard> = folders.iter().map(|folder| folder.shard).collect();
    let mut missing: BTreeMap<Shard, u64> = BTreeMap::new();
    for arm in 0..spec.arms.len() {
        let wanted = round.as_ref().map_or(0..spec.repeats, |round| round.trials[arm].clone());
        let length = wanted.end - wanted.start;
        for run in finished.missing(arm, wanted.clone()) {
            let mut trial = run.start - wanted.start;
            while trial < run.end - wanted.start {
                let holder = Shard::holding(folders[0].shard.of, arm, trial, length);
                let end = holder.trials(arm, length).end.min(run.end - wanted.start);
                *missing.entry(holder).or_default() += end - trial;
                trial = end;
            }
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let is_running = |shard: &Shard| {
        let mut own = folders.iter().filter(|folder| folder.shard == *shard);
        own.any(|folder| is_shard_running(&folder.path).unwrap_or(false))
    };
    let word = |(shard, trials): (&Shard, &u64)| match given.contains(shard) {
        true if is_running(shard) => format!("{shard} is still running: merge when it has ended"),
        true => format!("{shard} lacks {}: run it again", counted(*trials, "trial")),
        false => {
            format!("{shard} is missing ({}): run --shard {shard}", counted(*trials, "trial"))
        }
    };
    let missing = first_texts(missing.iter().map(word), 10, "").join("; ");
    Err(ResultsError::Incomplete { experiment: spec.experiment.clone(), missing })
}

/// Trials that the target folder has.
struct TargetTrials<'a> {
    path: &'a Path,
    sets: &'a [TableSet],
    segments: &'a [Segment],
}

/// Checks that trials that are there twice, in two shards or in the folder and a shard, are the
/// same. True if they are but for failed ones of the folder that a shard ran again.
fn check_agreement(
    spec: &ResultsSpec,
    kept: &TargetTrials<'_>,
    folders: &[Folder],
    guests: &[Guest],
) -> Result<bool, ResultsError> {
    let shards: BTreeSet<Shard> = folders.iter().map(|folder| folder.shard).collect();
    let own = kept.sets.len() + kept.segments.len();
    if own == 0 && shards.len() == folders.len() {
        return Ok(false);
    }
    let schema = TableSchema::of(spec);
    let segments: Vec<Segment> =
        kept.segments.iter().chain(guests.iter().map(|guest| &guest.segment)).cloned().collect();
    let mut sources = open_sources::<TrialRecord>(kept.sets, &segments, &schema)?;
    // Tables that are missing are no sources.
    let own = sources.len() - guests.len();
    let home = |source: usize| match source.checked_sub(own) {
        None => kept.path,
        Some(guest) => folders[guests[guest].folder].path.as_path(),
    };
    let mut ran_again = false;
    for arm in 0..spec.arms.len() {
        let mut first: Option<(u64, usize, u128, bool)> = None;
        walk_arm(&mut sources, arm, |found, source| {
            let record = source.take()?;
            let failed = record.outcome.may_be_retried();
            let own_digest = digest(record);
            match first.filter(|(trial, ..)| *trial == found.trial) {
                Some((_, source, other, _))
                    if other == own_digest || home(source) == home(found.stream) => {}
                Some((_, source, _, true)) if source < own => ran_again = true,
                Some((trial, source, ..)) => {
                    let arm = spec.arms[arm].label.clone();
                    let (path, other) = (home(found.stream), home(source));
                    return Err(ResultsError::Disagree {
                        path: path.to_owned(),
                        other: other.to_owned(),
                        arm,
                        trial,
                    });
                }
                None => first = Some((found.trial, found.stream, own_digest, failed)),
            }
            Ok(())
        })?;
    }
    Ok(ran_again)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::Trace;
    use crate::results::fixtures::{record, spec};

    #[test]
    fn the_words_of_an_error_are_no_part_of_a_result() {
        let spec = spec(&[20], 4, Trace::Best);
        let with = |error: Option<&str>| TrialRecord {
            error: error.map(str::to_owned),
            ..record(&spec, 0, 1)
        };
        assert_eq!(digest(with(Some("process 7 ended"))), digest(with(Some("process 8 ended"))));
        assert_ne!(digest(record(&spec, 0, 1)), digest(record(&spec, 0, 2)));
    }
}
