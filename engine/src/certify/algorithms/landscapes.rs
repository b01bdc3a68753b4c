//! Enumerated landscapes: small problems with the neighbours and the fitness of every genome, by
//! definition.

use crate::operators::Rearrangement;
use crate::problem::{Problem, fixtures};
use std::collections::BTreeSet;

/// Landscape of a small problem.
#[derive(Clone, Copy)]
pub(super) enum Landscape {
    /// Bits, whose fitness is the number of ones.
    Ones,
    /// A ring of genes in 0..=2, whose fitness is the number of neighbours that are equal.
    Ring,
    /// Permutations, whose fitness is the number of neighbours that differ by 1, with these moves.
    Kings(Rearrangement),
}

impl Landscape {
    pub(super) fn problem(self, length: usize) -> Problem {
        match self {
            Landscape::Ones => fixtures::bits(length),
            Landscape::Ring => fixtures::ring(length),
            Landscape::Kings(_) => fixtures::kings(length),
        }
    }

    pub(super) fn fitness(self, genome: &[u8]) -> usize {
        let first = &genome[..1];
        match self {
            Landscape::Ones => genome.iter().filter(|bit| **bit == 1).count(),
            Landscape::Ring => {
                [genome, first].concat().windows(2).filter(|pair| pair[0] == pair[1]).count()
            }
            Landscape::Kings(_) => {
                genome.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == 1).count()
            }
        }
    }

    /// Returns the genomes that one move leads to, each once.
    pub(super) fn neighbors(self, genome: &[u8]) -> Vec<Vec<u8>> {
        match self {
            Landscape::Ones => one_changed(genome, 1),
            Landscape::Ring => one_changed(genome, 2),
            Landscape::Kings(kind) => rearranged(genome, kind),
        }
    }

    /// Returns all genomes of the length of `start`.
    pub(super) fn genomes(self, start: &[u8]) -> Vec<Vec<u8>> {
        let (mut found, mut next) = (BTreeSet::from([start.to_vec()]), vec![start.to_vec()]);
        while let Some(genome) = next.pop() {
            let new = self.neighbors(&genome).into_iter();
            next.extend(new.filter(|neighbor| found.insert(neighbor.clone())));
        }
        found.into_iter().collect()
    }
}

/// Returns the genomes in which one gene has another value of those up to `most`.
pub(super) fn one_changed(genome: &[u8], most: u8) -> Vec<Vec<u8>> {
    let changed = |at: usize| {
        (0..=most).filter(move |value| *value != genome[at]).map(move |value| {
            let mut neighbor = genome.to_vec();
            neighbor[at] = value;
            neighbor
        })
    };
    (0..genome.len()).flat_map(changed).collect()
}

fn rearranged(genome: &[u8], kind: Rearrangement) -> Vec<Vec<u8>> {
    let moved = |from: usize, to: usize| {
        let mut neighbor = genome.to_vec();
        match kind {
            Rearrangement::Swap => neighbor.swap(from, to),
            Rearrangement::Reversal => neighbor[from.min(to)..=from.max(to)].reverse(),
            Rearrangement::Insertion => {
                let gene = neighbor.remove(from);
                neighbor.insert(to, gene);
            }
        }
        neighbor
    };
    let places = 0..genome.len();
    let all = places.clone().flat_map(|from| places.clone().map(move |to| (from, to)));
    let all = all.map(|(from, to)| moved(from, to)).filter(|neighbor| neighbor != genome);
    BTreeSet::from_iter(all).into_iter().collect()
}
