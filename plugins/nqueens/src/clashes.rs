//! Counting clashing pairs: exact, without allocation per board.
//!
//! Queens clash in a row or on a diagonal; columns hold one each. Two queens share at most one line, so the pairs of all lines
//! add up. A line with c queens has c(c-1)/2 pairs: each queen put on it clashes with those already there.

use std::cell::RefCell;

/// Lanes of the small boards' arithmetic: one vector register.
const LANES: usize = 16;

/// Pairs on a board of at most 256 columns.
#[inline]
pub fn of_up_to_256(board: &[u8]) -> u64 {
    if board.len() <= LANES {
        return of_up_to_16(board);
    }
    Lines::new().pairs(board)
}

/// Counters of the lines of a board of 17 to 256 columns; sizes that let an index be cut to fit in place of a check.
struct Lines {
    rows: [u8; 256],
    rising: [u8; 512],
    falling: [u8; 512],
}

impl Lines {
    fn new() -> Self {
        Lines { rows: [0; 256], rising: [0; 512], falling: [0; 512] }
    }

    /// Puts the queens one by one: each clashes with those that are on its lines already. Rows must be below the board's
    /// width: others would give a wrong number. No counter is read after its 256th queen, so u8 does.
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

/// Compares all pairs, those of the same distance at once. Rows must be below 16: others would give a wrong number.
fn of_up_to_16(board: &[u8]) -> u64 {
    // What fills the lanes beyond the board: far from every row and from each other, so that it clashes with nothing.
    let mut left = [0x40u8; LANES];
    let mut right = [0x80u8; 2 * LANES];
    left[..board.len()].copy_from_slice(board);
    right[..board.len()].copy_from_slice(board);
    let mut pairs = [0u8; LANES];
    for distance in 1..board.len() {
        let shift = distance as u8;
        let right: &[u8; LANES] = right[distance..distance + LANES].try_into().expect("as long as the lanes");
        for lane in 0..LANES {
            let (a, b) = (left[lane], right[lane]);
            pairs[lane] +=
                u8::from(a == b) | u8::from(a.wrapping_add(shift) == b) | u8::from(b.wrapping_add(shift) == a);
        }
    }
    // At most 15 a lane.
    pairs.iter().map(|&pairs| u64::from(pairs)).sum()
}

/// Fewest boards for which a block, filled up, is quicker than one board after the other.
const WORTH_A_BLOCK: usize = 4;

/// Pairs, times `pair`, of boards of at most 256 columns, one behind the other.
pub fn of_all_up_to_256(boards: &[u8], n: usize, pair: u64, fitness: &mut [f64]) {
    if n > LANES {
        let mut lines = Lines::new();
        for (board, fitness) in boards.chunks_exact(n).zip(fitness) {
            *fitness = (lines.pairs(board) * pair) as f64;
        }
        return;
    }
    for (boards, fitness) in boards.chunks(BLOCK * n).zip(fitness.chunks_mut(BLOCK)) {
        if let Ok(fitness) = fitness.try_into() {
            of_block(boards, n, pair, fitness);
        } else if fitness.len() >= WORTH_A_BLOCK {
            let (mut filled, mut all) = ([0; BLOCK * LANES], [0.0; BLOCK]);
            filled[..boards.len()].copy_from_slice(boards);
            of_block(&filled[..BLOCK * n], n, pair, &mut all);
            fitness.copy_from_slice(&all[..fitness.len()]);
        } else {
            for (board, fitness) in boards.chunks_exact(n).zip(fitness) {
                *fitness = (of_up_to_16(board) * pair) as f64;
            }
        }
    }
}

/// Boards that are counted at a time: 32 bytes of each column.
const BLOCK: usize = 32;

/// Writes the pairs, times `pair`, of `BLOCK` boards of at most 16 columns, one behind the other; rows must be below 16. The
/// boards are turned so that a column of all of them lies together: then every comparison is of 32 boards at once, without
/// a branch.
///
/// The version for the processor at hand is chosen when it runs; all give the same numbers.
#[multiversion::multiversion(targets("x86_64+avx2"))]
fn of_block(boards: &[u8], n: usize, pair: u64, fitness: &mut [f64; BLOCK]) {
    count_block(boards, n, pair, fitness);
}

/// What every version of [`of_block`] is made of.
#[inline(always)]
fn count_block(boards: &[u8], n: usize, pair: u64, fitness: &mut [f64; BLOCK]) {
    assert!((1..=LANES).contains(&n) && boards.len() == BLOCK * n, "a block of small boards");
    let mut columns = [[0u8; BLOCK]; LANES];
    // Width 8 is known to the compiler: the usual size has no loops left.
    let pairs = if n == 8 {
        turn(boards, 8, 0, &mut columns);
        count_columns(&columns[..8])
    } else {
        turn(boards, n, 0, &mut columns);
        if n > 8 {
            turn(boards, n, 8, &mut columns);
        }
        count_columns(&columns[..n])
    };
    for (board, fitness) in fitness.iter_mut().enumerate() {
        // At most 240.
        *fitness = f64::from(i32::from(pairs[place_of(board)]) * pair as i32);
    }
}

#[inline(always)]
fn count_columns(columns: &[[u8; BLOCK]]) -> [u8; BLOCK] {
    let mut pairs = [0u8; BLOCK];
    for right in 1..columns.len() {
        for left in 0..right {
            let (a, b, apart) = (&columns[left], &columns[right], (right - left) as u8);
            for board in 0..BLOCK {
                let higher = a[board].wrapping_sub(b[board]);
                let clash = (higher == 0) | (higher == apart) | (higher == apart.wrapping_neg());
                // At most 120.
                pairs[board] += u8::from(clash);
            }
        }
    }
    pairs
}

/// Where [`turn`] puts a board in each column.
#[inline(always)]
const fn place_of(board: usize) -> usize {
    8 * (board % 4) + board / 4
}

/// Turns eight columns, from `first` on, of all boards (fewer where the boards end: what stands in the columns beyond `n` has no
/// meaning). Four tiles of eight boards are turned at once: the tile of a board is its number mod 4, so that four boards
/// that follow each other are one vector.
#[inline(always)]
fn turn(boards: &[u8], n: usize, first: usize, columns: &mut [[u8; BLOCK]; LANES]) {
    let mut words = [[0u64; 4]; 8];
    let places = words.as_flattened_mut().iter_mut();
    if n == 8 {
        for (word, bytes) in places.zip(boards.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
    } else {
        for (board, word) in places.enumerate() {
            let from = board * n + first;
            *word = match boards.get(from..from + 8) {
                Some(bytes) => u64::from_le_bytes(bytes.try_into().expect("eight")),
                None => boards[from..].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
            };
        }
    }
    turn_tiles(&mut words);
    for (column, words) in columns[first..].iter_mut().zip(words) {
        for (bytes, word) in column.as_chunks_mut::<8>().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
    }
}

/// Turns four tiles, each of eight rows of eight bytes: exchanges ever smaller squares off the diagonal (Warren 2012,
/// Hacker's Delight, section 7-3).
#[inline(always)]
fn turn_tiles(words: &mut [[u64; 4]; 8]) {
    const ROUNDS: [(u32, u64, [(usize, usize); 4]); 3] = [
        (32, 0x0000_0000_ffff_ffff, [(0, 4), (1, 5), (2, 6), (3, 7)]),
        (16, 0x0000_ffff_0000_ffff, [(0, 2), (1, 3), (4, 6), (5, 7)]),
        (8, 0x00ff_00ff_00ff_00ff, [(0, 1), (2, 3), (4, 5), (6, 7)]),
    ];
    for (shift, low, squares) in ROUNDS {
        for (one, other) in squares {
            for tile in 0..4 {
                let (upper, lower) = (words[one][tile], words[other][tile]);
                words[one][tile] = upper & low | (lower & low) << shift;
                words[other][tile] = (upper >> shift) & low | lower & !low;
            }
        }
    }
}

thread_local! {
    /// Counters of the lines of a large board: 5n - 2 of them, kept from board to board.
    static LINES: RefCell<Vec<u16>> = const { RefCell::new(Vec::new()) };
}

/// Pairs on a board of any width up to 65536, in linear time.
pub fn of_many(board: &[u16]) -> u64 {
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

/// Puts the queens one by one; `put` counts one on a line and gives how many were there.
#[inline]
fn count<C>(rows: impl Iterator<Item = usize>, n: usize, lines: &mut [C], put: impl Fn(&mut C) -> u64) -> u64 {
    let (rank, diagonals) = lines.split_at_mut(n);
    let (rising, falling) = diagonals.split_at_mut(2 * n - 1);
    rows.enumerate()
        .map(|(column, row)| {
            put(&mut rank[row]) + put(&mut rising[column + row]) + put(&mut falling[column + n - 1 - row])
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

        #[test]
        fn small_boards_agree_with_the_definition(board in board(16)) {
            let bytes: Vec<u8> = board.iter().map(|&row| row as u8).collect();
            prop_assert_eq!(of_up_to_256(&bytes), oracle(&board));
        }

        #[test]
        fn blocks_of_small_boards_agree_with_the_definition(n in 1usize..=16, seed in any::<u64>()) {
            let mut state = seed | 1;
            let boards: Vec<u8> = (0..BLOCK * n)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 33) as u8 % n as u8
                })
                .collect();
            let (mut all, mut plain, mut fitness) = ([0.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
            of_block(&boards, n, 2, &mut all);
            count_block(&boards, n, 2, &mut plain);
            prop_assert_eq!(all, plain, "whatever the processor");
            for count in 1..=BLOCK {
                of_all_up_to_256(&boards[..count * n], n, 2, &mut fitness[..count]);
                prop_assert_eq!(&fitness[..count], &all[..count]);
            }
            for (board, fitness) in boards.chunks_exact(n).zip(all) {
                let board: Vec<u16> = board.iter().map(|&row| row.into()).collect();
                prop_assert_eq!(fitness, 2.0 * oracle(&board) as f64);
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
    }
}
