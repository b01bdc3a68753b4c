//! The algorithms, one per file: the search itself, with its source. Larger algorithms have their
//! entry in the registry in `entries`.

pub(super) mod annealing;
mod cellular;
mod cma_es;
mod conflict_minimization;
mod deterministic_crowding;
mod differential_evolution;
mod entries;
mod estimation;
mod exhaustive;
mod genetic;
mod greedy_hill_climbing;
pub(super) mod hill_climbing;
mod islands;
mod iterated_local_search;
mod late_acceptance;
mod min_conflicts;
mod one_plus_lambda;
mod one_plus_lambda_lambda;
mod one_plus_one_es;
mod particle_swarm;
mod plugin_algorithm;
mod prelude;
mod random_search;
mod self_adjusting;
mod settings;
mod tabu_search;
mod threshold_accepting;
mod variable_neighborhood_search;

pub use cellular::{Cells, Cellular, Update};
pub use cma_es::{CmaEs, Covariance, Restarts};
pub use conflict_minimization::ConflictMinimization;
pub use deterministic_crowding::DeterministicCrowding;
pub use differential_evolution::{DifferentialEvolution, Jade, LShade, Shade, Strategy};
pub use estimation::{Cga, Pbil, Umda};
pub use exhaustive::Exhaustive;
pub use greedy_hill_climbing::GreedyHillClimbing;
pub use islands::{Emigrants, Islands, Migration};
pub use iterated_local_search::IteratedLocalSearch;
pub use late_acceptance::LateAcceptance;
pub use min_conflicts::MinConflicts;
pub use one_plus_lambda_lambda::OnePlusLambdaLambda;
pub use one_plus_one_es::OnePlusOneEs;
pub use particle_swarm::{ParticleSwarm, Topology};
pub use plugin_algorithm::PluginAlgorithm;
pub use random_search::RandomSearch;
pub use self_adjusting::{Control, Rounding, SelfAdjustingOnePlusLambda};
pub use settings::{HillClimbing, PivotingRule, SimulatedAnnealing};
pub use tabu_search::TabuSearch;
pub use threshold_accepting::ThresholdAccepting;
pub use variable_neighborhood_search::VariableNeighborhoodSearch;

use super::algorithm::Recipe;
use crate::operators::operator::Slot;
use crate::operators::registry::Family;

/// The algorithms, in the order of the documentation.
pub static ALGORITHMS: Family<Recipe> = Family {
    slot: Slot::Algorithm,
    plugin: Some(plugin_algorithm::PLUGIN_ALGORITHM),
    entries: &[
        entries::EVOLUTIONARY,
        islands::ISLANDS,
        cellular::CELLULAR,
        deterministic_crowding::DETERMINISTIC_CROWDING,
        random_search::RANDOM_SEARCH,
        entries::HILL_CLIMBING,
        entries::SIMULATED_ANNEALING,
        threshold_accepting::THRESHOLD_ACCEPTING,
        late_acceptance::LATE_ACCEPTANCE,
        tabu_search::TABU_SEARCH,
        iterated_local_search::ITERATED_LOCAL_SEARCH,
        variable_neighborhood_search::VARIABLE_NEIGHBORHOOD_SEARCH,
        min_conflicts::MIN_CONFLICTS,
        conflict_minimization::CONFLICT_MINIMIZATION,
        one_plus_lambda_lambda::ONE_PLUS_LAMBDA_LAMBDA,
        self_adjusting::SELF_ADJUSTING_ONE_PLUS_LAMBDA,
        greedy_hill_climbing::GREEDY_HILL_CLIMBING,
        estimation::UMDA,
        estimation::PBIL,
        estimation::CGA,
        differential_evolution::DIFFERENTIAL_EVOLUTION,
        differential_evolution::JADE,
        differential_evolution::SHADE,
        differential_evolution::L_SHADE,
        particle_swarm::PARTICLE_SWARM,
        cma_es::CMA_ES,
        one_plus_one_es::ONE_PLUS_ONE_ES,
        exhaustive::EXHAUSTIVE,
    ],
};
