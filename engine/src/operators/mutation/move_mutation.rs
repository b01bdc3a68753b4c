//! Mutations as moves: they list their changes and leave the genome as it is.

use super::mixed::mixed;
use super::{
    Genes, Listed, Loci, MutationKind, bit_flip, gaussian, inverted, polynomial, reset, two_places,
};
use crate::operators::{MoveList, Rearrangement};
use crate::problem::{Bounds, Description, Gene, GeneKind};
use crate::random::draws::{Random, Rate, below};
use crate::random::gap::Gap;

/// Mutation that lists its changes and leaves the genome as it is. Uses the same random draws as
/// [`RowMutation`](super::RowMutation).
#[derive(Clone, Debug)]
pub(crate) struct MoveMutation {
    kind: MutationKind,
    loci: Loci,
    way: Way,
}

/// Way to draw the changes, chosen once. Searches by moves spend most of their time here, so the
/// usual mutations have ways of their own.
#[derive(Clone, Debug)]
enum Way {
    Swap,
    /// A segment of a permutation is reversed.
    Reverse,
    /// A gene of a permutation moves to another place.
    Insert,
    /// One bit is inverted.
    FlipOne,
    /// Bits are inverted after gaps.
    FlipSeldom(Gap),
    /// One gene takes another of the values from `first` on, at least 2.
    ResetOne {
        first: usize,
        values: usize,
    },
    Other,
}

/// Minimum number of genes per changed gene for which moves are used. A mutation that changes one
/// gene always uses moves. Above that share of changed genes, whole genomes are as fast as moves.
const FEW: f64 = 8.0;

impl MoveMutation {
    /// Prepares a mutation of this kind for a problem. `None` if it changes many genes, or if only
    /// a plugin knows which genes change.
    pub(crate) fn of(kind: MutationKind, problem: &Description) -> Option<Self> {
        let length = problem.genome_length;
        let is_move = match kind {
            MutationKind::Inversion => length > 1 && problem.has_reversals,
            MutationKind::Insert => length > 1 && problem.has_insertions,
            _ => Self::is_one(kind, length),
        };
        is_move.then(|| {
            let loci = Loci::of(kind.genes());
            let way = Way::of(kind, &loci, problem);
            MoveMutation { kind, loci, way }
        })
    }

    /// Returns whether mutations of this kind and length change few genes.
    pub(crate) fn is_one(kind: MutationKind, length: usize) -> bool {
        match kind {
            MutationKind::Insert
            | MutationKind::Inversion
            | MutationKind::Scramble
            | MutationKind::SelfAdaptiveGaussian(_)
            | MutationKind::SelfAdaptiveBitFlip(_)
            | MutationKind::Problem
            | MutationKind::Plugin => false,
            // A single gene has no other gene to swap with.
            MutationKind::Swap => length > 1,
            _ => match kind.genes() {
                Genes::One => true,
                Genes::Each(rate) | Genes::AtLeastOne(rate) => {
                    rate * length as f64 <= (length as f64 / FEW).max(1.0)
                }
                Genes::PowerLaw(law) | Genes::PowerLawRate(law) => {
                    law.mean() <= (length as f64 / FEW).max(1.0)
                }
            },
        }
    }

    /// Adds a mutant of `row` to the list, as one move.
    #[inline(always)]
    pub(crate) fn add<G: Gene>(
        &self,
        row: &[G],
        bounds: &Bounds,
        random: &mut Random,
        list: &mut MoveList<G>,
    ) {
        match &self.way {
            Way::Swap => {
                if let Some((one, other)) = two_places(row.len(), random) {
                    list.exchange(one, other);
                }
            }
            Way::Reverse => {
                if let Some((one, other)) = two_places(row.len(), random) {
                    list.rearrange(Rearrangement::Reversal, one.min(other), one.max(other));
                }
            }
            Way::Insert => {
                if let Some((from, to)) = two_places(row.len(), random) {
                    list.rearrange(Rearrangement::Insertion, from, to);
                }
            }
            Way::FlipOne => {
                let locus = below(random, row.len());
                list.change(locus, inverted(row[locus]));
                list.end_move();
            }
            Way::FlipSeldom(gap) => {
                gap.each(random, row.len(), |locus, _| list.change(locus, inverted(row[locus])));
                list.end_mutant(row);
            }
            Way::ResetOne { first, values } => {
                let locus = below(random, row.len());
                let draw = below(random, values - 1);
                let old = row[locus].to_index() - first;
                list.change(locus, G::from_index(first + draw + usize::from(draw >= old)));
                list.end_move();
            }
            Way::Other => self.add_other(row, bounds, random, list),
        }
    }

    #[inline(never)]
    fn add_other<G: Gene>(
        &self,
        row: &[G],
        bounds: &Bounds,
        random: &mut Random,
        list: &mut MoveList<G>,
    ) {
        let (loci, target) = (&self.loci, Listed { row, list });
        match self.kind {
            MutationKind::Reset { different, .. } => reset(target, bounds, loci, different, random),
            MutationKind::Gaussian { sigma, .. } => gaussian(target, bounds, sigma, loci, random),
            MutationKind::Polynomial { eta, .. } => polynomial(target, bounds, eta, loci, random),
            MutationKind::Mixed { sigma, .. } => mixed(target, bounds, sigma, loci, random),
            _ => bit_flip(target, loci, random),
        }
        list.end_mutant(row);
    }
}

impl Way {
    fn of(kind: MutationKind, loci: &Loci, problem: &Description) -> Self {
        match (kind, loci, &problem.bounds) {
            (MutationKind::Swap, ..) => Way::Swap,
            (MutationKind::Inversion, ..) => Way::Reverse,
            (MutationKind::Insert, ..) => Way::Insert,
            (MutationKind::BitFlip { .. }, Loci::One, _) => Way::FlipOne,
            (MutationKind::BitFlip { .. }, Loci::Each(Rate::Seldom(gap)), _) => {
                Way::FlipSeldom(gap.clone())
            }
            (
                MutationKind::Reset { different: true, .. },
                Loci::One,
                Bounds::Uniform { low, high },
            ) if problem.gene != GeneKind::F64 && low < high => {
                Way::ResetOne { first: *low as usize, values: (high - low) as usize + 1 }
            }
            _ => Way::Other,
        }
    }
}
