//! The algorithms, each in a file of its own: settings, entry in the registry, solver. Larger
//! solvers have a file beside it.

pub(super) mod annealer;
pub(super) mod climber;
mod evolution;
mod evolutionary;
mod exhaustive;
mod hill_climbing;
mod random_search;
mod simulated_annealing;

pub use evolutionary::Evolutionary;
pub use exhaustive::Exhaustive;
pub use hill_climbing::{HillClimbing, PivotingRule};
pub use random_search::RandomSearch;
pub use simulated_annealing::SimulatedAnnealing;

use super::algorithm::Recipe;
use crate::operators::registry::{Family, Slot};

/// The algorithms, in the order of the documentation.
pub static ALGORITHMS: Family<Recipe> = Family {
    slot: Slot::Algorithm,
    plugin: None,
    entries: &[
        evolutionary::EVOLUTIONARY,
        random_search::RANDOM_SEARCH,
        hill_climbing::HILL_CLIMBING,
        simulated_annealing::SIMULATED_ANNEALING,
        exhaustive::EXHAUSTIVE,
    ],
};
