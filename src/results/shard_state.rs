//! How far a shard is, from its files.

use crate::parquet::FrameError;
use crate::plan::ResultsSpec;
use crate::plan::round::{Round, Share};
use crate::plan::shard::Shard;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::read::Results;
use crate::results::schema::columns::Table;
use crate::results::schema::row::outcomes;
use crate::results::storage::attempt::{attempts, whole};
use crate::results::storage::folder::{PARTS, PLAN};
use crate::results::storage::plan_file::PlanFile;
use crate::results::storage::reader::{Refusal, TableReader};
use crate::stats::TrialCounts;
use std::path::Path;

/// How far a shard is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardState {
    /// Which one.
    pub shard: Shard,
    /// None: a shard of all trials.
    pub round: Option<Round>,
    /// Whether it has all of its trials, and nothing about it changes any more.
    pub is_done: bool,
    /// Runs of it that are under way, or ended without a word.
    pub attempts: usize,
    /// Its trials of each arm, in plan order.
    pub arms: Vec<TrialCounts>,
}

/// How far the shard in this folder is; none if no run of it has begun.
///
/// # Errors
/// If its files cannot be read.
pub fn shard_state(folder: &Path) -> Result<Option<ShardState>, ResultsError> {
    let plan = folder.join(PARTS).join(PLAN);
    let Some(file) = PlanFile::read(&plan)? else { return Ok(None) };
    let message = "it is not a shard's plan, written by this version of the runner".to_owned();
    let known = file.spec().zip(file.origin.shard);
    let Some((spec, shard)) = known else {
        return Err(ResultsError::Unreadable { path: plan, message });
    };
    let share = Share { shard, round: file.origin.round };
    let done = done_trials(folder, &spec, &share)?;
    let is_done = done.is_some();
    let arms = match done {
        Some(reader) => count(&reader, &spec)?,
        None => count_all(folder, &spec)?,
    };
    let attempts = attempts(folder)?.len();
    Ok(Some(ShardState { shard, round: share.round, is_done, attempts, arms }))
}

/// The table of a shard that has all of its trials.
fn done_trials(
    folder: &Path,
    spec: &ResultsSpec,
    share: &Share,
) -> Result<Option<TableReader>, ResultsError> {
    let path = whole(folder).path(Table::Trials);
    let reader = match TableReader::peek(&path, Table::Trials) {
        Ok(reader) => reader,
        // What is damaged is not done: the next run of the shard sets it aside.
        Err(Refusal::Missing | Refusal::Damaged(_)) => return Ok(None),
        Err(refusal) => return Err(refusal.into_error(&path)),
    };
    let trials = |arm| share.trials(arm, spec.repeats);
    let wanted: u64 =
        (0..spec.arms.len()).map(trials).map(|trials| trials.end - trials.start).sum();
    Ok((reader.rows() as u64 >= wanted).then_some(reader))
}

/// The trials of a table.
fn count(reader: &TableReader, spec: &ResultsSpec) -> Result<Vec<TrialCounts>, ResultsError> {
    let mut arms = vec![TrialCounts::default(); spec.arms.len()];
    let places: std::collections::HashMap<String, usize> =
        spec.arms.iter().enumerate().map(|(place, arm)| (arm.id.to_string(), place)).collect();
    let words = |error: FrameError| reader.damaged(error.to_string());
    for group in 0..reader.groups() {
        let frame = reader.group(group, Some(&["arm_id", "outcome", "success"]))?;
        let outcomes = outcomes(&frame, reader.start(group)).map_err(words)?;
        let ids = frame.column("arm_id").and_then(|column| column.str()).map_err(words)?;
        let successes = frame.column("success").and_then(|column| column.bool()).map_err(words)?;
        for ((id, outcome), success) in ids.iter().zip(outcomes).zip(successes.iter()) {
            if let Some(place) = id.and_then(|id| places.get(id)) {
                add(&mut arms[*place], outcome.is_failure(), success == Some(true));
            }
        }
    }
    Ok(arms)
}

/// The trials that a shard has so far.
fn count_all(folder: &Path, spec: &ResultsSpec) -> Result<Vec<TrialCounts>, ResultsError> {
    let mut arms = vec![TrialCounts::default(); spec.arms.len()];
    Results::open(folder)?.figures(|record: TrialRecord| -> Result<(), ResultsError> {
        add(&mut arms[record.arm], record.outcome.is_failure(), record.success);
        Ok(())
    })?;
    Ok(arms)
}

fn add(counts: &mut TrialCounts, failed: bool, success: bool) {
    counts.failures += u64::from(failed);
    counts.trials += u64::from(!failed);
    counts.successes += u64::from(!failed && success);
}
