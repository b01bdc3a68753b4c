//! The algorithms, one per file: the search itself, with its source. Larger algorithms have their
//! entry in the registry in `entries`.

pub(super) mod annealing;
mod cma_es;
mod differential_evolution;
mod entries;
mod exhaustive;
mod genetic;
pub(super) mod hill_climbing;
mod iterated_local_search;
mod late_acceptance;
mod one_plus_lambda;
mod one_plus_lambda_lambda;
mod particle_swarm;
mod random_search;
mod settings;
mod tabu_search;
mod threshold_accepting;

pub use cma_es::{CmaEs, Covariance, Restarts};
pub use differential_evolution::{DifferentialEvolution, Jade, LShade, Shade, Strategy};
pub use exhaustive::Exhaustive;
pub use iterated_local_search::IteratedLocalSearch;
pub use late_acceptance::LateAcceptance;
pub use one_plus_lambda_lambda::OnePlusLambdaLambda;
pub use particle_swarm::{ParticleSwarm, Topology};
pub use random_search::RandomSearch;
pub use settings::{HillClimbing, PivotingRule, SimulatedAnnealing};
pub use tabu_search::TabuSearch;
pub use threshold_accepting::ThresholdAccepting;

use super::algorithm::Recipe;
use crate::operators::operator::Slot;
use crate::operators::registry::Family;

/// The algorithms, in the order of the documentation.
pub static ALGORITHMS: Family<Recipe> = Family {
    slot: Slot::Algorithm,
    plugin: None,
    entries: &[
        entries::EVOLUTIONARY,
        random_search::RANDOM_SEARCH,
        entries::HILL_CLIMBING,
        entries::SIMULATED_ANNEALING,
        threshold_accepting::THRESHOLD_ACCEPTING,
        late_acceptance::LATE_ACCEPTANCE,
        tabu_search::TABU_SEARCH,
        iterated_local_search::ITERATED_LOCAL_SEARCH,
        one_plus_lambda_lambda::ONE_PLUS_LAMBDA_LAMBDA,
        differential_evolution::DIFFERENTIAL_EVOLUTION,
        differential_evolution::JADE,
        differential_evolution::SHADE,
        differential_evolution::L_SHADE,
        particle_swarm::PARTICLE_SWARM,
        cma_es::CMA_ES,
        exhaustive::EXHAUSTIVE,
    ],
};
