//! Searches: run a trial from a problem, an operator set and seeds, and return its result. No
//! search depends on TOML, the terminal or the disk.

pub mod algorithm;
pub mod algorithms;
mod anchors;
mod arm;
mod batch;
mod best;
mod births;
mod children;
pub(crate) mod clock;
mod conflicted;
mod distance;
mod diversity;
mod duplicates;
mod evaluation_log;
mod evaluator;
mod evolutionary;
mod executor;
mod footprint;
mod halt;
mod incumbent;
mod known_rows;
mod local;
mod logged;
mod look_ahead;
mod metropolis;
mod mutants;
mod neighbors;
mod noisy_rows;
mod operator_set;
mod pairs;
pub mod parent_selection;
mod plugin_operators;
pub mod population;
mod propose;
mod random_order;
pub mod ranking;
mod recorder;
pub mod registry;
mod resampling;
pub mod restarts;
mod seeds;
mod sharing;
mod snapshot;
mod snapshot_file;
mod spread;
pub mod start;
mod stop;
pub mod survivor_selection;
mod trace;
mod trial;
pub mod variation;
mod watcher;

#[cfg(test)]
mod tests;

pub use algorithm::{Algorithm, Guidance};
pub use arm::Arm;
pub use births::Birth;
pub use diversity::diversity_of;
pub use duplicates::Duplicates;
pub use evaluation_log::{EvaluationLog, Speed};
pub use evolutionary::Evolutionary;
pub use executor::TrialExecutor;
pub use footprint::{Footprint, OF_TRACE_ROW};
pub use operator_set::OperatorSet;
pub use plugin_operators::PluginOperators;
pub use resampling::{Resampling, Statistic};
pub use restarts::{RestartRule, Restarts};
pub use seeds::Seeds;
pub use sharing::Sharing;
pub use snapshot_file::SnapshotFile;
pub use start::Start;
pub use stop::{OnSuccess, Stop};
pub use trace::Trace;
pub use watcher::{Generation, Watcher};

use crate::problem::Problem;
use crate::random::draws::Random;
use rand::Rng;

/// Returns the executor of an arm's trials, whose first population has the genomes of `start`. The
/// algorithm and the kind of gene are decided here, once, and nowhere below.
///
/// # Panics
/// If the algorithm does not fit the problem; the check of configs prevents this.
#[must_use]
pub fn executor_for<'arm>(
    problem: &'arm Problem,
    operators: &'arm OperatorSet,
    stop: &'arm Stop,
    start: Option<&'arm Start>,
    trace: Trace,
) -> Box<dyn TrialExecutor + 'arm> {
    operators.algorithm.executor(operators.arm(problem, stop, start, trace))
}

/// Draws 32 bytes: the seed of the random numbers in one call of the plugin.
#[inline]
fn call_seed(random: &mut Random) -> [u8; 32] {
    let mut seed = [0; 32];
    random.fill_bytes(&mut seed);
    seed
}
