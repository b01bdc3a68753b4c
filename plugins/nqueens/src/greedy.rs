//! Boards made column by column: each queen goes where it is attacked by the fewest before it.
//!
//! Minton, Johnston, Philips and Laird (1992), doi:10.1016/0004-3702(92)90007-K.

use crate::board::Board;
use crate::queens::{Queens, RowGene};
use runner_plugin::RowRng;
use runner_plugin::rand::RngExt;

/// Number of rows that are tried at random before all are gone through.
const TRIES: usize = 64;

/// The board so far.
struct Rows {
    n: usize,
    /// Rows without a queen; those with one come behind. Of a puzzle only those that queens can
    /// have.
    rows: Vec<u32>,
    free: usize,
    /// Queens in each row, and on each rising and falling diagonal.
    queens: Vec<u32>,
    rising: Vec<u32>,
    falling: Vec<u32>,
    /// Rows among which a draw decides.
    best: Vec<u32>,
}

impl Rows {
    fn new(board: &impl Board) -> Self {
        let n = board.columns();
        let (mut rows, best) = (board.rows(), Vec::new());
        let Some(taken) = board.taken() else {
            let (rising, falling) = (vec![0; 2 * n - 1], vec![0; 2 * n - 1]);
            return Rows { n, rows, free: n, queens: vec![0; n], rising, falling, best };
        };
        let (queens, diagonals) = taken.split_at(n);
        let (rising, falling) = diagonals.split_at(2 * n - 1);
        let [queens, rising, falling] = [queens, rising, falling].map(<[u32]>::to_vec);
        // In order but for the taken rows, which come last.
        rows.sort_by_key(|row| queens[*row as usize]);
        let free = rows.partition_point(|row| queens[*row as usize] == 0);
        Rows { n, rows, free, queens, rising, falling, best }
    }

    /// Number of queens that attack a square.
    #[inline]
    fn attackers(&self, column: usize, row: usize) -> u32 {
        self.queens[row] + self.rising[column + row] + self.falling[column + self.n - 1 - row]
    }

    /// Returns the place of a row, uniformly among the first `places` whose square in a column has
    /// the fewest attackers. No square has fewer than `least`.
    fn choose(&mut self, column: usize, places: usize, least: u32, rng: &mut RowRng) -> usize {
        let rng = rng.stream();
        // A row that is found so is uniform among those with `least` attackers.
        for _ in 0..TRIES {
            let place = rng.random_range(0..places as u32) as usize;
            if self.attackers(column, self.rows[place] as usize) == least {
                return place;
            }
        }
        let mut fewest = u32::MAX;
        self.best.clear();
        for place in 0..places {
            let attackers = self.attackers(column, self.rows[place] as usize);
            if attackers < fewest {
                fewest = attackers;
                self.best.clear();
            }
            if attackers == fewest {
                self.best.push(place as u32);
            }
        }
        self.best[rng.random_range(0..self.best.len() as u32) as usize] as usize
    }

    /// Puts a queen into the row at a place, which then counts as taken.
    fn put(&mut self, column: usize, place: usize) -> usize {
        let row = self.rows[place] as usize;
        if place < self.free {
            self.free -= 1;
            self.rows.swap(place, self.free);
        }
        self.queens[row] += 1;
        self.rising[column + row] += 1;
        self.falling[column + self.n - 1 - row] += 1;
        row
    }
}

/// Fills a board. Only rows without a queen can be free of attackers, so they are tried first.
pub(crate) fn construct<G: RowGene, B: Board>(
    queens: &Queens<G, B>,
    rng: &mut RowRng,
    board: &mut [G],
) {
    let mut made = Rows::new(&queens.board);
    for (position, gene) in board.iter_mut().enumerate() {
        let (column, _) = queens.board.square(position, 0);
        let mut place = None;
        if made.free > 0 {
            let found = made.choose(column, made.free, 0, rng);
            let row = made.rows[found] as usize;
            let is_best = queens.has_distinct_rows() || made.attackers(column, row) == 0;
            place = is_best.then_some(found);
        }
        let place = place.unwrap_or_else(|| made.choose(column, made.rows.len(), 1, rng));
        let row = made.put(column, place);
        *gene = G::from_row(queens.board.value_of(row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queens::{Counting, Encoding};
    use std::collections::BTreeMap;

    fn attackers(board: &[u8], column: usize, row: u8) -> usize {
        let attacks = |other: usize| {
            let apart = usize::from(board[other].abs_diff(row));
            apart == 0 || apart == column - other
        };
        (0..column).filter(|other| attacks(*other)).count()
    }

    /// Chances of all boards of `n` queens, by the definition.
    fn chances(n: usize, distinct: bool) -> BTreeMap<Vec<u8>, f64> {
        let mut boards = BTreeMap::from([(Vec::new(), 1.0)]);
        for column in 0..n {
            let mut next = BTreeMap::new();
            for (board, chance) in boards {
                let rows = (0..n as u8).filter(|row| !distinct || !board.contains(row));
                let rows: Vec<(usize, u8)> =
                    rows.map(|row| (attackers(&board, column, row), row)).collect();
                let fewest = rows.iter().map(|(attackers, _)| *attackers).min();
                let best = rows.iter().filter(|(attackers, _)| Some(*attackers) == fewest);
                let each = chance / best.clone().count() as f64;
                for (_, row) in best {
                    let mut longer = board.clone();
                    longer.push(*row);
                    *next.entry(longer).or_insert(0.0) += each;
                }
            }
            boards = next;
        }
        boards
    }

    /// Chi-square of 40,000 boards against the exact chances: a false alarm beyond 7 standard
    /// deviations of the statistic, fewer than one in 100,000; the seed is fixed.
    #[test]
    fn boards_have_the_chances_of_the_definition() {
        for (n, encoding) in [(4, Encoding::Rows), (5, Encoding::Rows), (5, Encoding::Permutation)]
        {
            let queens = Queens::<u8>::new(n, encoding, Counting::Pairs);
            let due = chances(n, encoding == Encoding::Permutation);
            let mut counts: BTreeMap<Vec<u8>, f64> = BTreeMap::new();
            const BOARDS: u64 = 40_000;
            for row in 0..BOARDS {
                let mut board = vec![0; n];
                construct(&queens, &mut RowRng::new(&[8; 32], row), &mut board);
                *counts.entry(board).or_insert(0.0) += 1.0;
            }
            let statistic: f64 = due
                .iter()
                .map(|(board, chance)| {
                    let expected = chance * BOARDS as f64;
                    let seen = counts.remove(board).unwrap_or(0.0);
                    (seen - expected).powi(2) / expected
                })
                .sum();
            assert!(counts.is_empty(), "{counts:?}");
            let freedom = (due.len() - 1) as f64;
            assert!(statistic < freedom + 7.0 * (2.0 * freedom).sqrt() + 20.0, "{n} {statistic}");
        }
    }

    #[test]
    fn large_boards_have_few_clashes() {
        for encoding in [Encoding::Rows, Encoding::Permutation] {
            let queens = Queens::<u16>::new(2000, encoding, Counting::Pairs);
            let mut board = vec![0; 2000];
            construct(&queens, &mut RowRng::new(&[1; 32], 0), &mut board);
            // A random board has about 5,300.
            let clashes = u16::clashing_pairs(&board);
            assert!(clashes < 100, "{clashes}");
        }
    }
}
