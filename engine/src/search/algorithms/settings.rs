//! Settings of hill climbing and of simulated annealing.

use crate::operators::{MutationKind, Rearrangement};

/// Settings of hill climbing in its `Neighborhood`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HillClimbing {
    /// Rule that chooses one of the better neighbours.
    pub pivoting_rule: PivotingRule,
    /// Maximum number of consecutive moves to neighbours of equal fitness.
    pub sideways: u64,
    /// Whether a local optimum leads to a restart at a random genome; otherwise it ends the trial.
    pub restarts: bool,
    /// Neighbours of a permutation.
    pub neighbors: Rearrangement,
}

/// Rule that chooses the neighbour that hill climbing moves to (Aarts and Lenstra 2003, Local
/// Search in Combinatorial Optimization, doi:10.2307/j.ctv346t9c).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PivotingRule {
    /// The best neighbour; among equals, a random one.
    Steepest,
    /// The first better neighbour, in random order.
    FirstImprovement,
}

/// Cooling schedule of simulated annealing, and its proposals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatedAnnealing {
    /// Temperature of the first generation, in units of fitness; greater than 0.
    pub temperature: f64,
    /// Factor of the temperature from one generation to the next; in (0, 1].
    pub cooling: f64,
    /// Number of proposals per generation.
    pub moves: usize,
    /// Mutation that proposes moves.
    pub mutation: MutationKind,
}
