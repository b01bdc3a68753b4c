//! Operator sets: what a search is made of, resolved and checked.

use super::algorithm::Algorithm;
use super::crossover::Crossover;
use super::mutation::Mutation;
use super::registry::Slot;
use super::replacement::Replacement;
use super::scaling::Scaling;
use super::selection::Selection;
use super::values::Resolved;

/// What an arm searches with: an algorithm under the user's name for it.
#[derive(Clone, Debug, PartialEq)]
pub struct OperatorSet {
    /// The user's name for it; names the arm, changes no trial.
    pub name: String,
    pub algorithm: Algorithm,
    /// The same for tables and fingerprints: the operator of each slot, in the order of the slots.
    pub slots: Vec<(Slot, Resolved)>,
}

/// How one population turns into the next. Rates are probabilities, shares are parts of 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Evolutionary {
    /// Individuals in the population; at least 2.
    pub population: usize,
    pub scaling: Scaling,
    pub selection: Selection,
    /// Exactly one operation a step, by these shares; none: crossover, then mutation, each with its
    /// rate.
    pub mix: Option<Mix>,
    pub crossover: Option<Crossover>,
    pub mutation: Option<Mutation>,
    pub replacement: Replacement,
}

/// Shares of the operations; they sum to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    pub clone: f64,
    pub crossover: f64,
    pub mutate: f64,
}
