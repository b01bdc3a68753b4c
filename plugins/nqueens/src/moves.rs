//! Moves: clashing pairs by the lines that a queen leaves and enters.
//!
//! The state counts the queens of each line, so that a queen is moved in a few steps however many
//! there are: it clashes with the other queens of its row and its two diagonals.

use crate::board::Board;
use crate::queens::{Queens, RowGene};
use runner_plugin::{Conflicting, Incremental, Moves};

/// Index of the first counter, after the clashing pairs, which take two halves.
const FIRST: usize = 2;

/// Queens on each line of a board of `n` columns: rows, rising and falling diagonals.
struct Lines<'state> {
    n: usize,
    rows: &'state mut [u32],
    rising: &'state mut [u32],
    falling: &'state mut [u32],
}

impl<'state> Lines<'state> {
    fn of(n: usize, state: &'state mut [u32]) -> Self {
        let (rows, diagonals) = state[FIRST..].split_at_mut(n);
        let (rising, falling) = diagonals.split_at_mut(2 * n - 1);
        Lines { n, rows, rising, falling }
    }

    /// The counters of a square's lines.
    #[inline]
    fn through(&mut self, column: usize, row: usize) -> [&mut u32; 3] {
        let falling = column + self.n - 1 - row;
        [&mut self.rows[row], &mut self.rising[column + row], &mut self.falling[falling]]
    }

    /// Number of queens on the lines of a square; a queen on the square itself counts three times.
    #[inline]
    fn queens(&self, column: usize, row: usize) -> u32 {
        self.rows[row] + self.diagonals(column, row)
    }

    /// Number of queens on the diagonals of a square; a queen on it counts twice.
    #[inline]
    fn diagonals(&self, column: usize, row: usize) -> u32 {
        self.rising[column + row] + self.falling[column + self.n - 1 - row]
    }

    /// Change of the clashing pairs if two queens exchange their rows.
    #[inline]
    fn exchanged(&self, (one, row): (usize, usize), (other, other_row): (usize, usize)) -> i64 {
        if row == other_row {
            return 0;
        }
        // Rows keep their queens. A queen clashes with the others of its diagonals: not with
        // itself, and a pair that shares a diagonal counts once.
        let shares = |row: usize, other_row: usize| {
            i64::from(one + row == other + other_row || other + row == one + other_row)
        };
        let left = i64::from(self.diagonals(one, row) + self.diagonals(other, other_row))
            - 4
            - shares(row, other_row);
        let entered = i64::from(self.diagonals(one, other_row) + self.diagonals(other, row))
            + shares(other_row, row);
        entered - left
    }
}

/// Clashing pairs of the genome that has this state.
#[inline]
fn pairs(state: &[u32]) -> i64 {
    i64::from(state[0]) | i64::from(state[1]) << 32
}

#[inline]
fn set_pairs(state: &mut [u32], pairs: i64) {
    (state[0], state[1]) = (pairs as u32, (pairs >> 32) as u32);
}

impl<G: RowGene, B: Board> Incremental for Queens<G, B> {
    type Number = u32;

    fn state_length(&self) -> usize {
        FIRST + 5 * self.board.columns() - 2
    }

    fn build(&self, board: &[G], state: &mut [u32]) {
        state.fill(0);
        if let Some(taken) = self.board.taken() {
            state[FIRST..].copy_from_slice(taken);
        }
        let (mut lines, mut pairs) = (Lines::of(self.board.columns(), state), 0);
        for (position, gene) in board.iter().enumerate() {
            let (column, row) = self.board.square(position, gene.row());
            for queens in lines.through(column, row) {
                pairs += i64::from(*queens);
                *queens += 1;
            }
        }
        set_pairs(state, pairs);
    }

    fn state_fitness(&self, _: &[G], state: &[u32]) -> f64 {
        (pairs(state) * self.pair() as i64) as f64
    }

    fn change(&self, board: &mut [G], state: &mut [u32], position: usize, gene: G) {
        let mut pairs = pairs(state);
        let mut lines = Lines::of(self.board.columns(), state);
        let (column, row) = self.board.square(position, board[position].row());
        for queens in lines.through(column, row) {
            *queens -= 1;
            pairs -= i64::from(*queens);
        }
        let (column, row) = self.board.square(position, gene.row());
        for queens in lines.through(column, row) {
            pairs += i64::from(*queens);
            *queens += 1;
        }
        board[position] = gene;
        set_pairs(state, pairs);
    }

    fn evaluate_moves(
        &self,
        board: &mut [G],
        state: &mut [u32],
        moves: &Moves<'_, G>,
        fitness: &mut [f64],
    ) {
        let (pairs, pair) = (pairs(state), self.pair() as i64);
        match *moves {
            Moves::Single { positions, values } => {
                let lines = Lines::of(self.board.columns(), state);
                for ((position, value), fitness) in positions.iter().zip(values).zip(fitness) {
                    let place = *position as usize;
                    let (column, old) = self.board.square(place, board[place].row());
                    let (_, new) = self.board.square(place, value.row());
                    let left = i64::from(lines.queens(column, old)) - 3;
                    let here = if old == new { 3 } else { 0 };
                    let entered = i64::from(lines.queens(column, new)) - here;
                    *fitness = ((pairs - left + entered) * pair) as f64;
                }
            }
            Moves::Exchange { pairs: places } => {
                let lines = Lines::of(self.board.columns(), state);
                for (places, fitness) in places.iter().zip(fitness) {
                    let [one, other] = places.map(|place| {
                        self.board.square(place as usize, board[place as usize].row())
                    });
                    *fitness = ((pairs + lines.exchanged(one, other)) * pair) as f64;
                }
            }
            _ => self.evaluate_one_by_one(board, state, moves, fitness),
        }
    }
}

impl<G: RowGene, B: Board> Conflicting for Queens<G, B> {
    /// Writes the number of other queens on the lines of each queen, and of taken lines.
    fn conflicts(&self, board: &[G], state: &[u32], positions: &[u32], conflicts: &mut [u32]) {
        let n = self.board.columns();
        let (rows, diagonals) = state[FIRST..].split_at(n);
        let (rising, falling) = diagonals.split_at(2 * n - 1);
        for (position, conflicts) in positions.iter().zip(conflicts) {
            let (column, row) =
                self.board.square(*position as usize, board[*position as usize].row());
            *conflicts = rows[row] + rising[column + row] + falling[column + n - 1 - row] - 3;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::queens::{Counting, Encoding};
    use runner_plugin::Problem;

    /// Numbers that look random, below a bound.
    pub(crate) struct Draws(pub u64);

    impl Draws {
        pub(crate) fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((self.0 >> 33) % bound as u64) as usize
        }
    }

    /// Random walks: every move's fitness is that of the whole board, and nothing else changes.
    fn walk<G: RowGene + std::fmt::Debug>(n: usize, encoding: Encoding, counting: Counting) {
        walk_on(&Queens::<G>::new(n, encoding, counting), encoding);
    }

    pub(crate) fn walk_on<G: RowGene + std::fmt::Debug, B: Board>(
        queens: &Queens<G, B>,
        encoding: Encoding,
    ) {
        let (n, values) = (queens.board.genes(), queens.board.values());
        let mut draws = Draws(n as u64);
        let mut board: Vec<G> = (0..n).map(G::from_row).collect();
        if encoding == Encoding::Rows {
            board.fill_with(|| G::from_row(draws.below(values)));
        }
        let mut state = vec![7; queens.state_length()];
        queens.build(&board, &mut state);
        assert_eq!(queens.state_fitness(&board, &state), queens.fitness(&board));
        for step in 0..60 {
            let (mut starts, mut positions, mut values_of, mut pairs) =
                (vec![0], vec![], vec![], vec![]);
            for _ in 0..8 {
                for _ in 0..if step % 3 == 0 { 1 } else { 1 + draws.below(3) } {
                    let position = draws.below(n) as u32;
                    if !positions[*starts.last().expect("one") as usize..].contains(&position) {
                        positions.push(position);
                        values_of.push(G::from_row(draws.below(values)));
                    }
                }
                starts.push(positions.len() as u32);
                let one = draws.below(n);
                pairs.push([one as u32, ((one + 1 + draws.below(n.max(2) - 1)) % n) as u32]);
            }
            let changes = match step % 3 {
                0 => Moves::Single { positions: &positions, values: &values_of },
                _ => Moves::Several { starts: &starts, positions: &positions, values: &values_of },
            };
            let exchanges = Moves::Exchange { pairs: &pairs };
            let exchanged = encoding == Encoding::Permutation || step % 2 == 0;
            if n == 1 && exchanged {
                continue;
            }
            let moves = if exchanged { exchanges } else { changes };
            let (before, mut fitness) = ((board.clone(), state.clone()), vec![f64::NAN; 8]);
            queens.evaluate_moves(&mut board, &mut state, &moves, &mut fitness);
            assert_eq!((&board, &state), (&before.0, &before.1));
            for (number, fitness) in fitness.iter().enumerate() {
                let (mut other, mut rebuilt) = (board.clone(), vec![9; state.len()]);
                let mut changed = state.clone();
                queens.apply(&mut other, &mut changed, &moves, number);
                assert_eq!(fitness.to_bits(), queens.fitness(&other).to_bits(), "{n} {moves:?}");
                queens.build(&other, &mut rebuilt);
                assert_eq!(changed, rebuilt);
            }
            queens.apply(&mut board, &mut state, &moves, draws.below(8));
        }
    }

    #[test]
    fn moves_have_the_fitness_of_whole_boards() {
        for counting in [Counting::Pairs, Counting::PerQueen] {
            for encoding in [Encoding::Rows, Encoding::Permutation] {
                for n in [1, 2, 3, 4, 8, 16, 17, 64, 65, 256] {
                    walk::<u8>(n, encoding, counting);
                }
                for n in [1, 2, 3, 65, 257, 1000] {
                    walk::<u16>(n, encoding, counting);
                }
                walk::<u32>(1000, encoding, counting);
            }
        }
    }

    /// Each queen's conflicts, by the definition.
    #[test]
    fn a_queen_is_in_conflict_with_those_that_it_attacks() {
        let mut draws = Draws(5);
        for n in [1, 2, 4, 9, 40] {
            let queens = Queens::<u8>::new(n, Encoding::Rows, Counting::Pairs);
            let board: Vec<u8> = (0..n).map(|_| draws.below(n) as u8).collect();
            let mut state = vec![0; queens.state_length()];
            queens.build(&board, &mut state);
            let positions: Vec<u32> = (0..n as u32).rev().step_by(2).collect();
            let mut told = vec![9; positions.len()];
            queens.conflicts(&board, &state, &positions, &mut told);
            let attacks = |one: usize, other: usize| {
                let apart = usize::from(board[one].abs_diff(board[other]));
                one != other && (apart == 0 || apart == one.abs_diff(other))
            };
            for (position, told) in positions.iter().zip(told) {
                let due = (0..n).filter(|other| attacks(*position as usize, *other)).count();
                assert_eq!(told as usize, due, "{board:?} {position}");
            }
        }
    }

    /// Every exchange of two queens on every board of four, which hold all ways to share lines.
    #[test]
    fn exchanges_are_right_on_all_small_boards() {
        let queens = Queens::<u8>::new(4, Encoding::Rows, Counting::Pairs);
        let pairs: Vec<[u32; 2]> = (0..4).flat_map(|a| (0..4).map(move |b| [a, b])).collect();
        let pairs: Vec<[u32; 2]> = pairs.into_iter().filter(|[a, b]| a != b).collect();
        let mut state = vec![0; queens.state_length()];
        for number in 0..256u32 {
            let mut board = [0u8, 1, 2, 3].map(|place| (number >> (2 * place) & 3) as u8);
            queens.build(&board, &mut state);
            let mut fitness = vec![0.0; pairs.len()];
            let moves = Moves::Exchange { pairs: &pairs };
            queens.evaluate_moves(&mut board, &mut state, &moves, &mut fitness);
            for (pair, fitness) in pairs.iter().zip(fitness) {
                let mut other = board;
                other.swap(pair[0] as usize, pair[1] as usize);
                assert_eq!(fitness, queens.fitness(&other), "{board:?} {pair:?}");
            }
        }
    }
}
