//! Searches: a problem, an operator set and seeds in; what the trial comes to out. Knows neither
//! TOML, terminal nor disk.

mod anchors;
mod differences;
mod evolution;
mod executor;
mod exhaustive_search;
mod footprint;
mod hill_climbing;
mod incumbent;
mod ledger;
mod merit;
mod metropolis;
mod pairs;
pub mod parent_selection;
pub mod population;
mod proposals;
mod random_search;
mod simulated_annealing;
mod spread;
pub mod survivor_selection;
mod trial_state;
pub mod variation;
mod watcher;

#[cfg(test)]
mod tests;

pub use executor::TrialExecutor;
pub use footprint::{Footprint, OF_TRACE_ROW, most_trace_rows};
pub use watcher::{Generation, Watcher};

use crate::operators::{Algorithm, OperatorSet};
use crate::plan::settings::{Stop, Trace};
use crate::plan::start::Start;
use crate::problem::{Gene, GeneKind, Problem, Space};
use crate::random::draws::Random;
use evolution::Evolution;
use executor::{Executor, Solver};
use exhaustive_search::ExhaustiveSearch;
use hill_climbing::HillClimbing;
use rand::Rng;
use random_search::RandomSearch;
use simulated_annealing::SimulatedAnnealing;

/// The executor of an arm's trials, whose first population has the genomes of `start`. Algorithm
/// and kind of gene are decided here, once, and nowhere below.
///
/// # Panics
/// If the algorithm does not fit the problem: configs are checked for that.
#[must_use]
pub fn executor_for<'arm>(
    problem: &'arm Problem,
    operators: &'arm OperatorSet,
    stop: &'arm Stop,
    start: Option<&'arm Start>,
    trace: Trace,
) -> Box<dyn TrialExecutor + 'arm> {
    match problem.description().gene {
        GeneKind::U8 => of_gene::<u8>(problem, operators, stop, start, trace),
        GeneKind::U16 => of_gene::<u16>(problem, operators, stop, start, trace),
        GeneKind::U32 => of_gene::<u32>(problem, operators, stop, start, trace),
        GeneKind::F64 => of_gene::<f64>(problem, operators, stop, start, trace),
    }
}

fn of_gene<'arm, G: Gene>(
    problem: &'arm Problem,
    operators: &'arm OperatorSet,
    stop: &'arm Stop,
    start: Option<&'arm Start>,
    trace: Trace,
) -> Box<dyn TrialExecutor + 'arm> {
    fn of_solver<'arm, S: Solver + 'arm>(
        problem: &'arm Problem,
        stop: &'arm Stop,
        start: Option<&'arm Start>,
        trace: Trace,
        solver: S,
    ) -> Box<dyn TrialExecutor + 'arm> {
        Box::new(Executor::new(problem, stop, start, trace, solver))
    }
    match &operators.algorithm {
        Algorithm::Evolutionary(set) => {
            of_solver(problem, stop, start, trace, Evolution::<G>::new(problem, operators, set))
        }
        Algorithm::RandomSearch { population } => {
            of_solver(problem, stop, start, trace, RandomSearch::<G>::new(problem, *population))
        }
        Algorithm::HillClimbing(settings) => of_solver(
            problem,
            stop,
            start,
            trace,
            HillClimbing::<G>::new(problem, *settings, operators.constraints),
        ),
        Algorithm::SimulatedAnnealing(settings) => of_solver(
            problem,
            stop,
            start,
            trace,
            SimulatedAnnealing::<G>::new(problem, operators, settings),
        ),
        Algorithm::Exhaustive { population } => {
            let space = Space::of(problem.description()).expect("the config checked the space");
            of_solver(
                problem,
                stop,
                start,
                trace,
                ExhaustiveSearch::<G>::new(problem, space, *population),
            )
        }
    }
}

/// 32 fresh bytes: what a call of the plugin draws its random numbers from.
#[inline]
fn call_seed(random: &mut Random) -> [u8; 32] {
    let mut seed = [0; 32];
    random.fill_bytes(&mut seed);
    seed
}
