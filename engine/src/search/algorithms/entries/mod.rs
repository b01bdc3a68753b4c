//! The entries of the larger algorithms in the registry.

mod evolutionary;
mod hill_climbing;
mod neighbors;
mod simulated_annealing;
mod starts;

pub(super) use evolutionary::EVOLUTIONARY;
pub(super) use hill_climbing::HILL_CLIMBING;
pub(super) use neighbors::{NEIGHBORS, listed_neighbors};
pub(super) use simulated_annealing::{SIMULATED_ANNEALING, movable, moves};
pub(super) use starts::{STARTS, is_greedy};
