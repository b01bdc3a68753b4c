//! Test fixtures for operators: a problem of each encoding, and operator sets with one operator.

use crate::operators::{
    Crossover, CrossoverKind, Mix, Mutation, MutationKind, Replacement, Scaling, Schedules,
    Selection,
};
use crate::problem::{Problem, fixtures};
use crate::search::Evolutionary;

/// Number of genes of integer genomes, each in 0..=7.
pub(super) const DIGITS: usize = 8;
/// Number of genes of bit genomes.
pub(super) const BITS: usize = 20;
/// Number of genes of permutations.
pub(super) const PLACES: usize = 6;
/// Number of genes of real genomes, each in -100..=100.
pub(super) const REALS: usize = 4;
/// Number of words of the choice of mixed genomes.
pub(super) const WORDS: usize = 5;

/// One problem of each encoding.
pub(super) struct Problems {
    pub digits: Problem,
    pub bits: Problem,
    pub permutation: Problem,
    pub reals: Problem,
    /// A number and a whole number in -100..=100, one of [`WORDS`] words, and a bit.
    pub mixed: Problem,
}

impl Problems {
    pub(super) fn new() -> Self {
        Problems {
            digits: fixtures::digits(DIGITS),
            bits: fixtures::bits(BITS),
            permutation: fixtures::permutation(PLACES),
            reals: fixtures::reals(REALS),
            mixed: fixtures::mixed(WORDS),
        }
    }
}

/// Returns a generational operator set without variation, to which checks add operators.
pub(super) fn bare(selection: Selection, scaling: Scaling) -> Evolutionary {
    Evolutionary {
        population: 2,
        scaling,
        selection,
        mix: None,
        crossover: None,
        mutation: None,
        replacement: Replacement::Generational,
        sharing: None,
        schedules: Schedules::NONE,
    }
}

/// Returns an operator set whose only variation is a crossover.
pub(super) fn crossing(kind: CrossoverKind, rate: f64, children: usize) -> Evolutionary {
    Evolutionary {
        crossover: Some(Crossover { kind, rate, children }),
        ..bare(Selection::Uniform, Scaling::None)
    }
}

/// Returns an operator set whose only variation is a mutation.
pub(super) fn mutating(kind: MutationKind, rate: f64) -> Evolutionary {
    Evolutionary {
        mutation: Some(Mutation { kind, rate }),
        ..bare(Selection::Uniform, Scaling::None)
    }
}

/// Returns an operator set with a mix of one-child crossover and mutation.
pub(super) fn mixing(mix: Mix, crossover: CrossoverKind, mutation: MutationKind) -> Evolutionary {
    Evolutionary {
        mix: Some(mix),
        mutation: mutating(mutation, 1.0).mutation,
        ..crossing(crossover, 1.0, 1)
    }
}
