//! Scharnagl's numbering of the 960 ranks: 0 is BBQNNRKR, 518 the classical RNBQKBNR, 959 RKRNNQBB.
//!
//! Source: Scharnagl, R. (2004), "Fischer-Random-Schach (FRC/Chess960)".

use crate::rank::{DARK, LIGHT, Rank, nth};

pub(crate) const COUNT: u64 = 960;

/// Every rank, by its number.
pub(crate) static RANKS: [Rank; COUNT as usize] = {
    let mut ranks = [unrank(0); COUNT as usize];
    let mut number = 0;
    while number < COUNT {
        ranks[number as usize] = unrank(number);
        number += 1;
    }
    ranks
};

/// Places of the knights on the five squares left by bishops and queen: pairs of places in
/// lexicographic order.
const KNIGHTS: [[u32; 2]; 10] =
    [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];

const fn unrank(number: u64) -> Rank {
    let bishops = nth(LIGHT, (number % 4) as u32) | nth(DARK, (number / 4 % 4) as u32);
    let queen = nth(!bishops, (number / 16 % 6) as u32);
    let free = !(bishops | queen);
    let [first, second] = KNIGHTS[(number / 96) as usize];
    let knights = nth(free, first) | nth(free, second);
    let left = free & !knights;
    Rank { rooks: nth(left, 0) | nth(left, 2), knights, bishops, queen, king: nth(left, 1) }
}

/// The rank's number; none for a rank that breaks the rules.
pub(crate) fn number(rank: Rank) -> Option<u64> {
    if !rank.is_valid() {
        return None;
    }
    // The place of a square among those of a set.
    let place = |square: u8, set: u8| u64::from((set & (square - 1)).count_ones());
    let Rank { knights, bishops, queen, .. } = rank;
    let free = !(bishops | queen);
    let (first, second) = (nth(knights, 0), nth(knights, 1));
    let pair = [place(first, free) as u32, place(second, free) as u32];
    let knights = KNIGHTS.iter().position(|&other| other == pair)? as u64;
    Some(
        place(bishops & LIGHT, LIGHT)
            + 4 * place(bishops & DARK, DARK)
            + 16 * place(queen, !bishops)
            + 96 * knights,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::tests::genes;
    use std::collections::BTreeSet;

    #[test]
    fn numbers_and_ranks_are_one_to_one() {
        let mut seen = BTreeSet::new();
        for (expected, &rank) in RANKS.iter().enumerate() {
            assert!(rank.is_valid());
            assert_eq!(number(rank), Some(expected as u64));
            seen.insert(rank.word());
        }
        assert_eq!(seen.len(), 960);
    }

    /// The numbers of the package `chess` for Python: tests/scharnagl.py.
    #[test]
    fn all_numbers_agree_with_python_chess() {
        let lines: Vec<&str> = include_str!("../tests/scharnagl.txt").lines().collect();
        assert_eq!(lines.len(), 960);
        for (expected, letters) in lines.into_iter().enumerate() {
            assert_eq!(number(Rank::of(&genes(letters))), Some(expected as u64), "{letters}");
        }
    }

    #[test]
    fn the_known_numbers_are_the_known_ranks() {
        for (expected, letters) in [(0, "BBQNNRKR"), (518, "RNBQKBNR"), (959, "RKRNNQBB")] {
            assert_eq!(number(Rank::of(&genes(letters))), Some(expected), "{letters}");
        }
        assert_eq!(number(Rank::of(&genes("RNBQKNBR"))), None);
    }
}
