//! Shards on the disk: whether they belong together and are complete, and their parts as parts of one experiment.

use super::columns::Table;
use super::error::ResultsError;
use super::finished::Finished;
use super::folder::{PARTS, PLAN, Unit, list_parts};
use super::layout::Layout;
use super::plan_file::PlanFile;
use super::provenance::{Provenance, Run};
use super::read::Results;
use super::store::{Opened, Store};
use super::summary::SummaryTable;
use crate::record::{Timing, TrialRecord};
use crate::shard::Shard;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// One folder that a run with `--shard` made.
struct Folder {
    path: PathBuf,
    shard: Shard,
    layout: Layout,
    runner_version: String,
}

impl Folder {
    fn open(path: &Path) -> Result<Self, ResultsError> {
        let none = |missing| ResultsError::None { path: path.to_owned(), missing };
        if !path.is_dir() {
            return Err(none("the folder does not exist"));
        }
        let plan = path.join(PARTS).join(PLAN);
        let bytes = fs::read(&plan).map_err(|_| none("it has no parts/plan.json, so it is not a shard"))?;
        let file = PlanFile::from_json(&bytes);
        let read = file.and_then(|file| Some((file.layout()?, file.origin?)));
        let Some((layout, origin)) = read else {
            let message = "it is not a plan that this runner wrote".to_owned();
            return Err(ResultsError::Unreadable { path: plan, message });
        };
        let shard = origin.shard.ok_or_else(|| none("its run had no --shard"))?;
        Ok(Folder { path: path.to_owned(), shard, layout, runner_version: origin.runner_version })
    }

    /// What keeps it from being merged with the first one.
    fn conflict(&self, first: &Folder) -> Option<&'static str> {
        let (one, other) = (&self.layout, &first.layout);
        let checks = [
            (one.experiment != other.experiment, "another experiment"),
            (self.shard.of != first.shard.of, "another number of shards"),
            (one.plugin.name != other.plugin.name, "another plugin"),
            (one.plugin.version != other.plugin.version, "another version of the plugin"),
            (one.plugin.blake3 != other.plugin.blake3, "another build of the plugin"),
            (self.runner_version != first.runner_version, "another version of the runner"),
            (one.seed != other.seed, "another seed"),
            (one.repeats != other.repeats, "another number of repeats"),
            (one.trace != other.trace, "another trace"),
            (one.arms != other.arms || one.fingerprints != other.fingerprints, "other arms"),
        ];
        checks.into_iter().find_map(|(differs, what)| differs.then_some(what))
    }
}

/// Puts shards together in `out/<experiment>/`; the folder and the summary.
///
/// # Errors
/// If the shards do not belong together, some are missing or incomplete, two disagree, or files cannot be read or written.
pub fn merge_shards(paths: &[PathBuf], out: &Path) -> Result<(PathBuf, SummaryTable), ResultsError> {
    let folders = paths.iter().map(|path| Folder::open(path)).collect::<Result<Vec<Folder>, ResultsError>>()?;
    let first = folders.first().expect("the command line asks for one at least");
    for folder in &folders {
        if let Some(what) = folder.conflict(first) {
            let (path, other) = (folder.path.clone(), first.path.clone());
            return Err(ResultsError::Mixed { path, other, what });
        }
    }
    let layout = &first.layout;
    check_trials(&folders, layout)?;
    let target = out.join(&layout.experiment);
    let Opened { mut store, .. } = Store::open(out, layout)?;
    let mut provenance = Provenance::read(&target)?;
    for folder in &folders {
        store.adopt(&folder.path)?;
        provenance.runs.extend(Provenance::read(&folder.path)?.runs);
    }
    let mut seen = BTreeSet::new();
    provenance.runs.retain(|run: &Run| seen.insert((run.start.clone(), run.host.clone(), run.overrides.clone())));
    // Opened anew, it looks through the parts as through those of a run that was cut short.
    store.close()?;
    let summary = Store::open(out, layout)?.store.finish()?;
    provenance.write(&target)?;
    Ok((target, summary))
}

/// Whether every trial is there, and the same wherever it is twice.
fn check_trials(folders: &[Folder], layout: &Layout) -> Result<(), ResultsError> {
    let mut finished = Finished::new(layout.arms.len());
    let mut digests: BTreeMap<(usize, u64), (blake3::Hash, usize)> = BTreeMap::new();
    // Only shards that are given twice can disagree.
    let mut times: BTreeMap<Shard, usize> = BTreeMap::new();
    folders.iter().for_each(|folder| *times.entry(folder.shard).or_default() += 1);
    for (place, folder) in folders.iter().enumerate() {
        let twice = times[&folder.shard] > 1;
        Results::open(&folder.path)?.trials(|record: TrialRecord| {
            finished.insert(record.arm, record.trial);
            if twice {
                let plain = TrialRecord { timing: Timing::default(), ..record };
                let digest = blake3::hash(format!("{plain:?}").as_bytes());
                let (known, other) = *digests.entry((plain.arm, plain.trial)).or_insert((digest, place));
                if known != digest {
                    return Err(ResultsError::Disagree {
                        path: folder.path.clone(),
                        other: folders[other].path.clone(),
                        arm: layout.arms[plain.arm].label.clone(),
                        trial: plain.trial,
                    });
                }
            }
            Ok(())
        })?;
    }
    let of = folders[0].shard.of;
    let mut missing: BTreeMap<Shard, u64> = BTreeMap::new();
    for arm in 0..layout.arms.len() {
        for trial in finished.missing(arm, layout.repeats) {
            *missing.entry(Shard::holding(of, arm, trial, layout.repeats)).or_default() += 1;
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
    Err(ResultsError::Incomplete { experiment: layout.experiment.clone(), missing: words.join("; ") })
}

impl Store {
    /// Takes copies of another folder's parts.
    fn adopt(&mut self, folder: &Path) -> Result<(), ResultsError> {
        for unit in list_parts(folder, &[Table::Trials])? {
            let number = self.take_number();
            let copy = Unit::part(self.folder(), 0, number);
            // Trials last, as always.
            for table in [Table::Generations, Table::Timings, Table::Trials] {
                let (from, to) = (unit.path(table), copy.path(table));
                match fs::copy(&from, &to) {
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound && table != Table::Trials => {}
                    copied => _ = copied.map_err(ResultsError::writing(&to, "copy the part"))?,
                }
            }
        }
        Ok(())
    }
}
