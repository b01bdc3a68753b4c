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
    let n = board.len();
    // 256 rows and twice 511 diagonals. No counter is read after its 256th queen, so u8 does.
    let mut lines = [0u8; 256 + 2 * 511];
    count(board.iter().map(|&row| row.into()), n, &mut lines[..5 * n - 2], |queens| {
        let before = *queens;
        *queens = before.wrapping_add(1);
        before.into()
    })
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
