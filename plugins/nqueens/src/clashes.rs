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
        if fitness.len() < WORTH_A_BLOCK {
            for (board, fitness) in boards.chunks_exact(n).zip(fitness) {
                *fitness = (of_up_to_16(board) * pair) as f64;
            }
            continue;
        }
        let pairs = if boards.len() == BLOCK * n {
            of_block(boards, n)
        } else {
            let mut filled = [0; BLOCK * LANES];
            filled[..boards.len()].copy_from_slice(boards);
            of_block(&filled[..BLOCK * n], n)
        };
        for (fitness, pairs) in fitness.iter_mut().zip(pairs) {
            *fitness = (u64::from(pairs) * pair) as f64;
        }
    }
}

/// Boards that are counted at a time: 32 bytes of each column.
const BLOCK: usize = 32;

/// Pairs on each of `BLOCK` boards of at most 16 columns, one behind the other. The boards are turned so that a column of
/// all of them lies together: then every comparison is of 32 boards at once, without a branch.
///
/// The version for the processor at hand is chosen when it runs; all give the same numbers.
#[multiversion::multiversion(targets("x86_64+avx2"))]
fn of_block(boards: &[u8], n: usize) -> [u8; BLOCK] {
    count_block(boards, n)
}

/// What every version of [`of_block`] is made of.
#[inline(always)]
fn count_block(boards: &[u8], n: usize) -> [u8; BLOCK] {
    assert!((1..=LANES).contains(&n) && boards.len() == BLOCK * n, "a block of small boards");
    let mut columns = [[0u8; BLOCK]; LANES];
    turn(boards, n, &mut columns);
    let mut pairs = [0u8; BLOCK];
    for right in 1..n {
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

/// Turns rows of `n` bytes into columns, eight by eight.
#[inline(always)]
fn turn(boards: &[u8], n: usize, columns: &mut [[u8; BLOCK]; LANES]) {
    for first in (0..n).step_by(8) {
        let width = (n - first).min(8);
        for tile in 0..BLOCK / 8 {
            let mut words = [0u64; 8];
            for (board, word) in words.iter_mut().enumerate() {
                let row = &boards[(8 * tile + board) * n + first..][..width];
                *word = match <[u8; 8]>::try_from(row) {
                    Ok(bytes) => u64::from_le_bytes(bytes),
                    Err(_) => row.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
                };
            }
            turn_tile(&mut words);
            for (column, word) in columns[first..].iter_mut().zip(words).take(width) {
                column[8 * tile..][..8].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
}

/// Turns eight rows of eight bytes: exchanges ever smaller squares off the diagonal (Warren 2012, Hacker's Delight,
/// section 7-3).
#[inline(always)]
fn turn_tile(words: &mut [u64; 8]) {
    const LOW: [u64; 3] = [0x0000_0000_ffff_ffff, 0x0000_ffff_0000_ffff, 0x00ff_00ff_00ff_00ff];
    for (round, low) in LOW.into_iter().enumerate() {
        let (apart, shift) = (4 >> round, 32 >> round);
        for place in (0..8).filter(|place| place & apart == 0) {
            let (upper, lower) = (words[place], words[place + apart]);
            words[place] = upper & low | (lower & low) << shift;
            words[place + apart] = (upper >> shift) & low | lower & !low;
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
            prop_assert_eq!(of_block(&boards, n), count_block(&boards, n), "whatever the processor");
            let mut fitness = [0.0; BLOCK];
            for count in 1..=BLOCK {
                of_all_up_to_256(&boards[..count * n], n, 2, &mut fitness[..count]);
                for (fitness, pairs) in fitness.iter().zip(of_block(&boards, n)).take(count) {
                    prop_assert_eq!(*fitness, 2.0 * f64::from(pairs));
                }
            }
            for (board, pairs) in boards.chunks_exact(n).zip(of_block(&boards, n)) {
                let board: Vec<u16> = board.iter().map(|&row| row.into()).collect();
                prop_assert_eq!(u64::from(pairs), oracle(&board));
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
