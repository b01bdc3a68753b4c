//! Settings of the larger algorithms, and their entries in the registry.

mod evolutionary;
mod hill_climbing;
mod simulated_annealing;

pub(super) use evolutionary::EVOLUTIONARY;
pub use evolutionary::Evolutionary;
pub(super) use hill_climbing::HILL_CLIMBING;
pub use hill_climbing::{HillClimbing, PivotingRule};
pub(super) use simulated_annealing::SIMULATED_ANNEALING;
pub use simulated_annealing::SimulatedAnnealing;
