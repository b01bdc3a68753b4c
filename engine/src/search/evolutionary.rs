//! Settings of the evolutionary algorithm, whose slots hold operators.

use crate::operators::{Crossover, Mix, Mutation, Replacement, Scaling, Selection};

/// Operators that turn one population into the next. Rates are probabilities, shares parts of 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Evolutionary {
    /// Number of individuals; at least 2, or 1 with mutation only and the replacement plus or
    /// comma.
    pub population: usize,
    /// Scaling from fitness to weights, for selections in proportion to weight.
    pub scaling: Scaling,
    /// Selection of parents.
    pub selection: Selection,
    /// Shares of a mix, which applies exactly one operation per step. `None` if crossover and then
    /// mutation apply, each with its rate.
    pub mix: Option<Mix>,
    /// Crossover; `None` if children are copies of their parents.
    pub crossover: Option<Crossover>,
    /// Mutation; `None` if children are not mutated.
    pub mutation: Option<Mutation>,
    /// Selection of the next generation from parents and children.
    pub replacement: Replacement,
}
