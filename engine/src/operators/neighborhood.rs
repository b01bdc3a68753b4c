//! Neighbourhoods: the genomes one move away, by encoding, numbered.

use super::move_list::MoveList;
use super::rearrangement::Rearrangement;
use crate::problem::moves::shift;
use crate::problem::{Description, Encoding, Gene};
use std::ops::Range;

/// The moves from any genome of a problem, numbered from 0.
///
/// Source: Aarts and Lenstra (2003), Local Search in Combinatorial Optimization, section 1.2,
/// doi:10.2307/j.ctv346t9c.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Neighborhood {
    /// One gene takes another value within its bounds: n(n-1) moves for n queens in rows. Moves are
    /// ordered by locus, then by ascending value.
    OtherValue {
        /// Number of moves of all earlier loci, per locus; one more entry holds the total.
        before: Vec<u64>,
        /// Least value of each gene.
        low: Vec<u32>,
    },
    /// One bit flips; there are as many moves as genes.
    Flip { length: usize },
    /// Two genes change places; there are n(n-1)/2 moves.
    Swap { length: usize },
    /// The genes from one place to a later one are reversed; there are n(n-1)/2 moves.
    Reversal { length: usize },
    /// A gene moves to another place; there are (n-1)^2 moves, because an exchange of two genes
    /// side by side is one move, whichever of the two moves.
    Insertion { length: usize },
}

/// Part of a neighbourhood whose members a search evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All neighbours.
    All,
    /// Neighbours in which the gene at this position changes.
    Gene(usize),
}

impl Neighborhood {
    /// Returns the neighbourhood of a problem's encoding; that of a permutation is chosen. `None`
    /// if the encoding is real, mixed or opaque, because such neighbours cannot be listed.
    pub(crate) fn of(problem: &Description, permuted: Rearrangement) -> Option<Self> {
        let length = problem.genome_length;
        match problem.encoding {
            Encoding::Integer => {
                let bounds = (0..length).map(|locus| problem.bounds.of(locus));
                let low = bounds.clone().map(|(low, _)| low as u32).collect();
                let moves = bounds.map(|(low, high)| (high - low) as u64);
                let mut before = vec![0];
                before.extend(moves.scan(0u64, |sum, moves| {
                    *sum += moves;
                    Some(*sum)
                }));
                Some(Neighborhood::OtherValue { before, low })
            }
            Encoding::Bits => Some(Neighborhood::Flip { length }),
            Encoding::Permutation => Some(match permuted {
                Rearrangement::Swap => Neighborhood::Swap { length },
                Rearrangement::Reversal => Neighborhood::Reversal { length },
                Rearrangement::Insertion => Neighborhood::Insertion { length },
            }),
            Encoding::Real | Encoding::Mixed | Encoding::Opaque => None,
        }
    }

    /// Returns whether a problem that has moves evaluates these neighbours as moves.
    pub(crate) fn has_moves(&self, problem: &Description) -> bool {
        match self {
            Neighborhood::Reversal { .. } => problem.has_reversals,
            Neighborhood::Insertion { .. } => problem.has_insertions,
            _ => true,
        }
    }

    /// Returns the number of neighbours of a genome, which is the same for every genome.
    pub(crate) fn count(&self) -> u64 {
        match self {
            Neighborhood::OtherValue { before, .. } => before.last().copied().unwrap_or(0),
            Neighborhood::Flip { length } => *length as u64,
            Neighborhood::Swap { length } | Neighborhood::Reversal { length } => {
                *length as u64 * (*length as u64 - 1) / 2
            }
            Neighborhood::Insertion { length } => (*length as u64 - 1).pow(2),
        }
    }

    /// Returns the number of neighbours in a scope.
    pub(crate) fn count_in(&self, scope: Scope) -> u64 {
        match (scope, self) {
            (Scope::All, _) => self.count(),
            (Scope::Gene(gene), Neighborhood::OtherValue { before, .. }) => {
                before[gene + 1] - before[gene]
            }
            (Scope::Gene(_), Neighborhood::Flip { .. }) => 1,
            (Scope::Gene(_), Neighborhood::Swap { length }) => *length as u64 - 1,
            (Scope::Gene(_), Neighborhood::Reversal { .. } | Neighborhood::Insertion { .. }) => {
                unscoped()
            }
        }
    }

    /// Returns the number of the neighbour at a place in a scope.
    pub(crate) fn number_in(&self, scope: Scope, place: u64) -> u64 {
        match (scope, self) {
            (Scope::All, _) => place,
            (Scope::Gene(gene), Neighborhood::OtherValue { before, .. }) => before[gene] + place,
            (Scope::Gene(gene), Neighborhood::Flip { .. }) => gene as u64,
            (Scope::Gene(gene), Neighborhood::Swap { .. }) => {
                let gene = gene as u64;
                let other = place + u64::from(place >= gene);
                let (lesser, greater) = (gene.min(other), gene.max(other));
                greater * (greater - 1) / 2 + lesser
            }
            (Scope::Gene(_), Neighborhood::Reversal { .. } | Neighborhood::Insertion { .. }) => {
                unscoped()
            }
        }
    }

    /// Writes up to `count` neighbours of `row` as moves, starting at place `first` of a scope.
    pub(crate) fn list_in<G: Gene>(
        &self,
        scope: Scope,
        first: u64,
        count: usize,
        row: &[G],
        list: &mut MoveList<G>,
    ) {
        let count = (self.count_in(scope) - first).min(count as u64) as usize;
        match (scope, self) {
            (Scope::Gene(gene), Neighborhood::Swap { .. }) => {
                list.clear();
                for place in first as usize..first as usize + count {
                    list.exchange(gene, place + usize::from(place >= gene));
                }
            }
            _ => self.list(self.number_in(scope, first), count, row, list),
        }
    }

    /// Returns the number of attributes of moves, by which a search remembers them: a bit, a pair
    /// of positions, the ends of a segment, or a gene and its value or place.
    pub(crate) fn attributes(&self) -> usize {
        match self {
            Neighborhood::OtherValue { low, .. } => self.count() as usize + low.len(),
            Neighborhood::Insertion { length } => length * length,
            Neighborhood::Flip { .. }
            | Neighborhood::Swap { .. }
            | Neighborhood::Reversal { .. } => self.count() as usize,
        }
    }

    /// Returns the attribute of neighbour `number` of `row`, and the attribute of the move back.
    pub(crate) fn attributes_of<G: Gene>(&self, number: u64, row: &[G]) -> (usize, usize) {
        match self {
            Neighborhood::OtherValue { before, low } => {
                let locus = locus_of(number, before);
                // Values of all earlier genes, which are one more than moves.
                let first = before[locus] as usize + locus;
                let rank = (number - before[locus]) as usize;
                let old = row[locus].to_index() - low[locus] as usize;
                (first + rank + usize::from(rank >= old), first + old)
            }
            Neighborhood::Insertion { length } => {
                let (from, to) = places(number, *length);
                let attribute = |moved: usize, place| row[moved].to_index() * length + place;
                // The move back of two genes side by side moves the other gene.
                let back = if to == from + 1 { (to, to) } else { (from, from) };
                (attribute(from, to), attribute(back.0, back.1))
            }
            Neighborhood::Flip { .. }
            | Neighborhood::Swap { .. }
            | Neighborhood::Reversal { .. } => (number as usize, number as usize),
        }
    }

    /// Writes up to `count` neighbours of `row` as moves, starting with number `first`.
    pub(crate) fn list<G: Gene>(
        &self,
        first: u64,
        count: usize,
        row: &[G],
        list: &mut MoveList<G>,
    ) {
        list.clear();
        let end = self.count().min(first + count as u64);
        match self {
            Neighborhood::OtherValue { before, low } => {
                let mut locus = locus_of(first, before);
                let mut number = first;
                while number < end {
                    let upto = end.min(before[locus + 1]);
                    let old = row[locus].to_index();
                    let ranks = number - before[locus]..upto - before[locus];
                    let values = ranks.map(|rank| low[locus] as usize + rank as usize);
                    // Skips the old value, as `apply` does.
                    list.change_to_each(
                        locus,
                        values.map(|value| value + usize::from(value >= old)),
                    );
                    number = upto;
                    locus += 1;
                }
            }
            Neighborhood::Flip { .. } => {
                let genes = &row[first as usize..end as usize];
                for (locus, gene) in (first as usize..).zip(genes) {
                    list.change(locus, G::from_index(1 - gene.to_index()));
                    list.end_move();
                }
            }
            Neighborhood::Swap { .. } => {
                pairs(first..end).for_each(|(one, other)| list.exchange(one, other));
            }
            Neighborhood::Reversal { .. } => {
                let reversal = Rearrangement::Reversal;
                pairs(first..end).for_each(|(from, to)| list.rearrange(reversal, from, to));
            }
            Neighborhood::Insertion { length } => {
                let insertions = (first..end).map(|number| places(number, *length));
                insertions
                    .for_each(|(from, to)| list.rearrange(Rearrangement::Insertion, from, to));
            }
        }
    }

    /// Adds neighbour `number` of `row` as a move.
    pub(crate) fn add<G: Gene>(&self, number: u64, row: &[G], list: &mut MoveList<G>) {
        match self {
            Neighborhood::OtherValue { before, low } => {
                let locus = locus_of(number, before);
                let value = low[locus] as usize + (number - before[locus]) as usize;
                let old = row[locus].to_index();
                list.change(locus, G::from_index(value + usize::from(value >= old)));
                list.end_move();
            }
            Neighborhood::Flip { .. } => {
                let locus = number as usize;
                list.change(locus, G::from_index(1 - row[locus].to_index()));
                list.end_move();
            }
            Neighborhood::Swap { .. } => {
                let (one, other) = pair(number);
                list.exchange(one, other);
            }
            Neighborhood::Reversal { .. } => {
                let (first, last) = pair(number);
                list.rearrange(Rearrangement::Reversal, first, last);
            }
            Neighborhood::Insertion { length } => {
                let (from, to) = places(number, *length);
                list.rearrange(Rearrangement::Insertion, from, to);
            }
        }
    }

    /// Returns the positions that swap `number` exchanges.
    pub(crate) fn swapped(number: u64) -> (usize, usize) {
        pair(number)
    }

    /// Turns `row` into its neighbour `number`, below [`count`](Self::count).
    pub(crate) fn apply<G: Gene>(&self, number: u64, row: &mut [G]) {
        match self {
            Neighborhood::OtherValue { before, low } => {
                let locus = locus_of(number, before);
                let (rank, old) = (
                    (number - before[locus]) as usize,
                    row[locus].to_index() - low[locus] as usize,
                );
                // The old value has no number, so values from it on move up by one.
                row[locus] = G::from_index(low[locus] as usize + rank + usize::from(rank >= old));
            }
            Neighborhood::Flip { .. } => {
                let gene = &mut row[number as usize];
                *gene = G::from_index(1 - gene.to_index());
            }
            Neighborhood::Swap { .. } => {
                let (one, other) = pair(number);
                row.swap(one, other);
            }
            Neighborhood::Reversal { .. } => {
                let (first, last) = pair(number);
                row[first..=last].reverse();
            }
            Neighborhood::Insertion { length } => {
                let (from, to) = places(number, *length);
                shift(row, from, to);
            }
        }
    }
}

/// Returns the locus that a move changes, given the number of the move. If all loci have the same
/// number of values, a division finds it.
#[inline]
fn locus_of(number: u64, before: &[u64]) -> usize {
    let guess = (number / before[1].max(1)) as usize;
    if before.get(guess + 1).is_some_and(|next| number < *next) && before[guess] <= number {
        return guess;
    }
    before.partition_point(|before| *before <= number) - 1
}

/// Returns pair `number` in the order (0, 1), (0, 2), (1, 2), (0, 3), …
fn pair(number: u64) -> (usize, usize) {
    // There are g(g-1)/2 pairs whose greater part is below g. Rounding puts the root off by at most
    // one.
    let mut greater = ((1.0 + (1.0 + 8.0 * number as f64).sqrt()) / 2.0) as u64;
    while greater * (greater - 1) / 2 > number {
        greater -= 1;
    }
    while greater * (greater + 1) / 2 <= number {
        greater += 1;
    }
    ((number - greater * (greater - 1) / 2) as usize, greater as usize)
}

/// Returns the pairs with these numbers.
fn pairs(numbers: Range<u64>) -> impl Iterator<Item = (usize, usize)> {
    let (mut one, mut other) = pair(numbers.start);
    numbers.map(move |_| {
        let this = (one, other);
        one += 1;
        if one == other {
            (one, other) = (0, other + 1);
        }
        this
    })
}

/// Returns the place that insertion `number` takes a gene from, and the place that it goes to.
/// Numbers fill a square with a side of n-1: row r has the moves back of gene r+1, which end two or
/// more places before it, then the moves forward of gene r.
fn places(number: u64, length: usize) -> (usize, usize) {
    let side = length as u64 - 1;
    let (row, column) = ((number / side) as usize, (number % side) as usize);
    if column < row { (row + 1, column) } else { (row, column + 1) }
}

/// Reports a search that looks for the neighbours of one gene among moves of many.
#[cold]
fn unscoped() -> ! {
    panic!("a caller's bug: reversals and insertions have no neighbours of one gene")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Bounds, GeneKind, Noise};
    use std::collections::BTreeSet;

    fn description(encoding: Encoding, genome_length: usize, bounds: Bounds) -> Description {
        Description {
            encoding,
            gene: GeneKind::U8,
            genome_length,
            bounds,
            ideal: Some(0.0),
            worst: None,
            tolerance: 1e-9,
            worst_tolerance: 1e-9,
            space_size: None,
            has_crossover: false,
            has_mutate: false,
            has_is_valid: false,
            has_render: false,
            has_violations: false,
            has_conflicts: false,
            has_construct: false,
            state_size: 0,
            has_reversals: false,
            has_insertions: false,
            noise: Noise::Absent,
        }
    }

    /// Returns all usual neighbours of a row, as [`all_of`] does.
    fn neighbors(problem: &Description, row: &[u8]) -> BTreeSet<Vec<u8>> {
        all_of(problem, Rearrangement::Swap, row)
    }

    /// Returns all neighbours of a row; asserts that their number is right and that all differ from
    /// each other and from the row.
    fn all_of(problem: &Description, permuted: Rearrangement, row: &[u8]) -> BTreeSet<Vec<u8>> {
        let neighborhood = Neighborhood::of(problem, permuted).expect("a neighbourhood");
        let all: BTreeSet<Vec<u8>> = (0..neighborhood.count())
            .map(|number| {
                let mut neighbor = row.to_vec();
                neighborhood.apply(number, &mut neighbor);
                neighbor
            })
            .collect();
        assert_eq!(all.len() as u64, neighborhood.count());
        assert!(!all.contains(row));
        all
    }

    #[test]
    fn moving_one_of_eight_queens_gives_56_boards() {
        let queens = description(Encoding::Integer, 8, Bounds::Uniform { low: 0.0, high: 7.0 });
        let row = [3, 1, 4, 1, 5, 0, 7, 2];
        let all = neighbors(&queens, &row);
        assert_eq!(all.len(), 8 * 7);
        assert!(
            all.iter().all(|other| other.iter().zip(&row).filter(|(a, b)| a != b).count() == 1)
        );
    }

    #[test]
    fn bounds_of_a_gene_give_it_as_many_moves_as_other_values() {
        let bounds = Bounds::PerGene { low: vec![2.0, 5.0, 0.0], high: vec![4.0, 5.0, 1.0] };
        let all = neighbors(&description(Encoding::Integer, 3, bounds), &[3, 5, 0]);
        assert_eq!(all, BTreeSet::from([vec![2, 5, 0], vec![4, 5, 0], vec![3, 5, 1]]));
    }

    #[test]
    fn bits_flip_and_permutations_swap() {
        let bits = description(Encoding::Bits, 3, Bounds::Uniform { low: 0.0, high: 1.0 });
        assert_eq!(
            neighbors(&bits, &[0, 1, 1]),
            BTreeSet::from([vec![1, 1, 1], vec![0, 0, 1], vec![0, 1, 0]])
        );
        let order = description(Encoding::Permutation, 7, Bounds::Uniform { low: 0.0, high: 6.0 });
        let all = neighbors(&order, &[6, 2, 0, 5, 1, 4, 3]);
        assert_eq!(all.len(), 21);
        assert!(all.iter().all(|other| other.iter().collect::<BTreeSet<_>>().len() == 7));
    }

    /// Returns a permutation of this length that is not in order.
    fn order(length: usize) -> (Description, Vec<u8>) {
        let high = length as f64 - 1.0;
        let bounds = Bounds::Uniform { low: 0.0, high };
        let mut row: Vec<u8> = (0..length as u8).rev().collect();
        row.rotate_left(length / 3);
        (description(Encoding::Permutation, length, bounds), row)
    }

    #[test]
    fn reversals_and_insertions_are_those_of_their_definition() {
        for length in 1..=6 {
            let (problem, row) = order(length);
            let reversed =
                (0..length).flat_map(|first| (first + 1..length).map(move |last| (first, last)));
            let reversed = reversed.map(|(first, last)| {
                let (before, rest) = row.split_at(first);
                let (segment, after) = rest.split_at(last + 1 - first);
                let backwards: Vec<u8> = segment.iter().rev().copied().collect();
                [before, &backwards, after].concat()
            });
            let all = all_of(&problem, Rearrangement::Reversal, &row);
            assert_eq!(all.len(), length * (length - 1) / 2);
            assert_eq!(all, reversed.collect());
            let mut inserted = BTreeSet::new();
            for from in 0..length {
                let mut without = row.clone();
                let gene = without.remove(from);
                for to in 0..length {
                    let mut neighbor = without.clone();
                    neighbor.insert(to, gene);
                    inserted.insert(neighbor);
                }
            }
            inserted.remove(&row);
            let all = all_of(&problem, Rearrangement::Insertion, &row);
            assert_eq!(all.len(), (length - 1).pow(2));
            assert_eq!(all, inserted);
        }
    }

    /// The attribute that a move forbids is that of the one move which leads back, and no two moves
    /// of a genome share one.
    #[test]
    fn attributes_of_permutations_forbid_the_move_back() {
        for permuted in Rearrangement::ALL {
            for length in 2..=6 {
                let (problem, row) = order(length);
                let moves = Neighborhood::of(&problem, permuted).expect("a neighbourhood");
                let mut seen = BTreeSet::new();
                for number in 0..moves.count() {
                    let (attribute, back) = moves.attributes_of(number, &row);
                    assert!(attribute < moves.attributes() && seen.insert(attribute));
                    let mut neighbor = row.clone();
                    moves.apply(number, &mut neighbor);
                    let leads_back = |number: &u64| {
                        let mut again = neighbor.clone();
                        moves.apply(*number, &mut again);
                        again == row
                    };
                    let returns: Vec<u64> = (0..moves.count()).filter(leads_back).collect();
                    assert_eq!(returns.len(), 1);
                    assert_eq!(moves.attributes_of(returns[0], &neighbor).0, back);
                }
            }
        }
    }

    #[test]
    fn neighbors_as_moves_are_those_in_place() {
        fn same<G: Gene + Ord>(problem: &Description, row: &[G]) {
            let neighborhood =
                Neighborhood::of(problem, Rearrangement::Swap).expect("a neighbourhood");
            let in_place: Vec<Vec<G>> = (0..neighborhood.count())
                .map(|number| {
                    let mut neighbor = row.to_vec();
                    neighborhood.apply(number, &mut neighbor);
                    neighbor
                })
                .collect();
            for size in [1, 2, 5, 1000] {
                let mut list = MoveList::default();
                for first in (0..in_place.len()).step_by(size) {
                    neighborhood.list(first as u64, size, row, &mut list);
                    assert_eq!(list.count(), size.min(in_place.len() - first));
                    let mut alone = MoveList::default();
                    for number in 0..list.count() {
                        let mut neighbor = row.to_vec();
                        list.all().make(number, &mut neighbor);
                        assert_eq!(neighbor, in_place[first + number]);
                        neighborhood.add((first + number) as u64, row, &mut alone);
                        let mut same = row.to_vec();
                        alone.one(number).make(0, &mut same);
                        assert_eq!(same, neighbor);
                    }
                }
            }
        }
        let bounds = Bounds::PerGene { low: vec![2.0, 5.0, 0.0], high: vec![4.0, 5.0, 1.0] };
        same::<u8>(&description(Encoding::Integer, 3, bounds), &[3, 5, 0]);
        let queens = Bounds::Uniform { low: 0.0, high: 7.0 };
        same::<u8>(&description(Encoding::Integer, 8, queens), &[3, 1, 4, 1, 5, 0, 7, 2]);
        let bits = Bounds::Uniform { low: 0.0, high: 1.0 };
        same::<u8>(&description(Encoding::Bits, 3, bits.clone()), &[0, 1, 1]);
        let order = description(Encoding::Permutation, 7, bits.clone());
        same::<u16>(&order, &[6, 2, 0, 5, 1, 4, 3]);
        same::<u16>(&description(Encoding::Permutation, 1, bits), &[0]);
    }

    #[test]
    fn neighbors_of_a_gene_are_those_in_which_it_changes() {
        let of = |encoding, high| description(encoding, 5, Bounds::Uniform { low: 0.0, high });
        for (problem, row) in [
            (of(Encoding::Integer, 3.0), [3, 1, 0, 1, 2]),
            (of(Encoding::Bits, 1.0), [1, 0, 0, 1, 1]),
            (of(Encoding::Permutation, 4.0), [4, 1, 0, 3, 2]),
        ] {
            let neighborhood =
                Neighborhood::of(&problem, Rearrangement::Swap).expect("a neighbourhood");
            for gene in 0..row.len() {
                let due: BTreeSet<Vec<u8>> = neighbors(&problem, &row)
                    .into_iter()
                    .filter(|other| other[gene] != row[gene])
                    .collect();
                let scope = Scope::Gene(gene);
                let count = neighborhood.count_in(scope);
                let (mut by_number, mut by_move) = (BTreeSet::new(), BTreeSet::new());
                for place in 0..count {
                    let mut neighbor = row.to_vec();
                    neighborhood.apply(neighborhood.number_in(scope, place), &mut neighbor);
                    by_number.insert(neighbor.clone());
                    let mut list = MoveList::default();
                    neighborhood.list_in(scope, place, 2, &row, &mut list);
                    assert_eq!(list.count() as u64, 2.min(count - place));
                    let mut moved = row.to_vec();
                    list.all().make(0, &mut moved);
                    assert_eq!(moved, neighbor);
                    by_move.insert(moved);
                }
                assert_eq!((by_number, by_move), (due.clone(), due));
            }
            assert_eq!(neighborhood.count_in(Scope::All), neighborhood.count());
        }
    }

    #[test]
    fn pairs_of_a_large_permutation_have_their_numbers() {
        let mut number = 0;
        for greater in 1..300 {
            for lesser in 0..greater {
                assert_eq!(pair(number), (lesser, greater));
                number += 1;
            }
        }
        let last = 65_535u64 * 65_534 / 2 - 1;
        assert_eq!(pair(last), (65_533, 65_534));
    }

    #[test]
    fn what_cannot_be_listed_has_no_neighbourhood() {
        let mut real = description(Encoding::Real, 3, Bounds::Uniform { low: 0.0, high: 1.0 });
        real.gene = GeneKind::F64;
        assert_eq!(Neighborhood::of(&real, Rearrangement::Swap), None);
        assert_eq!(
            Neighborhood::of(&description(Encoding::Opaque, 3, Bounds::None), Rearrangement::Swap),
            None
        );
    }
}
