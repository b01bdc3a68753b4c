//! Tuning: which settings are tried next, from those that earlier races left.
//!
//! The method is iterated racing, as in irace (López-Ibáñez, Dubois-Lacoste, Pérez Cáceres,
//! Birattari and Stützle 2016, doi:10.1016/j.orp.2016.09.002). An iteration draws settings around
//! the survivors of the one before, and races all of them by cost
//! ([`cost_race`](crate::sequential::cost_race)). It differs from irace in this:
//!
//! - The race drops settings by sequential tests that are valid at every look, in place of Friedman
//!   tests.
//! - The first settings form a Latin hypercube, in place of independent draws.
//! - A new setting has a choice of its parent with probability 1 - width, in place of
//!   probabilities that are learned along a line of parents. Settings agree within 0.01.
//! - Races have their own number of settings ([`Schedule`]).
//! - Every iteration runs trials with fresh seeds. Survivors do not keep the trials by which they
//!   were chosen.

mod forest;
mod importance;
mod iterations;
mod sampler;
mod schedule;
mod seeds;
mod space;

pub use importance::{Importance, Shares, importance};
pub use iterations::{Iteration, Raced, Races, Setting, Tuned, tune};
pub use sampler::settings_with;
pub use schedule::{Schedule, survivors};
pub use seeds::seed_of;
pub use space::{Coordinate, Dimension, Point, Space};

#[cfg(test)]
mod tests;
