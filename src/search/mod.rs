//! Searches: a problem, an operator set and a seed in; a finished trial out. Knows neither TOML,
//! terminal nor disk.

mod evolution;
mod exhaustive_search;
mod footprint;
mod hill_climbing;
pub mod parent_selection;
pub mod population;
mod random_search;
mod simulated_annealing;
mod trial_state;
pub mod variation;

use crate::operators::{Algorithm, OperatorSet};
use crate::plan::seed::Seeds;
use crate::plan::settings::{Stop, Trace};
use crate::problem::{Gene, GeneKind, Problem, Space};
use crate::random::draws::Random;
use crate::record::TrialRecord;
use crate::system::interrupt::Interrupt;
use evolution::Evolution;
use exhaustive_search::ExhaustiveSearch;
pub use footprint::Footprint;
use hill_climbing::HillClimbing;
use random_search::RandomSearch;
use simulated_annealing::SimulatedAnnealing;
use variation::call_seed;

/// A search that runs one trial after the other, its buffers kept between them.
pub trait Search {
    /// Runs the trial with these seeds. None: it was interrupted. `arm`, `trial` and `timing` of
    /// the record are the caller's to fill in.
    fn run(&mut self, seeds: Seeds, interrupt: &Interrupt) -> Option<TrialRecord>;
}

/// The search for an arm. Algorithm and kind of gene are decided here, once, and nowhere below.
///
/// # Panics
/// If the algorithm does not fit the problem: configs are checked for that.
#[must_use]
pub fn searcher<'arm>(
    problem: &'arm Problem,
    operators: &'arm OperatorSet,
    stop: &'arm Stop,
    trace: Trace,
) -> Box<dyn Search + 'arm> {
    match problem.description().gene {
        GeneKind::U8 => of_gene::<u8>(problem, operators, stop, trace),
        GeneKind::U16 => of_gene::<u16>(problem, operators, stop, trace),
        GeneKind::U32 => of_gene::<u32>(problem, operators, stop, trace),
        GeneKind::F64 => of_gene::<f64>(problem, operators, stop, trace),
    }
}

fn of_gene<'arm, G: Gene>(
    problem: &'arm Problem,
    operators: &'arm OperatorSet,
    stop: &'arm Stop,
    trace: Trace,
) -> Box<dyn Search + 'arm> {
    match &operators.algorithm {
        Algorithm::Evolutionary(settings) => {
            Box::new(Evolution::<G>::new(problem, settings, stop, trace))
        }
        Algorithm::RandomSearch { population } => {
            Box::new(RandomSearch::<G>::new(problem, *population, stop, trace))
        }
        Algorithm::HillClimbing(settings) => {
            Box::new(HillClimbing::<G>::new(problem, *settings, stop, trace))
        }
        Algorithm::SimulatedAnnealing(settings) => {
            Box::new(SimulatedAnnealing::<G>::new(problem, settings, stop, trace))
        }
        Algorithm::Exhaustive { population } => {
            let space = Space::of(problem.description()).expect("the config checked the space");
            Box::new(ExhaustiveSearch::<G>::new(problem, space, *population, stop, trace))
        }
    }
}

/// What the call that samples the initial population draws from: trials that are paired share it.
fn first_sample(seeds: Seeds, random: &mut Random) -> [u8; 32] {
    match seeds.start {
        None => call_seed(random),
        Some(start) => call_seed(&mut Random::seed_from_u64(start)),
    }
}
