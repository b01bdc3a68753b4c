//! Whether the trials of an experiment fit into memory, before any of it is taken.

use crate::operators::Algorithm;
use crate::plan::settings::Trace;
use crate::plan::{Arm, Plan};
use crate::search::{Footprint, most_trace_rows};
use crate::system::memory::Limit;

/// An experiment needs more memory than is available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemoryShortage {
    /// The arm that needs most: its place in the plan.
    pub arm: usize,
    /// What one of its trials keeps.
    pub footprint: Footprint,
    /// Trials that run at once.
    pub at_once: u64,
    /// Bytes of all trials at once, and of a record on its way into the tables.
    pub total: u128,
    pub limit: MemoryLimit,
    pub way_out: WayOut,
}

/// What the need is held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MemoryLimit {
    /// For all trials at once.
    Process(Limit),
    /// Bytes of a worker process, which runs one trial at a time.
    Worker(u64),
}

/// What would make the trials fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WayOut {
    /// So many trials at once.
    FewerJobs(u64),
    /// A smaller problem, or a population of at most so many.
    SmallerPopulation(u64),
    SmallerProblem,
}

/// Whether the arm that needs most lacks memory where `jobs` trials run at once. `process`: what
/// this process may use; `worker`: what a worker process may use, in bytes. None: nothing is
/// lacking, or no limit is known.
#[must_use]
pub(crate) fn memory_shortage(
    plan: &Plan,
    jobs: usize,
    process: Option<&Limit>,
    worker: Option<u64>,
) -> Option<MemoryShortage> {
    let at_once = (jobs as u64).min(plan.repeats).max(1);
    let of_arm = |arm: &Arm| {
        let algorithm = &arm.settings.operators.algorithm;
        let footprint = Footprint::of(arm.problem.description(), algorithm);
        match plan.trace {
            Trace::Genomes => footprint.with_trace(most_trace_rows(algorithm, &arm.settings.stop)),
            _ => footprint,
        }
    };
    let (arm, footprint) =
        plan.arms.iter().map(|arm| (arm, of_arm(arm))).max_by_key(|(_, needs)| needs.bytes())?;
    let (one, record) = (footprint.bytes(), footprint.record());
    let total = one * u128::from(at_once) + record;
    let (limit, bytes) = match (worker.filter(|bytes| one > u128::from(*bytes)), process) {
        (Some(bytes), _) => (MemoryLimit::Worker(bytes), bytes),
        (None, Some(limit)) if total > u128::from(limit.bytes) => {
            (MemoryLimit::Process(limit.clone()), limit.bytes)
        }
        _ => return None,
    };
    let left = u128::from(bytes).saturating_sub(record);
    let fitting = u64::try_from(left / one.max(1)).unwrap_or(u64::MAX);
    let way_out = match &arm.settings.operators.algorithm {
        _ if fitting >= 1 && matches!(limit, MemoryLimit::Process(_)) => WayOut::FewerJobs(fitting),
        Algorithm::HillClimbing(_) | Algorithm::SimulatedAnnealing(_) => WayOut::SmallerProblem,
        algorithm => match digit(algorithm.population() as u128 * left / one.max(1)) {
            0 | 1 => WayOut::SmallerProblem,
            most => WayOut::SmallerPopulation(most),
        },
    };
    Some(MemoryShortage { arm: arm.index, footprint, at_once, total, limit, way_out })
}

/// Down to one significant digit.
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
