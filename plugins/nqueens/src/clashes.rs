//! Counting clashing pairs: exact, without allocation per board.
//!
//! Queens clash in a row or on a diagonal; columns hold one each. Two queens share at most one
//! line, so the pairs of all lines add up. A line with c queens has c(c-1)/2 pairs: each queen put
//! on it clashes with those already there.

#[cfg(target_arch = "x86_64")]
use super::eights;
use runner_plugin::{Vectors, vectors};
use std::cell::RefCell;

/// Lanes of the small boards' arithmetic: one vector register.
const LANES: usize = 16;

/// Pairs on a board of at most 256 columns.
#[inline]
pub(crate) fn of_up_to_256(board: &[u8]) -> u64 {
    if board.len() <= LANES {
        return of_up_to_16(board);
    }
    Lines::new().pairs(board)
}

/// Counters of the lines of a board of 17 to 256 columns; sizes that let an index be cut to fit in
/// place of a check.
struct Lines {
    rows: [u8; 256],
    rising: [u8; 512],
    falling: [u8; 512],
}

impl Lines {
    fn new() -> Self {
        Lines { rows: [0; 256], rising: [0; 512], falling: [0; 512] }
    }

    /// Puts the queens one by one: each clashes with those that are on its lines already. Rows must
    /// be below the board's width: others would give a wrong number. No counter is read after its
    /// 256th queen, so u8 does.
    fn pairs(&mut self, board: &[u8]) -> u64 {
        let n = board.len().min(256);
        self.rows[..n].fill(0);
        self.rising[..2 * n].fill(0);
        self.falling[..2 * n].fill(0);
        let mut pairs = 0u32;
        for (column, row) in board.iter().enumerate() {
            let own = usize::from(*row);
            let lines = [
                &mut self.rows[own],
                &mut self.rising[(column + own) % 512],
                &mut self.falling[(column + n).wrapping_sub(own + 1) % 512],
            ];
            for queens in lines {
                pairs += u32::from(*queens);
                *queens = queens.wrapping_add(1);
            }
        }
        pairs.into()
    }
}

/// Compares all pairs, those of the same distance at once. Rows must be below 16: others would give
/// a wrong number.
fn of_up_to_16(board: &[u8]) -> u64 {
    // What fills the lanes beyond the board: far from every row and from each other, so that it
    // clashes with nothing.
    let mut left = [0x40u8; LANES];
    let mut right = [0x80u8; 2 * LANES];
    left[..board.len()].copy_from_slice(board);
    right[..board.len()].copy_from_slice(board);
    let mut pairs = [0u8; LANES];
    for distance in 1..board.len() {
        let shift = distance as u8;
        let right: &[u8; LANES] =
            right[distance..distance + LANES].try_into().expect("as long as the lanes");
        for lane in 0..LANES {
            let (a, b) = (left[lane], right[lane]);
            pairs[lane] += u8::from(a == b)
                | u8::from(a.wrapping_add(shift) == b)
                | u8::from(b.wrapping_add(shift) == a);
        }
    }
    // At most 15 a lane.
    pairs.iter().map(|&pairs| u64::from(pairs)).sum()
}

/// Fewest boards for which a block, filled up, is quicker than one board after the other.
const WORTH_A_BLOCK: usize = 4;

/// Writes the pairs, times `pair`, of boards of at most 256 columns, one behind the other;
/// `distinct`: no row has two queens.
///
/// The version for the processor at hand is chosen when it runs; all give the same numbers.
pub(crate) fn of_all_up_to_256(
    boards: &[u8],
    n: usize,
    distinct: bool,
    pair: u64,
    fitness: &mut [f64],
) {
    if n == 8 && of_all_eights(Vectors::Avx512, boards, pair, fitness) {
        return;
    }
    of_all_alike(boards, n, distinct, pair, fitness);
}

/// Counts the clashes of boards of eight columns by at most these vector instructions. Returns
/// whether the processor has a way to.
#[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "not every processor can"))]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "there is no way"))]
fn of_all_eights(most: Vectors, boards: &[u8], pair: u64, fitness: &mut [f64]) -> bool {
    match most.min(vectors()) {
        #[cfg(target_arch = "x86_64")]
        Vectors::Avx512 => {
            // SAFETY: the processor has these instructions.
            unsafe { eights::of_all_wide(boards, pair, fitness) };
            true
        }
        #[cfg(target_arch = "x86_64")]
        Vectors::Avx2 => {
            // SAFETY: the processor has these instructions.
            unsafe { eights::of_all(boards, pair, fitness) };
            true
        }
        _ => false,
    }
}

/// Counts the clashes of boards of any width.
#[multiversion::multiversion(targets("x86_64+avx2"))]
fn of_all_alike(boards: &[u8], n: usize, distinct: bool, pair: u64, fitness: &mut [f64]) {
    // Comparing all pairs takes n^2 steps, but of 32 boards at once: up to here it is quicker than
    // counters.
    let widest =
        if multiversion::target::target_cfg_f!(target_feature = "avx2") { WIDEST } else { LANES };
    if distinct {
        count_all::<true>(boards, n, pair, widest, fitness);
    } else {
        count_all::<false>(boards, n, pair, widest, fitness);
    }
}

/// Body of every version: boards of at most `widest` columns are counted in blocks.
/// `DISTINCT`: no row has two queens.
#[inline(always)]
fn count_all<const DISTINCT: bool>(
    boards: &[u8],
    n: usize,
    pair: u64,
    widest: usize,
    fitness: &mut [f64],
) {
    if n > widest {
        let mut lines = Lines::new();
        for (board, fitness) in boards.chunks_exact(n).zip(fitness) {
            *fitness = (lines.pairs(board) * pair) as f64;
        }
        return;
    }
    for (boards, fitness) in boards.chunks(BLOCK * n).zip(fitness.chunks_mut(BLOCK)) {
        if let Ok(fitness) = fitness.try_into() {
            count_block::<DISTINCT>(boards, n, pair, fitness);
        } else if fitness.len() >= WORTH_A_BLOCK {
            let (mut filled, mut all) = ([0; BLOCK * WIDEST], [0.0; BLOCK]);
            filled[..boards.len()].copy_from_slice(boards);
            count_block::<DISTINCT>(&filled[..BLOCK * n], n, pair, &mut all);
            fitness.copy_from_slice(&all[..fitness.len()]);
        } else {
            for (board, fitness) in boards.chunks_exact(n).zip(fitness) {
                *fitness = (of_up_to_256(board) * pair) as f64;
            }
        }
    }
}

/// Boards that are counted at a time: 32 bytes of each column.
const BLOCK: usize = 32;
/// Columns of the widest boards that are counted so.
const WIDEST: usize = 64;

/// A column of a block of boards, or a line through it. Aligned: a vector that straddles two cache
/// lines takes twice as long to load.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Column([u8; BLOCK]);

/// Writes the pairs, times `pair`, of `BLOCK` boards of at most `WIDEST` columns, one behind the
/// other; rows must be below 64. The boards are turned so that a column of all of them lies
/// together: then every comparison is of 32 boards at once, without a branch.
#[inline(always)]
fn count_block<const DISTINCT: bool>(
    boards: &[u8],
    n: usize,
    pair: u64,
    fitness: &mut [f64; BLOCK],
) {
    assert!((1..=WIDEST).contains(&n) && boards.len() == BLOCK * n, "a block of small boards");
    // Width 8 is known to the compiler: the usual size has no loops left.
    let pairs = if n == 8 {
        let mut columns = [Column([0; BLOCK]); 8];
        turn(boards, 8, &mut columns);
        count_columns::<8, DISTINCT>(&columns, 8)
    } else {
        let mut columns = [Column([0; BLOCK]); WIDEST];
        turn(boards, n, &mut columns);
        count_columns::<WIDEST, DISTINCT>(&columns, n)
    };
    for (board, fitness) in fitness.iter_mut().enumerate() {
        // At most 4032.
        *fitness = f64::from(i32::from(pairs[place_of(board)]) * pair as i32);
    }
}

/// Pairs of 32 boards, column by column.
#[inline(always)]
fn count_columns<const MOST: usize, const DISTINCT: bool>(
    columns: &[Column; MOST],
    n: usize,
) -> [u16; BLOCK] {
    // Queens on a rising diagonal have the same row - column, on a falling one the same row +
    // column.
    let (mut rising, mut falling) = ([Column([0; BLOCK]); MOST], [Column([0; BLOCK]); MOST]);
    for column in 0..n {
        for board in 0..BLOCK {
            rising[column].0[board] = columns[column].0[board].wrapping_sub(column as u8);
            falling[column].0[board] = columns[column].0[board].wrapping_add(column as u8);
        }
    }
    let mut pairs = [0u16; BLOCK];
    for right in 1..n {
        let (row, rise, fall) = (columns[right], rising[right], falling[right]);
        // At most 63 of a board: two queens share one line.
        let mut clashes = [0u8; BLOCK];
        let mut add = |left: usize| {
            for (board, clashes) in clashes.iter_mut().enumerate() {
                let clash = (!DISTINCT && row.0[board] == columns[left].0[board])
                    | (rise.0[board] == rising[left].0[board])
                    | (fall.0[board] == falling[left].0[board]);
                *clashes += u8::from(clash);
            }
        };
        // Four columns at a time: a loop of one would take as long for its end.
        let fours = right / 4 * 4;
        for left in (0..fours).step_by(4) {
            add(left);
            add(left + 1);
            add(left + 2);
            add(left + 3);
        }
        (fours..right).for_each(add);
        for (pairs, clashes) in pairs.iter_mut().zip(clashes) {
            *pairs += u16::from(clashes);
        }
    }
    pairs
}

/// Place of a board in each column after [`turn`].
#[inline(always)]
const fn place_of(board: usize) -> usize {
    8 * (board % 4) + board / 4
}

/// Turns boards into columns, eight columns at a time (what stands in columns beyond `n` has no
/// meaning). Four tiles of eight boards are turned at once: the tile of a board is its number mod
/// 4, so that four boards that follow each other are one vector.
#[inline(always)]
fn turn<const MOST: usize>(boards: &[u8], n: usize, columns: &mut [Column; MOST]) {
    if n == 8 {
        let boards = boards.as_chunks().0;
        put(turn_tiles(|four, tile| u64::from_le_bytes(boards[4 * four + tile])), &mut columns[..]);
        return;
    }
    for first in (0..n).step_by(8) {
        let words = turn_tiles(|four, tile| {
            let from = (4 * four + tile) * n + first;
            match boards.get(from..from + 8) {
                Some(bytes) => u64::from_le_bytes(bytes.try_into().expect("eight")),
                None => {
                    boards[from..].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
                }
            }
        });
        put(words, &mut columns[first..]);
    }
}

/// Writes eight columns, or as many as there is room for.
#[inline(always)]
fn put(words: [[u64; 4]; 8], columns: &mut [Column]) {
    for (column, words) in columns.iter_mut().zip(words) {
        for (bytes, word) in column.0.as_chunks_mut::<8>().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
    }
}

/// Turns four tiles, each of eight rows of eight bytes that `row` reads: exchanges ever smaller
/// squares off the diagonal (Warren 2012, Hacker's Delight, section 7-3).
#[inline(always)]
fn turn_tiles(row: impl Fn(usize, usize) -> u64) -> [[u64; 4]; 8] {
    /// The squares that a round exchanges: the rows above and below the diagonal.
    type Squares = [(usize, usize); 4];
    const FIRST: Squares = [(0, 4), (1, 5), (2, 6), (3, 7)];
    const ROUNDS: [(u32, u64, Squares); 2] = [
        (16, 0x0000_ffff_0000_ffff, [(0, 2), (1, 3), (4, 6), (5, 7)]),
        (8, 0x00ff_00ff_00ff_00ff, [(0, 1), (2, 3), (4, 5), (6, 7)]),
    ];
    let exchange = |shift: u32, low: u64, upper: [u64; 4], lower: [u64; 4]| {
        let mut exchanged = [[0; 4]; 2];
        for tile in 0..4 {
            exchanged[0][tile] = upper[tile] & low | (lower[tile] & low) << shift;
            exchanged[1][tile] = (upper[tile] >> shift) & low | lower[tile] & !low;
        }
        exchanged
    };
    let read = |four: usize| std::array::from_fn(|tile| row(four, tile));
    let mut words = [[0u64; 4]; 8];
    for (one, other) in FIRST {
        [words[one], words[other]] = exchange(32, 0x0000_0000_ffff_ffff, read(one), read(other));
    }
    for (shift, low, squares) in ROUNDS {
        for (one, other) in squares {
            [words[one], words[other]] = exchange(shift, low, words[one], words[other]);
        }
    }
    words
}

thread_local! {
    /// Counters of the lines of a large board: 5n - 2 of them, kept from board to board.
    static LINES: RefCell<Vec<u16>> = const { RefCell::new(Vec::new()) };
    /// Counters of a board beyond 65536 columns.
    static LONG_LINES: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// Pairs on a board of any width up to 65536, in linear time.
pub(crate) fn of_many(board: &[u16]) -> u64 {
    let n = board.len();
    LINES.with_borrow_mut(|lines| {
        lines.clear();
        lines.resize((5 * n).saturating_sub(2), 0);
        // No counter is read after its 65536th queen, so u16 does.
        count(board.iter().map(|&row| row.into()), n, lines, |queens| {
            let before = *queens;
            *queens = before.wrapping_add(1);
            before.into()
        })
    })
}

/// Pairs on a board of any width below 2^32, in linear time.
pub(crate) fn of_very_many(board: &[u32]) -> u64 {
    let n = board.len();
    LONG_LINES.with_borrow_mut(|lines| {
        lines.clear();
        lines.resize((5 * n).saturating_sub(2), 0);
        count(board.iter().map(|&row| row as usize), n, lines, |queens| {
            let before = *queens;
            *queens = before + 1;
            before.into()
        })
    })
}

/// Puts the queens one by one; `put` counts one on a line and gives how many were there.
#[inline]
fn count<C>(
    rows: impl Iterator<Item = usize>,
    n: usize,
    lines: &mut [C],
    put: impl Fn(&mut C) -> u64,
) -> u64 {
    let (rank, diagonals) = lines.split_at_mut(n);
    let (rising, falling) = diagonals.split_at_mut(2 * n - 1);
    rows.enumerate()
        .map(|(column, row)| {
            put(&mut rank[row])
                + put(&mut rising[column + row])
                + put(&mut falling[column + n - 1 - row])
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use runner_plugin::rand::seq::SliceRandom;

    /// The definition.
    fn oracle(board: &[u16]) -> u64 {
        let mut pairs = 0;
        for a in 0..board.len() {
            for b in a + 1..board.len() {
                let apart = usize::from(board[a].abs_diff(board[b]));
                pairs += u64::from(apart == 0 || apart == b - a);
            }
        }
        pairs
    }

    fn board(most: usize) -> impl Strategy<Value = Vec<u16>> {
        (1..=most).prop_flat_map(|n| proptest::collection::vec(0..n as u16, n))
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(512)
        })]

        #[test]
        fn small_boards_agree_with_the_definition(board in board(16)) {
            let bytes: Vec<u8> = board.iter().map(|&row| row as u8).collect();
            prop_assert_eq!(of_up_to_256(&bytes), oracle(&board));
        }

        #[test]
        fn every_way_to_count_many_boards_agrees_with_the_definition(
            n in prop_oneof![Just(8usize), 1usize..=80],
            seed in any::<u64>(),
        ) {
            let mut state = seed | 1;
            let boards: Vec<u8> = (0..(BLOCK + 9) * n)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    ((state >> 33) % n as u64) as u8
                })
                .collect();
            let expected: Vec<f64> = boards
                .chunks_exact(n)
                .map(|board| board.iter().map(|&row| row.into()).collect::<Vec<_>>())
                .map(|board| 2.0 * oracle(&board) as f64)
                .collect();
            for count in [1, 3, 4, 7, 8, 9, 31, BLOCK, BLOCK + 2, BLOCK + 9] {
                let boards = &boards[..count * n];
                let mut fitness = vec![0.0; count];
                // As the processor has it, in blocks wherever they are possible, and with counters
                // alone.
                of_all_up_to_256(boards, n, false, 2, &mut fitness);
                prop_assert_eq!(&fitness, &expected[..count]);
                fitness.fill(-1.0);
                of_all_alike(boards, n, false, 2, &mut fitness);
                prop_assert_eq!(&fitness, &expected[..count]);
                for most in Vectors::ALL.into_iter().filter(|_| n == 8) {
                    fitness.fill(-1.0);
                    if of_all_eights(most, boards, 2, &mut fitness) {
                        prop_assert_eq!(&fitness, &expected[..count], "{:?}", most);
                    }
                }
                for widest in [0, LANES, WIDEST] {
                    fitness.fill(-1.0);
                    count_all::<false>(boards, n, 2, widest, &mut fitness);
                    prop_assert_eq!(&fitness, &expected[..count]);
                }
            }
        }

        #[test]
        fn boards_of_distinct_rows_agree_with_the_definition(
            n in 1usize..=80,
            seed in any::<u64>(),
        ) {
            let mut rng = runner_plugin::RowRng::new(&[7; 32], seed);
            let boards: Vec<Vec<u8>> = (0..BLOCK + 9)
                .map(|_| {
                    let mut rows: Vec<u8> = (0..n as u8).collect();
                    rows.shuffle(&mut rng);
                    rows
                })
                .collect();
            let wide = |board: &Vec<u8>| board.iter().map(|&row| row.into()).collect::<Vec<u16>>();
            let expected: Vec<f64> =
                boards.iter().map(|board| oracle(&wide(board)) as f64).collect();
            let boards = boards.concat();
            for count in [1, 5, BLOCK + 9] {
                let mut fitness = vec![0.0; count];
                of_all_up_to_256(&boards[..count * n], n, true, 1, &mut fitness);
                prop_assert_eq!(&fitness, &expected[..count]);
                for widest in [0, LANES, WIDEST] {
                    fitness.fill(-1.0);
                    count_all::<true>(&boards[..count * n], n, 1, widest, &mut fitness);
                    prop_assert_eq!(&fitness, &expected[..count]);
                }
            }
        }

        #[test]
        fn boards_up_to_256_agree_with_the_definition(board in board(256)) {
            let bytes: Vec<u8> = board.iter().map(|&row| row as u8).collect();
            prop_assert_eq!(of_up_to_256(&bytes), oracle(&board));
            prop_assert_eq!(of_many(&board), oracle(&board));
        }

        #[test]
        fn large_boards_agree_with_the_definition(board in board(700)) {
            prop_assert_eq!(of_many(&board), oracle(&board));
            let wide: Vec<u32> = board.iter().map(|&row| row.into()).collect();
            prop_assert_eq!(of_very_many(&wide), oracle(&board));
        }
    }

    #[test]
    fn the_worst_boards_are_counted_in_full() {
        for n in [1u64, 2, 15, 16, 17, 255, 256] {
            let row = vec![0u8; n as usize];
            let diagonal: Vec<u8> = (0..n).map(|row| row as u8).collect();
            assert_eq!(of_up_to_256(&row), n * (n - 1) / 2);
            assert_eq!(of_up_to_256(&diagonal), n * (n - 1) / 2);
        }
        let n = 65535u64;
        assert_eq!(of_many(&vec![7; n as usize]), n * (n - 1) / 2);
        assert_eq!(of_many(&(0..n).map(|row| row as u16).collect::<Vec<_>>()), n * (n - 1) / 2);
        let n = 1_000_000;
        assert_eq!(of_very_many(&vec![7; n as usize]), n * (n - 1) / 2);
        assert_eq!(of_very_many(&(0..n as u32).collect::<Vec<_>>()), n * (n - 1) / 2);
    }
}
