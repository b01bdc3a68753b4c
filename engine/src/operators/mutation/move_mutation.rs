//! Mutations as moves: they list their changes and leave the genome as it is.

use super::mixed::mixed;
use super::{Genes, Listed, Loci, MutationKind, gaussian, inverted, polynomial, reset, two_places};
use crate::operators::{MoveList, Rearrangement};
use crate::problem::{Bounds, Description, Gene, GeneKind};
use crate::random::draws::{Random, Rate, below};
use crate::random::gap::Gap;
use crate::random::subsets::FirstHit;
use rand::Rng;

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
    /// A first bit is inverted, and others after gaps.
    FlipFirst(FirstHit, Gap),
    /// Bits are inverted.
    Flip,
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
            let loci = Loci::of(kind.genes().unwrap_or(Genes::One));
            let way = Way::of(kind, &loci, problem);
            MoveMutation { kind, loci, way }
        })
    }

    /// Returns whether mutations of this kind and length change few genes.
    pub(crate) fn is_one(kind: MutationKind, length: usize) -> bool {
        match kind.genes() {
            // A single gene has no other gene to swap with.
            None => kind == MutationKind::Swap && length > 1,
            Some(Genes::One) => true,
            Some(Genes::Each(rate) | Genes::AtLeastOne(rate)) => {
                rate * length as f64 <= (length as f64 / FEW).max(1.0)
            }
            Some(Genes::PowerLaw(law) | Genes::PowerLawRate(law)) => {
                law.mean() <= (length as f64 / FEW).max(1.0)
            }
        }
    }

    /// Returns whether mutants depend on the genome only by bits, which they invert.
    pub(crate) fn inverts(&self) -> bool {
        !matches!(self.way, Way::ResetOne { .. } | Way::Other)
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
            Way::ResetOne { first, values } => {
                let locus = below(random, row.len());
                let draw = below(random, values - 1);
                let old = row[locus].to_index() - first;
                list.change(locus, G::from_index(first + draw + usize::from(draw >= old)));
                list.end_move();
            }
            Way::Other => self.add_other(row, bounds, random, list),
            Way::Swap | Way::Reverse | Way::Insert => self.add_places(row.len(), random, list),
            _ => {
                self.flips(row.len(), random, |locus| list.change(locus, inverted(row[locus])));
                list.end_mutant(row);
            }
        }
    }

    /// Adds a mutant of a genome of `length` genes like [`add`](Self::add), if the
    /// mutation [inverts](Self::inverts). [`MoveList::invert`] writes the values.
    #[inline(always)]
    pub(crate) fn add_flips<G: Gene>(
        &self,
        length: usize,
        random: &mut impl Rng,
        list: &mut MoveList<G>,
    ) {
        match &self.way {
            Way::Swap | Way::Reverse | Way::Insert => self.add_places(length, random, list),
            _ => {
                self.flips(length, random, |locus| list.flip(locus));
                list.end_flips();
            }
        }
    }

    #[inline(always)]
    fn add_places<G: Gene>(&self, length: usize, random: &mut impl Rng, list: &mut MoveList<G>) {
        let Some((one, other)) = two_places(length, random) else { return };
        match &self.way {
            Way::Reverse => {
                list.rearrange(Rearrangement::Reversal, one.min(other), one.max(other));
            }
            Way::Insert => list.rearrange(Rearrangement::Insertion, one, other),
            _ => list.exchange(one, other),
        }
    }

    /// Calls `flip` for each bit that is inverted.
    #[inline(always)]
    fn flips(&self, length: usize, random: &mut impl Rng, mut flip: impl FnMut(usize)) {
        match &self.way {
            Way::FlipOne => flip(below(random, length)),
            Way::FlipSeldom(gap) => gap.each(random, length, |locus, _| flip(locus)),
            Way::FlipFirst(first, gap) => {
                let first = first.draw(random);
                flip(first);
                gap.each(random, length - first - 1, |place, _| flip(first + 1 + place));
            }
            _ => self.loci.each(length, random, |locus, _| flip(locus)),
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
            // These have a way of their own, or are no moves (`is_one`).
            kind @ (MutationKind::BitFlip { .. }
            | MutationKind::Swap
            | MutationKind::Insert
            | MutationKind::Inversion
            | MutationKind::Scramble
            | MutationKind::SelfAdaptiveGaussian(_)
            | MutationKind::SelfAdaptiveBitFlip(_)
            | MutationKind::Problem
            | MutationKind::Plugin) => unreachable!("{kind:?} has a way of its own"),
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
            (MutationKind::BitFlip { .. }, Loci::AtLeastOne(Rate::Seldom(gap), rate), _) => {
                let first = FirstHit::new(*rate, problem.genome_length);
                Way::FlipFirst(first, gap.clone())
            }
            (MutationKind::BitFlip { .. }, ..) => Way::Flip,
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
