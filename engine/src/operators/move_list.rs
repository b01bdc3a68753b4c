//! Lists of moves, which operators produce instead of changed genomes.

use super::rearrangement::Rearrangement;
use crate::problem::Gene;
use crate::problem::moves::Moves;
use std::ops::Range;

/// Moves from one genome, in flat arrays. All moves are changes, or all are rearrangements of one
/// kind.
#[derive(Clone, Debug)]
pub struct MoveList<G> {
    /// Number of completed moves that consist of changes.
    count: usize,
    /// Number of changes of the completed moves.
    ended: usize,
    /// Start index of each move's changes, then the end index of the last move. Empty while each
    /// move has exactly one change.
    starts: Vec<u32>,
    positions: Vec<u32>,
    /// Value of each position. May be shorter until [`invert`](Self::invert) writes them.
    values: Vec<G>,
    /// Moves of bits that invert none, by the bits of their numbers.
    idle: u64,
    /// Kind of the rearrangements.
    kind: Rearrangement,
    /// Two places per rearrangement.
    pairs: Vec<[u32; 2]>,
    /// Starts of the changes of the moves that [`part`](Self::part) returned last, from 0 on, and
    /// the last end.
    part: Vec<u32>,
}

impl<G> Default for MoveList<G> {
    fn default() -> Self {
        let (starts, positions, values, pairs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (kind, part) = (Rearrangement::Swap, Vec::new());
        MoveList { count: 0, ended: 0, starts, positions, values, idle: 0, kind, pairs, part }
    }
}

impl<G: Gene> MoveList<G> {
    /// Removes all moves; keeps the allocated buffers.
    #[inline]
    pub fn clear(&mut self) {
        (self.count, self.ended, self.idle) = (0, 0, 0);
        self.starts.clear();
        self.positions.clear();
        self.values.clear();
        self.pairs.clear();
        self.kind = Rearrangement::Swap;
    }

    /// Returns the number of moves.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.count + self.pairs.len()
    }

    /// Adds a change to the current move: the gene at `position` takes `value`.
    #[inline]
    pub fn change(&mut self, position: usize, value: G) {
        self.positions.push(position as u32);
        self.values.push(value);
    }

    /// Ends the current move, which must have at least one change.
    #[inline(always)]
    pub fn end_move(&mut self) {
        let changes = self.positions.len() - self.ended;
        self.ended = self.positions.len();
        self.count += 1;
        if self.starts.is_empty() {
            if changes == 1 {
                return;
            }
            self.starts.extend(0..self.count as u32);
        }
        self.starts.push(self.ended as u32);
    }

    /// Returns whether the current move has a change.
    #[inline]
    fn has_begun(&self) -> bool {
        self.positions.len() > self.ended
    }

    /// Ends a move that leads to a mutant of `row`. If nothing changes, the move sets a gene to its
    /// old value.
    #[inline(always)]
    pub(crate) fn end_mutant(&mut self, row: &[G]) {
        if !self.has_begun() {
            self.change(0, row[0]);
        }
        self.end_move();
    }

    /// Adds one move per value; each sets the gene at `position` to that value.
    #[inline]
    pub(crate) fn change_to_each(&mut self, position: usize, values: impl Iterator<Item = usize>) {
        debug_assert!(self.starts.is_empty(), "a caller's bug: one change a move");
        self.values.extend(values.map(G::from_index));
        self.positions.resize(self.values.len(), position as u32);
        self.count = self.values.len();
        self.ended = self.count;
    }

    /// Adds a move that exchanges the genes at two positions.
    #[inline]
    pub fn exchange(&mut self, one: usize, other: usize) {
        self.rearrange(Rearrangement::Swap, one, other);
    }

    /// Adds a move that rearranges the genes by two places: exchanges them, reverses the genes from
    /// the first to the second, or moves the gene at the first to the second.
    #[inline]
    pub fn rearrange(&mut self, kind: Rearrangement, one: usize, other: usize) {
        debug_assert!(
            self.pairs.is_empty() || self.kind == kind,
            "a caller's bug: one kind a list"
        );
        self.kind = kind;
        self.pairs.push([one as u32, other as u32]);
    }

    /// Returns the rearrangements of these places.
    #[inline]
    fn rearranged<'a>(&self, pairs: &'a [[u32; 2]]) -> Moves<'a, G> {
        match self.kind {
            Rearrangement::Swap => Moves::Exchange { pairs },
            Rearrangement::Reversal => Moves::Reversal { pairs },
            Rearrangement::Insertion => Moves::Insertion { pairs },
        }
    }

    /// Returns all moves.
    #[inline]
    pub fn all(&self) -> Moves<'_, G> {
        let MoveList { starts, positions, values, pairs, .. } = self;
        if self.count == 0 {
            self.rearranged(pairs)
        } else if starts.is_empty() {
            Moves::Single { positions, values }
        } else {
            Moves::Several { starts, positions, values }
        }
    }

    /// Returns the indices of a move's changes.
    #[inline]
    fn changes(&self, number: usize) -> Range<usize> {
        match self.starts.get(number..number + 2) {
            Some(ends) => ends[0] as usize..ends[1] as usize,
            None => number..number + 1,
        }
    }

    /// Adds a position to the current move, which inverts the bit there. [`invert`](Self::invert)
    /// writes the value.
    #[inline]
    pub(crate) fn flip(&mut self, position: usize) {
        self.positions.push(position as u32);
    }

    /// Ends a move of flips, one of the first 64. If it has none, it sets a gene to its old value.
    #[inline(always)]
    pub(crate) fn end_flips(&mut self) {
        if !self.has_begun() {
            self.idle |= 1 << self.count;
            self.flip(0);
        }
        self.end_move();
    }

    /// Writes the values of a range of moves of flips from this genome. Rearrangements have none.
    #[inline]
    pub(crate) fn invert(&mut self, moves: Range<usize>, row: &[G]) {
        if self.count == 0 {
            return;
        }
        if self.values.len() < self.positions.len() {
            self.values.resize(self.positions.len(), row[0]);
        }
        let changes = self.changes(moves.start).start..self.changes(moves.end - 1).end;
        let positions = &self.positions[changes.clone()];
        for (value, position) in self.values[changes].iter_mut().zip(positions) {
            *value = G::from_index(1 - row[*position as usize].to_index());
        }
        let mut idle = self.idle >> moves.start;
        while idle != 0 {
            let number = moves.start + idle.trailing_zeros() as usize;
            if number >= moves.end {
                break;
            }
            let change = self.changes(number).start;
            self.values[change] = row[0];
            idle &= idle - 1;
        }
    }

    /// Returns whether a move leaves the genome unchanged.
    #[inline]
    pub(crate) fn is_idle(&self, number: usize, genome: &[G]) -> bool {
        if self.count == 0 {
            // Reversals and insertions are of permutations, whose genes all differ.
            let [one, other] = self.pairs[number];
            return genome[one as usize] == genome[other as usize];
        }
        let range = self.changes(number);
        let mut changes = self.positions[range.clone()].iter().zip(&self.values[range]);
        changes.all(|(position, value)| genome[*position as usize] == *value)
    }

    /// Returns a range of the moves, for internal use only, because `starts` may not begin at 0.
    #[inline]
    pub(crate) fn range(&self, range: Range<usize>) -> Moves<'_, G> {
        match self.all() {
            Moves::Single { positions, values } => {
                Moves::Single { positions: &positions[range.clone()], values: &values[range] }
            }
            Moves::Several { starts, positions, values } => {
                Moves::Several { starts: &starts[range.start..=range.end], positions, values }
            }
            _ => self.rearranged(&self.pairs[range]),
        }
    }

    /// Returns a range of the moves as the plugin interface has them, with `starts` from 0 on.
    #[inline]
    pub(crate) fn part(&mut self, range: Range<usize>) -> Moves<'_, G> {
        if range == (0..self.count()) {
            return self.all();
        }
        if self.count == 0 {
            return self.rearranged(&self.pairs[range]);
        }
        let Some(starts) = self.starts.get(range.start..=range.end) else {
            let (positions, values) = (&self.positions[range.clone()], &self.values[range]);
            return Moves::Single { positions, values };
        };
        let (first, end) = (starts[0], starts[range.len()]);
        self.part.clear();
        self.part.extend(starts.iter().map(|start| start - first));
        let changes = first as usize..end as usize;
        let (positions, values) = (&self.positions[changes.clone()], &self.values[changes]);
        Moves::Several { starts: &self.part, positions, values }
    }

    /// Returns only the move with this number.
    #[inline]
    pub fn one(&mut self, number: usize) -> Moves<'_, G> {
        if self.count == 0 {
            return self.rearranged(&self.pairs[number..=number]);
        }
        let changes = self.changes(number);
        if changes.len() > 1 {
            return self.part(number..number + 1);
        }
        let (positions, values) = (&self.positions[changes.clone()], &self.values[changes]);
        Moves::Single { positions, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_of_one_and_of_several_changes_are_told_apart() {
        let mut list = MoveList::<u8>::default();
        list.change(3, 1);
        list.end_move();
        assert_eq!(list.all(), Moves::Single { positions: &[3], values: &[1] });
        list.change(0, 2);
        assert!(list.has_begun());
        list.change(4, 5);
        list.end_move();
        assert!(!list.has_begun());
        list.change(1, 7);
        list.end_move();
        let (positions, values) = (&[3, 0, 4, 1][..], &[1, 2, 5, 7][..]);
        assert_eq!(list.all(), Moves::Several { starts: &[0, 1, 3, 4], positions, values });
        let (positions, values) = (&[3, 0, 4][..], &[1, 2, 5][..]);
        assert_eq!(list.part(0..2), Moves::Several { starts: &[0, 1, 3], positions, values });
        let mut third = [9; 5];
        list.range(1..3).make(1, &mut third);
        assert_eq!(third, [9, 7, 9, 9, 9]);
        assert!(list.is_idle(0, &[0, 0, 0, 1, 0]) && !list.is_idle(1, &[2, 0, 0, 0, 0]));
        let mut rows = Vec::new();
        for number in 0..list.count() {
            let mut row = [9; 5];
            list.one(number).make(0, &mut row);
            let mut same = [9; 5];
            list.all().make(number, &mut same);
            assert_eq!(row, same);
            rows.push(row);
        }
        assert_eq!(rows, [[9, 9, 9, 1, 9], [2, 9, 9, 9, 5], [9, 7, 9, 9, 9]]);
        list.clear();
        list.exchange(0, 1);
        assert_eq!((list.count(), list.all()), (1, Moves::Exchange { pairs: &[[0, 1]] }));
    }
}
