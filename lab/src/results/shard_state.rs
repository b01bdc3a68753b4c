//! States of shards, according to their files.

use crate::plan::round::{Round, Share};
use crate::plan::shard::Shard;
use crate::plan::{ArmId, ResultsSpec};
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::read::Results;
use crate::results::storage::attempt::attempts;
use crate::results::storage::files::if_there;
use crate::results::storage::folder::{PARTS, PLAN, whole_path};
use crate::results::storage::lock::is_running;
use crate::results::storage::plan_file::PlanFile;
use crate::results::storage::segment::{BlockIndex, Segment};
use crate::stats::TrialCounts;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// Progress of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardState {
    /// Number of the shard, and the number of all shards.
    pub shard: Shard,
    /// Round of the shard; `None` if the shard is one of all trials.
    pub round: Option<Round>,
    /// Whether the shard has all of its trials and does not change any more.
    pub is_done: bool,
    /// Whether a run of it is under way. False if that is unknown, such as on another machine.
    pub is_running: bool,
    /// Trials of each arm, in plan order.
    pub arms: Vec<TrialCounts>,
}

/// Returns the state of the shard in this folder; `None` if no run of it has begun.
///
/// # Errors
/// Returns an error if the shard's files cannot be read.
pub fn shard_state(folder: &Path) -> Result<Option<ShardState>, ResultsError> {
    let plan = folder.join(PARTS).join(PLAN);
    let Some(PlanFile { spec, shard, round, .. }) = PlanFile::read(&plan)? else {
        return Ok(None);
    };
    let message = "it is not a shard's plan, written by this version of the runner";
    let shard = shard.ok_or_else(|| ResultsError::unreadable(&plan, message))?;
    let share = Share { shard, round };
    let done = done_trials(folder, &spec, &share)?;
    let is_done = done.is_some();
    let arms = match done {
        Some(segment) => count(&segment, &spec),
        None => count_all(folder, &spec)?,
    };
    let is_running = is_shard_running(folder)?;
    Ok(Some(ShardState { shard, round: share.round, is_done, is_running, arms }))
}

/// Returns whether a run of the experiment, or of the shard, in this folder is under way. Returns
/// false if that is unknown.
#[must_use]
pub fn is_being_run(folder: &Path) -> bool {
    is_running(folder) || is_shard_running(folder).unwrap_or(false)
}

/// Returns whether a run of the shard in this folder is under way. Returns false if that is
/// unknown, such as on another machine.
///
/// # Errors
/// Returns an error if the folder cannot be read.
pub fn is_shard_running(folder: &Path) -> Result<bool, ResultsError> {
    Ok(attempts(folder)?.iter().any(|attempt| is_running(attempt)))
}

/// Returns whether each block of a shard that has all of its trials can be read. All bytes of the
/// shard are read.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub fn is_shard_sound(folder: &Path) -> Result<bool, ResultsError> {
    let Some(segment) = if_there(Segment::open(&whole_path(folder)))? else { return Ok(true) };
    for block in segment.blocks.iter() {
        match segment.block(block) {
            Err(ResultsError::Unreadable { .. }) => return Ok(false),
            read => drop(read?),
        }
    }
    Ok(true)
}

/// Returns whether the shard in this folder has all of its trials and does not change any more.
pub(crate) fn shard_is_done(
    folder: &Path,
    spec: &ResultsSpec,
    share: &Share,
) -> Result<bool, ResultsError> {
    Ok(done_trials(folder, spec, share)?.is_some())
}

/// Returns the segment of a shard that has all of its trials and no others, such as of another
/// seed or of arms that the config no longer has.
fn done_trials(
    folder: &Path,
    spec: &ResultsSpec,
    share: &Share,
) -> Result<Option<Segment>, ResultsError> {
    let segment = match if_there(Segment::open(&whole_path(folder))) {
        Ok(Some(segment)) => segment,
        // What is damaged is not done: the next run of the shard sets it aside.
        Ok(None) | Err(ResultsError::Unreadable { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let wanted: BTreeMap<ArmId, Range<u64>> = (spec.arms.iter().enumerate())
        .map(|(place, arm)| (arm.id, share.trials(place, spec.repeats)))
        .collect();
    let is_asked = |block: &BlockIndex| {
        let within =
            |trials: &Range<u64>| trials.contains(&block.first) && trials.contains(&block.last);
        wanted.get(&block.arm).is_some_and(within)
    };
    let there: u64 =
        segment.blocks.iter().map(|block| block.counts.trials + block.counts.failures).sum();
    let is_done = segment.origin.seed == spec.seed
        && segment.blocks.iter().all(is_asked)
        && there == wanted.values().map(|trials| trials.end - trials.start).sum::<u64>();
    Ok(is_done.then_some(segment))
}

/// Counts the trials of a segment.
fn count(segment: &Segment, spec: &ResultsSpec) -> Vec<TrialCounts> {
    let mut arms = vec![TrialCounts::default(); spec.arms.len()];
    let places: BTreeMap<ArmId, usize> =
        spec.arms.iter().enumerate().map(|(place, arm)| (arm.id, place)).collect();
    for block in segment.blocks.iter() {
        if let Some(place) = places.get(&block.arm) {
            arms[*place] += block.counts;
        }
    }
    arms
}

/// Returns the trials that a shard has so far.
fn count_all(folder: &Path, spec: &ResultsSpec) -> Result<Vec<TrialCounts>, ResultsError> {
    let mut arms = vec![TrialCounts::default(); spec.arms.len()];
    Results::open(folder)?.figures(|record: TrialRecord| {
        arms[record.arm].add(record.outcome.is_failure(), record.success);
    })?;
    Ok(arms)
}
