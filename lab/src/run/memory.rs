//! Whether the trials of an experiment fit into memory, before any of it is taken.

use crate::plan::{Arm, Plan};
use crate::search::Footprint;
use crate::system::memory::{Limit, limit, size};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Bytes that every process can have: for less, the system is not asked.
const LITTLE: u64 = 1 << 20;

/// Memory that trials need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryNeed {
    /// Bytes of a trial.
    pub trial: u128,
    /// Bytes of a finished trial on its way into the tables.
    pub record: u128,
}

impl MemoryNeed {
    /// Returns the bytes of `at_once` trials at once, and of a record.
    #[must_use]
    pub fn bytes(&self, at_once: u64) -> u128 {
        self.trial.saturating_mul(at_once.into()).saturating_add(self.record)
    }

    /// Returns the number of trials that fit into `bytes` bytes at once.
    #[must_use]
    pub fn fitting(&self, bytes: u128) -> u64 {
        let left = bytes.saturating_sub(self.record);
        u64::try_from(left / self.trial.max(1)).unwrap_or(u64::MAX)
    }
}

/// An experiment needs more memory than is available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryShortage {
    /// The arm that needs most: its place in the plan.
    pub arm: usize,
    /// Memory that one of its trials keeps.
    pub footprint: Footprint,
    /// Trials that run at once.
    pub at_once: u64,
    /// Bytes of all trials at once, and of a record on its way into the tables.
    pub total: u128,
    /// Limit that would be exceeded.
    pub limit: MemoryLimit,
    /// Setting that lowers the need.
    pub way_out: WayOut,
}

/// Limit that the need exceeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryLimit {
    /// Limit of all trials at once.
    Process(Limit),
    /// Bytes of a worker process, which runs one trial at a time.
    Worker(u64),
}

/// Change that would make the trials fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayOut {
    /// Greatest number of trials at once that fits.
    FewerJobs(u64),
    /// A smaller problem, or a population of at most this size.
    SmallerPopulation(u64),
    /// The problem itself is too large.
    SmallerProblem,
}

impl fmt::Display for MemoryShortage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = match &self.limit {
            MemoryLimit::Worker(bytes) => format!("a process may use {}", size((*bytes).into())),
            MemoryLimit::Process(limit) => limit.words.clone(),
        };
        write!(out, "its trials need {} of memory; {limit}", size(self.total))
    }
}

/// Returns the arm that needs most memory, by its place in the plan, and the footprint of its
/// trials. `None` if there are no arms.
fn largest(plan: &Plan, arms: &[Arm]) -> Option<(usize, Footprint)> {
    let of_arm = |arm: &Arm| {
        let operators = &arm.settings.operators;
        let footprint = operators.algorithm.footprint(arm.problem.description());
        match plan.trace.has_genomes() {
            true => footprint.with_trace(operators.most_trace_rows(&arm.settings.stop)),
            false => footprint,
        }
    };
    arms.iter().map(|arm| (arm.index, of_arm(arm))).max_by_key(|(_, needs)| needs.bytes())
}

/// Returns the maximum memory that a trial of these arms needs.
#[must_use]
pub fn memory_need(plan: &Plan, arms: &[Arm]) -> MemoryNeed {
    let footprint = largest(plan, arms).map(|(_, footprint)| footprint);
    let bytes = |of: fn(&Footprint) -> u128| footprint.as_ref().map_or(0, of);
    MemoryNeed { trial: bytes(Footprint::bytes), record: bytes(Footprint::record) }
}

/// Returns the shortage if the arm that needs most lacks memory while `jobs` trials run at once;
/// `None` if nothing is lacking. `worker` is the number of bytes that a worker process may use.
/// Commands, the page and the processes that run trials all ask this before trials run.
#[must_use]
pub fn memory_shortage(
    plan: &Plan,
    arms: &[Arm],
    jobs: usize,
    worker: Option<u64>,
) -> Option<MemoryShortage> {
    let little = Limit { bytes: LITTLE, words: String::new() };
    shortage(plan, arms, jobs, &little, worker)?;
    // No process has more addresses than that, whatever the system says.
    let words = || format!("no process can have more than {}", size(isize::MAX as u128));
    let process = limit().unwrap_or_else(|| Limit { bytes: isize::MAX as u64, words: words() });
    shortage(plan, arms, jobs, &process, worker)
}

/// Returns the shortage, as in [`memory_shortage`], for a given limit of this process.
fn shortage(
    plan: &Plan,
    arms: &[Arm],
    jobs: usize,
    process: &Limit,
    worker: Option<u64>,
) -> Option<MemoryShortage> {
    let at_once = (jobs as u64).min(plan.repeats).max(1);
    let (arm, footprint) = largest(plan, arms)?;
    let need = MemoryNeed { trial: footprint.bytes(), record: footprint.record() };
    let (one, total) = (need.trial, need.bytes(at_once));
    let left = |worker: u64| worker - OF_WORKER.min(worker / 2);
    let (limit, bytes) = match worker.filter(|worker| one > u128::from(left(*worker))) {
        Some(worker) => (MemoryLimit::Worker(worker), left(worker)),
        None if total > u128::from(process.bytes) => {
            (MemoryLimit::Process(process.clone()), process.bytes)
        }
        None => return None,
    };
    let fitting = need.fitting(bytes.into());
    let left = u128::from(bytes).saturating_sub(need.record);
    let way_out = match plan.arms[arm].settings.operators.algorithm.population_setting() {
        _ if fitting >= 1 && matches!(limit, MemoryLimit::Process(_)) => WayOut::FewerJobs(fitting),
        None => WayOut::SmallerProblem,
        Some(population) => match digit(population as u128 * left / one.max(1)) {
            0 | 1 => WayOut::SmallerProblem,
            most => WayOut::SmallerPopulation(most),
        },
    };
    Some(MemoryShortage { arm, footprint, at_once, total, limit, way_out })
}

/// Bytes of address space that a worker process takes for itself at most: 67 MB were measured, and
/// 115 MB of a debug build. Of a small limit, half is left for trials.
const OF_WORKER: u64 = 120 << 20;

/// Rounds down to one significant digit.
fn digit(number: u128) -> u64 {
    let mut unit = 1;
    while number / unit >= 10 {
        unit *= 10;
    }
    u64::try_from(number / unit * unit).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_population_is_proposed_with_one_digit() {
        assert_eq!([0, 9, 10, 4_731, 99_999].map(digit), [0, 9, 10, 4_000, 90_000]);
        assert_eq!(digit(u128::MAX), u64::MAX);
    }
}
