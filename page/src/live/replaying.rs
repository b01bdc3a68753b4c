//! Replaying: a trial of results, run again, improvement by improvement.

use super::frame::{Ending, Replayed, ReplayedStep};
use super::series::{Point, evenly};
use super::watching::board;
use crate::plan::find_arm;
use crate::record::{Improvement, TraceRow};
use crate::run::{PluginSource, Replay, differences};
use std::path::Path;

/// Improvements and generations that are shown at most.
const MOST: (usize, usize) = (200, 1_000);

/// These results, and the place of an arm in their plan.
///
/// # Errors
/// In words, if the results cannot be read, the plugin is not there any more, or there is no such
/// arm.
pub(super) fn open(
    folder: &Path,
    arm: &str,
    source: &PluginSource,
) -> Result<(Replay, usize), String> {
    let replay = Replay::open(folder, source).map_err(|error| error.to_string())?;
    let place = find_arm(&replay.plan.arms, arm).map_err(|error| error.to_string())?;
    Ok((replay, place))
}

/// A trial of these results, run again.
pub(super) fn replayed(replay: &Replay, place: usize, trial: u64) -> Result<Replayed, String> {
    let arm = &replay.plan.arms[place];
    let recorded = replay.recorded(arm, trial).map_err(|error| error.to_string())?;
    let record = replay.trial(arm, trial);
    let step = |improvement: &Improvement| ReplayedStep {
        generation: improvement.generation,
        evaluations: improvement.evaluations,
        fitness: improvement.fitness,
        violation: improvement.violation,
        board: board(&arm.problem, &improvement.genome),
    };
    Ok(Replayed {
        arm: arm.label.clone(),
        trial,
        seed: record.seed.to_string(),
        ending: Ending::of(&record),
        same: recorded.map(|recorded| differences(&recorded, &record).is_empty()),
        improvements: record.improvements.len(),
        steps: evenly(&record.improvements, MOST.0).iter().map(step).collect(),
        points: evenly(&record.trace, MOST.1).iter().map(Point::of_row).collect(),
    })
}

impl Point {
    /// A row of a trace.
    fn of_row(row: &TraceRow) -> Self {
        Point {
            generation: row.generation,
            evaluations: row.evaluations,
            best_so_far: row.feasible_so_far(),
            best: row.best,
            mean: row.mean,
            worst: row.worst,
            individuals: Vec::new(),
            children: None,
        }
    }
}
