//! Births: how some children of a watched generation were made from their parents.

use crate::problem::{Gene, Genome};

/// Children that are noted in a generation at most.
pub(super) const NOTED: usize = 6;

/// A child and its parents.
#[derive(Clone, Debug, PartialEq)]
pub struct Birth {
    /// Parents with their fitness: one of a copy, two of a crossover. The genes before a cut are
    /// those of the first parent.
    pub parents: Vec<(Genome, f64)>,
    /// Number of genes before the cut of one-point crossover; `None` without such a cut.
    pub cut: Option<usize>,
    /// Child before its mutation.
    pub bred: Genome,
    /// Whether the child was chosen for mutation. A mutation may leave all genes as they are.
    pub mutates: bool,
    /// Child as it was evaluated.
    pub born: Genome,
    /// Fitness of the child; lower is better.
    pub fitness: f64,
}

/// Descent of a child from its parents.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Descent {
    /// Rows of the parents, in the order of their genes; twice the same row for a copy.
    pub parents: [u32; 2],
    /// Number of the pair that was crossed, from 0; `None` of a copy.
    pub pair: Option<u32>,
}

/// Returns a row of `length` genes as a genome.
pub(super) fn genome_of<G: Gene>(genes: &[G], length: usize, row: usize) -> Genome {
    Genome::from_genes(&genes[row * length..][..length])
}
