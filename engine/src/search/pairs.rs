//! Pairs of parents: the pairs that are crossed, and the rows of their children.

use super::evolutionary::Evolutionary;
use super::population::Population;
use crate::operators::crossover::{self, ParentPairs};
use crate::operators::{Crossover, Cut};
use crate::problem::{Gene, copy_genes};
use crate::random::draws::Random;
use crate::system::aligned::Aligned;

/// Two parents with one or two children, of which the first is at row `child`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub first: u32,
    pub second: u32,
    pub child: u32,
    pub children: u32,
}

/// Returns whether every pair of parents is crossed, so that no pair needs to be listed.
pub(super) fn crosses_all(operators: &Evolutionary) -> bool {
    operators.mix.is_none() && operators.crossover.is_some_and(|crossover| crossover.rate >= 1.0)
}

/// Iterator over pairs of consecutive parents, each with the rows of its children.
pub(super) struct Pairs<'generation> {
    parents: std::slice::ChunksExact<'generation, u32>,
    per_pair: u32,
    child: u32,
    offspring: u32,
}

impl<'generation> Pairs<'generation> {
    pub(super) fn new(parents: &'generation [u32], per_pair: usize, offspring: usize) -> Self {
        Pairs {
            parents: parents.chunks_exact(2),
            per_pair: per_pair as u32,
            child: 0,
            offspring: offspring as u32,
        }
    }
}

impl Iterator for Pairs<'_> {
    type Item = Pair;

    #[inline]
    fn next(&mut self) -> Option<Pair> {
        let pair = self.parents.next()?;
        let child = self.child;
        // A second child beyond the last row is not made.
        let children = self.per_pair.min(self.offspring - child);
        self.child += children;
        Some(Pair { first: pair[0], second: pair[1], child, children })
    }
}

/// Pairs that are crossed, in the order of their children.
#[derive(Clone, Copy)]
pub(super) enum PairList<'generation> {
    /// All chosen parents, in consecutive pairs.
    All {
        parents: &'generation [u32],
        per_pair: usize,
        offspring: usize,
    },
    Listed(&'generation [Pair]),
}

impl<'generation> PairList<'generation> {
    pub(super) fn new(
        operators: &Evolutionary,
        listed: &'generation [Pair],
        parents: &'generation [u32],
        offspring: usize,
    ) -> Self {
        match operators.crossover {
            Some(Crossover { children, .. }) if crosses_all(operators) => {
                PairList::All { parents, per_pair: children, offspring }
            }
            _ => PairList::Listed(listed),
        }
    }

    #[inline]
    pub(super) fn each(&self, visit: impl FnMut(Pair)) {
        match *self {
            PairList::All { parents, per_pair, offspring } => {
                Pairs::new(parents, per_pair, offspring).for_each(visit)
            }
            PairList::Listed(pairs) => pairs.iter().copied().for_each(visit),
        }
    }

    /// Returns the number of children of the pairs.
    #[inline]
    pub(super) fn children(&self) -> usize {
        let mut children = 0;
        self.each(|pair| children += pair.children as usize);
        children
    }

    /// Fills a row of `first` and a row of `second` per child. The parents of a first child keep
    /// their order; those of a second child are in reverse order.
    #[inline]
    pub(super) fn copy_parents<G: Gene>(
        &self,
        population: &Population<G>,
        first: &mut [G],
        second: &mut [G],
    ) {
        let length = population.length();
        let mut rows = first.chunks_exact_mut(length).zip(second.chunks_exact_mut(length));
        self.each(|pair| {
            let (one, other) =
                (population.row(pair.first as usize), population.row(pair.second as usize));
            let orders = [(one, other), (other, one)];
            for (a, b) in orders.into_iter().take(pair.children as usize) {
                let (first, second) = rows.next().expect("as many rows as children");
                copy_genes(first, a);
                copy_genes(second, b);
            }
        });
    }

    /// Copies rows of genes, one per child, to the rows of the children.
    #[inline]
    pub(super) fn copy_children<G: Gene>(&self, genes: &[G], children: &mut Population<G>) {
        let mut rows = genes.chunks_exact(children.length());
        self.each(|pair| {
            for child in pair.child..pair.child + pair.children {
                let row = rows.next().expect("as many rows as children");
                copy_genes(children.row_mut(child as usize), row);
            }
        });
    }

    pub(super) fn count(&self) -> usize {
        match self {
            PairList::All { parents, .. } => parents.len() / 2,
            PairList::Listed(pairs) => pairs.len(),
        }
    }
}

/// Pairs of a generation, with the rows of their parents and children.
pub(super) struct Crossing<'generation, G: Gene> {
    pub crossed: PairList<'generation>,
    pub population: &'generation Population<G>,
    pub children: &'generation mut Population<G>,
    pub spare: &'generation mut Population<G>,
    pub cuts: &'generation mut Aligned<u32>,
}

impl<G: Gene> ParentPairs<G> for Crossing<'_, G> {
    fn one_point(&mut self, cut: Cut, random: &mut Random) {
        let mut cuts = std::mem::take(self.cuts);
        self.cross_at_one_point(cut, &mut cuts, random);
        *self.cuts = cuts;
    }

    fn breed(&mut self, mut operator: impl FnMut(&[G], &[G], &mut [G], Option<&mut [G]>)) {
        self.each(|a, b, c, d, _| operator(a, b, c, d));
    }

    fn cross(&mut self, mut operator: impl FnMut(&[G], &[G], &mut [G], &mut [G])) {
        self.each(|a, b, c, d, spare| operator(a, b, c, d.unwrap_or(spare)));
    }
}

impl<G: Gene> Crossing<'_, G> {
    #[inline]
    pub(super) fn each(
        &mut self,
        mut visit: impl FnMut(&[G], &[G], &mut [G], Option<&mut [G]>, &mut [G]),
    ) {
        let length = self.population.length();
        let Crossing { crossed, population, children, spare, .. } = self;
        crossed.each(|pair| {
            let (first, second) =
                (population.row(pair.first as usize), population.row(pair.second as usize));
            let rows = &mut children.genes_mut()[pair.child as usize * length..];
            let (one, rest) = rows.split_at_mut(length);
            visit(
                first,
                second,
                one,
                (pair.children == 2).then(|| &mut rest[..length]),
                spare.row_mut(0),
            );
        });
    }

    fn cross_at_one_point(&mut self, cut: Cut, cuts: &mut Aligned<u32>, random: &mut Random) {
        let length = self.population.length();
        cuts.resize(self.crossed.count());
        crossover::cuts(cut, length, random, cuts);
        let mut at = cuts.iter().map(|cut| *cut as usize);
        let mut next = || at.next().expect("a cut a pair");
        if length * G::KIND.size() != size_of::<u64>() {
            self.breed(|a, b, c, d| crossover::one_point(a, b, next(), c, d));
            return;
        }
        // Each row is one machine word.
        let Crossing { crossed, population, children, .. } = self;
        let population: &[[u8; 8]] =
            bytemuck::cast_slice::<G, u8>(population.genes()).as_chunks().0;
        let children = bytemuck::cast_slice_mut::<G, u8>(children.genes_mut()).as_chunks_mut().0;
        let word = |row: u32| u64::from_le_bytes(population[row as usize]);
        if let PairList::All { parents, per_pair: 1, .. } = crossed {
            // The usual case does not iterate over pairs.
            let pairs = parents.as_chunks().0;
            crossover::one_point_children(population, pairs, cuts, G::KIND.size(), children);
            return;
        }
        crossed.each(|pair| {
            let (one, two) = crossover::one_point_words(
                word(pair.first),
                word(pair.second),
                next() * G::KIND.size(),
            );
            children[pair.child as usize] = one.to_le_bytes();
            if pair.children == 2 {
                children[pair.child as usize + 1] = two.to_le_bytes();
            }
        });
    }
}
