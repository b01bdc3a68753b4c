//! Mutations of tours: 2-opt and or-opt.

use runner_plugin::rand::{Rng, RngExt};

/// Longest part that or-opt moves, in cities.
const LONGEST: usize = 3;

/// Makes a random move: with probability 1/2 each, 2-opt (Croes 1958, doi:10.1287/opre.6.6.791)
/// reverses a part of the tour, or or-opt (Or 1976) moves one to three cities elsewhere, in either
/// direction.
pub(crate) fn edit<G>(rng: &mut impl Rng, tour: &mut [G]) {
    let n = tour.len();
    if n < 4 || rng.random_range(0..2) == 0 {
        let [one, other] = [rng.random_range(0..n), rng.random_range(0..n)];
        tour[one.min(other)..=one.max(other)].reverse();
        return;
    }
    let length = rng.random_range(1..=LONGEST.min(n - 2));
    let (from, to) = (rng.random_range(0..=n - length), rng.random_range(0..=n - length));
    if rng.random_range(0..2) == 0 {
        tour[from..from + length].reverse();
    }
    if from < to {
        tour[from..to + length].rotate_left(length);
    } else {
        tour[to..from + length].rotate_right(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_plugin::RowRng;
    use std::collections::BTreeSet;

    #[test]
    fn edits_keep_every_city_and_change_few_ways() {
        let (n, mut seen) = (8u8, BTreeSet::new());
        for row in 0..20_000 {
            let mut tour: Vec<u8> = (0..n).collect();
            edit(RowRng::new(&[7; 32], row).stream(), &mut tour);
            let ways = |tour: &[u8]| -> BTreeSet<[u8; 2]> {
                let next = tour.iter().cycle().skip(1);
                tour.iter().zip(next).map(|(a, b)| [*a.min(b), *a.max(b)]).collect()
            };
            let before: Vec<u8> = (0..n).collect();
            let new = ways(&tour).difference(&ways(&before)).count();
            assert!(new <= 3, "{tour:?}");
            seen.insert(tour.clone());
            tour.sort_unstable();
            assert_eq!(tour, before);
        }
        // All 28 reversals: one that is missing in 20,000 draws has probability 28 * e^-312.
        for one in 0..n as usize {
            for other in one + 1..n as usize {
                let mut tour: Vec<u8> = (0..n).collect();
                tour[one..=other].reverse();
                assert!(seen.contains(&tour), "{tour:?}");
            }
        }
        // Three cities moved to the end, as they are and back to front.
        assert!(seen.contains(&vec![3, 4, 5, 6, 7, 0, 1, 2]));
        assert!(seen.contains(&vec![3, 4, 5, 6, 7, 2, 1, 0]));
    }
}
