//! The problem: its parameters, its genomes, its fitness.

use super::board::{Board, Whole};
use super::genomes::Genomes;
use super::puzzle::Puzzle;
use super::{clashes, greedy};
use runner_plugin::{
    ConflictCalls, Description, Enumerate, Gene, Incremental, Instance, IsValid, MoveCalls, Number,
    Parameter, Parameters, Plugin, Problem, Render, RowRng, RowRngs, words,
};
use std::marker::PhantomData;

/// The plugin `nqueens`.
pub struct NQueens;

/// An instance: genes of `u8` up to 256 queens, of `u16` up to 65,535, of `u32` beyond.
#[derive(Clone, Debug)]
pub struct Queens<G, B = Whole> {
    pub(crate) board: B,
    encoding: Encoding,
    counting: Counting,
    gene: PhantomData<G>,
}

/// Encoding of genomes. In both, gene `i` is the row of the queen in column `i`, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Any row in any column: n^n genomes.
    Rows,
    /// No two in the same row: n! genomes.
    Permutation,
}

/// Unit that fitness counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Each pair of queens that attack each other, once.
    Pairs,
    /// For each queen the queens that it attacks: twice the pairs.
    PerQueen,
}

/// The kinds of gene that hold a row.
pub trait RowGene: Gene + std::fmt::Display {
    /// Cut to the kind's width: callers give rows that fit.
    fn from_row(row: usize) -> Self;
    fn row(self) -> usize;
    /// Clashing pairs of a board.
    fn clashing_pairs(board: &[Self]) -> u64;
    /// Clashing pairs of boards of `n` columns, one behind the other, times `pair`; `distinct`: no
    /// row has two queens.
    fn clashes_of(boards: &[Self], n: usize, _distinct: bool, pair: u64, fitness: &mut [f64]) {
        for (board, fitness) in boards.chunks_exact(n).zip(fitness) {
            // At most 2^23 * 2^23, which f64 holds exactly.
            *fitness = (Self::clashing_pairs(board) * pair) as f64;
        }
    }
}

impl RowGene for u8 {
    #[inline]
    fn from_row(row: usize) -> Self {
        row as u8
    }

    #[inline]
    fn row(self) -> usize {
        self.into()
    }

    #[inline]
    fn clashing_pairs(board: &[u8]) -> u64 {
        clashes::of_up_to_256(board)
    }

    fn clashes_of(boards: &[u8], n: usize, distinct: bool, pair: u64, fitness: &mut [f64]) {
        clashes::of_all_up_to_256(boards, n, distinct, pair, fitness);
    }
}

impl RowGene for u16 {
    #[inline]
    fn from_row(row: usize) -> Self {
        row as u16
    }

    #[inline]
    fn row(self) -> usize {
        self.into()
    }

    fn clashing_pairs(board: &[u16]) -> u64 {
        clashes::of_many(board)
    }
}

impl RowGene for u32 {
    #[inline]
    fn from_row(row: usize) -> Self {
        row as u32
    }

    #[inline]
    fn row(self) -> usize {
        self as usize
    }

    fn clashing_pairs(board: &[u32]) -> u64 {
        clashes::of_very_many(board)
    }
}

/// Most queens: all counts are exact, and a state takes less than 170 MB.
const MOST: i64 = 1 << 23;

impl Plugin for NQueens {
    const NAME: &'static str = "nqueens";
    const SUMMARY: &'static str =
        "n queens on an n x n board, one per column, so that none attacks another.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::integer("n", 1..=MOST, "Number of queens, columns and rows.").default_integer(8),
        Parameter::choice(
            "encoding",
            words!["rows", "permutation"],
            "Encoding of a genome: any row for each queen, or each row exactly once.",
        )
        .default_choice(0),
        Parameter::choice(
            "counting",
            words!["pairs", "per-queen"],
            "How fitness counts clashes: each clashing pair once, or once per queen (twice as \
            much).",
        )
        .default_choice(0),
        Parameter::text(
            "placed",
            "Queens that have their place, by column and row from 0: \"0:3 4:6\".",
        )
        .default_text("")
        .added_later(),
        Parameter::integer("placed-queens", 0..=MOST, "Number of queens placed at random.")
            .default_integer(0)
            .added_later(),
        Parameter::text(
            "excluded",
            "Diagonals without queens, by the sum of column and row or by the row less the column: \
            \"sum:5 difference:-2\".",
        )
        .default_text("")
        .added_later(),
        Parameter::integer(
            "excluded-diagonals",
            0..=4 * MOST,
            "Number of diagonals excluded at random.",
        )
        .default_integer(0)
        .added_later(),
        Parameter::integer(
            "open-squares",
            1..=MOST,
            "Number of squares without attack that diagonals excluded at random leave to each row \
            and column.",
        )
        .default_integer(2)
        .added_later(),
        Parameter::integer(
            "puzzle",
            0..=i64::MAX,
            "Seed of what is placed and excluded at random.",
        )
        .default_integer(1)
        .added_later(),
    ];
    type Problem = Queens<u8>;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let n = parameters.integer("n") as usize;
        let encoding = match parameters.text("encoding") {
            "rows" => Encoding::Rows,
            _ => Encoding::Permutation,
        };
        let counting = match parameters.text("counting") {
            "pairs" => Counting::Pairs,
            _ => Counting::PerQueen,
        };
        if let Some(puzzle) = Puzzle::read(parameters)? {
            return Ok(if n <= 256 {
                Queens::<u8, _>::on(puzzle, encoding, counting).into()
            } else if n <= 65535 {
                Queens::<u16, _>::on(puzzle, encoding, counting).into()
            } else {
                Queens::<u32, _>::on(puzzle, encoding, counting).into()
            });
        }
        Ok(if n <= 256 {
            Queens::<u8>::new(n, encoding, counting).into()
        } else if n <= 65535 {
            Queens::<u16>::new(n, encoding, counting).into()
        } else {
            Queens::<u32>::new(n, encoding, counting).into()
        })
    }
}

impl Counting {
    /// Weight of a clashing pair.
    pub(crate) fn pair(self) -> u64 {
        match self {
            Counting::Pairs => 1,
            Counting::PerQueen => 2,
        }
    }
}

impl<G: RowGene> Queens<G> {
    /// A board of `n` x `n`, whose rows fit the gene: `n` in 1..=256 for `u8`, in 1..=65536 for
    /// `u16`, up to 2^23 for `u32`.
    #[must_use]
    pub fn new(n: usize, encoding: Encoding, counting: Counting) -> Self {
        Queens::on(Whole { columns: n }, encoding, counting)
    }
}

impl<G: RowGene, B: Board> Queens<G, B> {
    /// Queens on a board, whose rows fit the gene.
    pub(crate) fn on(board: B, encoding: Encoding, counting: Counting) -> Self {
        Queens { board, encoding, counting, gene: PhantomData }
    }

    /// Whether no two queens are in one row.
    pub(crate) fn has_distinct_rows(&self) -> bool {
        self.encoding == Encoding::Permutation
    }

    /// Weight of a clashing pair.
    pub(crate) fn pair(&self) -> u64 {
        self.counting.pair()
    }

    /// The genomes of the board.
    pub(crate) fn genomes(&self) -> Genomes {
        let (columns, rows) = (self.board.genes(), self.board.values());
        Genomes { columns, rows, distinct: self.has_distinct_rows() }
    }
}

impl<G: RowGene, B: Board> Problem for Queens<G, B> {
    type Gene = G;

    fn describe(&self) -> Description {
        let Genomes { columns, rows, distinct } = self.genomes();
        let description = match self.encoding {
            Encoding::Rows => Description::integers(columns, 0, rows as u32 - 1),
            Encoding::Permutation => Description::permutation(columns),
        };
        let is_whole = self.board.taken().is_none();
        // Two or three queens always clash, at least one pair of them (Pauls 1874 for n > 3: none
        // need to).
        let least = if is_whole && (columns == 2 || columns == 3) { self.pair() } else { 0 };
        // Lines of a square that can be taken: its diagonals, and its row.
        let taken = match (is_whole, distinct) {
            (true, _) => 0,
            (false, true) => 2,
            (false, false) => 3,
        };
        // All of them on one diagonal, say.
        let n = columns as u64;
        let most = (n * (n - 1) / 2 + n * taken) * self.pair();
        description
            .ideal(least as f64)
            .worst(most as f64)
            .tolerance(0.0)
            .space_size(self.genomes().space_size())
    }

    /// Uniform over the genomes.
    fn sample(&self, rng: &mut RowRng, board: &mut [G]) {
        self.genomes().sample(rng, board);
    }

    fn sample_rows(&self, rngs: &RowRngs, boards: &mut [G]) {
        self.genomes().sample_rows(rngs, boards);
    }

    fn fitness(&self, board: &[G]) -> f64 {
        if self.board.taken().is_none() {
            return (G::clashing_pairs(board) * self.pair()) as f64;
        }
        let mut state = vec![0; self.state_length()];
        self.build(board, &mut state);
        self.state_fitness(board, &state)
    }

    fn evaluate(&self, boards: &[G], fitness: &mut [f64]) -> Result<(), String> {
        let (columns, distinct) = (self.board.genes(), self.has_distinct_rows());
        if self.board.taken().is_none() {
            G::clashes_of(boards, columns, distinct, self.pair(), fitness);
            return Ok(());
        }
        let mut state = vec![0; self.state_length()];
        for (board, fitness) in boards.chunks_exact(columns).zip(fitness) {
            self.build(board, &mut state);
            *fitness = self.state_fitness(board, &state);
        }
        Ok(())
    }

    const IS_VALID: Option<IsValid<Self>> = Some(|queens, board| queens.genomes().is_valid(board));
    const RENDER: Option<Render<Self>> =
        Some(|queens, board, format| queens.board.render(board, format));
    const ENUMERATE: Option<Enumerate<Self>> =
        Some(|queens, number, board| queens.genomes().enumerate(number, board));
    const NUMBER: Option<Number<Self>> = Some(|queens, board| queens.genomes().number(board));
    const MOVES: Option<MoveCalls<Self>> = Some(MoveCalls::new());
    const CONFLICTS: Option<ConflictCalls<Self>> =
        Some(ConflictCalls::of_state().constructing(greedy::construct));
}

#[cfg(test)]
mod tests {
    use super::*;
    use Counting::{Pairs, PerQueen};
    use Encoding::{Permutation, Rows};

    fn queens(n: usize, encoding: Encoding) -> Queens<u8> {
        Queens::new(n, encoding, Pairs)
    }

    /// Every fitness of the whole space.
    fn all(queens: &Queens<u8>) -> impl Iterator<Item = f64> {
        let mut board = vec![0u8; queens.board.columns()];
        (0..queens.genomes().space_size()).map(move |number| {
            queens.genomes().enumerate(number, &mut board);
            queens.fitness(&board)
        })
    }

    /// OEIS A000170.
    #[test]
    fn there_are_as_many_solutions_as_are_known() {
        for (n, solutions) in [(1, 1), (4, 2), (5, 10), (6, 4), (7, 40), (8, 92), (9, 352)] {
            assert_eq!(
                all(&queens(n, Permutation)).filter(|&fitness| fitness == 0.0).count(),
                solutions,
                "n = {n}"
            );
        }
        for (n, solutions) in [(4, 2), (5, 10), (6, 4)] {
            assert_eq!(
                all(&queens(n, Rows)).filter(|&fitness| fitness == 0.0).count(),
                solutions,
                "n = {n}"
            );
        }
    }

    #[test]
    fn ideal_and_worst_are_reached_and_never_passed() {
        for n in 1..=6 {
            for encoding in [Rows, Permutation] {
                for (counting, pair) in [(Pairs, 1.0), (PerQueen, 2.0)] {
                    let queens = Queens::<u8>::new(n, encoding, counting);
                    let least = all(&queens).fold(f64::INFINITY, f64::min);
                    let most = all(&queens).fold(0.0, f64::max);
                    let stated = queens.describe();
                    let ideal = if n == 2 || n == 3 { pair } else { 0.0 };
                    let worst = (n * (n - 1) / 2) as f64 * pair;
                    assert_eq!((least, most), (ideal, worst), "n = {n}, {encoding:?}");
                    assert_eq!(stated, queens.describe().ideal(ideal).worst(worst));
                }
            }
        }
    }

    #[test]
    fn numbers_and_genomes_are_one_to_one() {
        for queens in [queens(4, Rows), queens(6, Permutation), queens(1, Rows)] {
            let mut before = Vec::new();
            let mut board = vec![0u8; queens.board.columns()];
            for number in 0..queens.genomes().space_size() {
                queens.genomes().enumerate(number, &mut board);
                assert_eq!(queens.genomes().number(&board), Some(number));
                assert!(before < board, "lexicographic order");
                before.clone_from(&board);
            }
        }
        assert_eq!(queens(8, Permutation).genomes().number(&[0u8; 8]), None);
        assert_eq!(queens(8, Rows).genomes().number(&[8u8; 8]), None);
    }

    #[test]
    fn only_spaces_that_fit_u64_are_numbered() {
        assert_eq!(queens(8, Rows).genomes().space_size(), 16_777_216);
        assert_eq!(queens(15, Rows).genomes().space_size(), 15u64.pow(15));
        assert_eq!(queens(16, Rows).genomes().space_size(), 0);
        assert_eq!(queens(20, Permutation).genomes().space_size(), 2_432_902_008_176_640_000);
        assert_eq!(queens(21, Permutation).genomes().space_size(), 0);
        assert_eq!(queens(16, Rows).genomes().number(&[0u8; 16]), None);
    }

    /// OEIS A000170: 2, 10, 4, 40, 92, 352 solutions for n = 4..=9.
    #[test]
    fn every_solution_is_found_by_going_through_all_boards() {
        let solutions = |queens: Queens<u8>| {
            let mut boards = vec![0; 1000 * queens.board.columns()];
            let mut solutions = 0;
            for first in (0..queens.genomes().space_size()).step_by(1000) {
                let rows = (queens.genomes().space_size() - first).min(1000) as usize;
                let boards = &mut boards[..rows * queens.board.columns()];
                for (number, board) in
                    (first..).zip(boards.chunks_exact_mut(queens.board.columns()))
                {
                    queens.genomes().enumerate(number, board);
                }
                let mut fitness = vec![0.0; rows];
                queens.evaluate(boards, &mut fitness).expect("plain counting cannot fail");
                solutions += fitness.iter().filter(|fitness| **fitness == 0.0).count();
            }
            solutions
        };
        for (n, expected) in (4..).zip([2, 10, 4, 40, 92, 352]) {
            assert_eq!(solutions(queens(n, Permutation)), expected, "{n} queens as permutations");
            // 7^7 boards and fewer.
            if n < 8 {
                assert_eq!(solutions(queens(n, Rows)), expected, "{n} queens in rows");
            }
        }
    }

    #[test]
    fn validity_follows_the_encoding() {
        assert!(queens(3, Rows).genomes().is_valid(&[2u8, 2, 0]));
        assert!(!queens(3, Rows).genomes().is_valid(&[3u8, 0, 0]));
        assert!(queens(3, Permutation).genomes().is_valid(&[2u8, 0, 1]));
        assert!(!queens(3, Permutation).genomes().is_valid(&[2u8, 2, 0]));
        assert!(!queens(3, Permutation).genomes().is_valid(&[3u8, 1, 0]));
    }

    /// Chi-square of 24,000 draws over 256 boards (4 rows of 4) and over 24 permutations: a false
    /// alarm beyond the 0.99999 quantile, 360 for 255 degrees of freedom and 68 for 23, one time in
    /// 100,000; the seed is fixed.
    #[test]
    fn samples_are_uniform() {
        for (encoding, limit) in [(Rows, 360.0), (Permutation, 68.0)] {
            let queens = queens(4, encoding);
            let mut counts = vec![0u32; queens.genomes().space_size() as usize];
            for row in 0..24_000 {
                let mut board = [0; 4];
                queens.sample(&mut RowRng::new(&[5; 32], row), &mut board);
                let number = queens.genomes().number(&board).expect("a sample is valid");
                counts[number as usize] += 1;
            }
            let expected = 24_000.0 / counts.len() as f64;
            let chi_square: f64 =
                counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
            assert!(chi_square < limit, "{encoding:?}: {chi_square}");
        }
    }

    #[test]
    fn boards_drawn_together_are_those_drawn_one_by_one() {
        fn check<G: RowGene + std::fmt::Debug>(n: usize) {
            for encoding in [Rows, Permutation] {
                let queens = Queens::<G>::new(n, encoding, Pairs);
                let mut boards = vec![G::from_row(0); 11 * n];
                queens.sample_rows(&RowRngs::new(&[4; 32], 6, 11), &mut boards);
                for (row, board) in (6..).zip(boards.chunks(n)) {
                    let mut alone = vec![G::from_row(0); n];
                    queens.sample(&mut RowRng::new(&[4; 32], row), &mut alone);
                    assert_eq!(board, alone, "{n} queens, {encoding:?}");
                }
            }
        }
        [1, 8, 9, 200, 256].into_iter().for_each(check::<u8>);
        [257, 300].into_iter().for_each(check::<u16>);
        check::<u32>(70_000);
    }

    #[test]
    fn per_queen_counts_each_queen_of_a_pair() {
        let board = [0, 0, 3, 1];
        let pairs = Queens::<u8>::new(4, Rows, Pairs).fitness(&board);
        assert_eq!(Queens::<u8>::new(4, Rows, PerQueen).fitness(&board), 2.0 * pairs);
        assert_eq!(Queens::<u16>::new(4, Rows, Pairs).fitness(&[0, 0, 3, 1]), pairs);
    }
}
