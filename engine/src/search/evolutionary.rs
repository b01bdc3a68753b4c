//! Settings of the evolutionary algorithm of the slots.

use crate::operators::{Crossover, Mix, Mutation, Replacement, Scaling, Selection};

/// How one population turns into the next. Rates are probabilities, shares are parts of 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Evolutionary {
    /// Individuals in the population; at least 2.
    pub population: usize,
    /// Fitness to weights, for selections in proportion to weight.
    pub scaling: Scaling,
    /// Which individuals become parents.
    pub selection: Selection,
    /// Exactly one operation a step, by these shares; none: crossover, then mutation, each with its
    /// rate.
    pub mix: Option<Mix>,
    /// None: children are copies of their parents.
    pub crossover: Option<Crossover>,
    /// None: children are not mutated.
    pub mutation: Option<Mutation>,
    /// Which of parents and children make up the next generation.
    pub replacement: Replacement,
}
