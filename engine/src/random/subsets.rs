//! Random subsets of places: of a given size, or each place with a probability that is used once.

use super::draws::{below, unit};
use rand::Rng;

/// Number of places up to which they are visited in the order in which they are drawn.
const FEW: usize = 16;
/// Number of places up to which marks need no allocation.
const SMALL: usize = 512;

/// Calls `visit` for `count` different of `length` places; every set is equally likely.
pub(crate) fn distinct<R: Rng>(
    count: usize,
    length: usize,
    random: &mut R,
    mut visit: impl FnMut(usize, &mut R),
) {
    debug_assert!(count <= length, "{count} of {length} places");
    let (mut small, mut large) = ([0; SMALL / 64], Vec::new());
    let marks = if length <= SMALL {
        &mut small[..length.div_ceil(64)]
    } else {
        large.resize(length.div_ceil(64), 0);
        &mut large[..]
    };
    if count <= FEW {
        for _ in 0..count {
            let place = mark(marks, length, random);
            visit(place, random);
        }
        return;
    }
    // The smaller of the set and its complement is drawn.
    let fewer = count.min(length - count);
    for _ in 0..fewer {
        mark(marks, length, random);
    }
    for (number, word) in marks.iter().enumerate() {
        let mut left = if fewer == count { *word } else { !*word };
        while left != 0 {
            let place = 64 * number + left.trailing_zeros() as usize;
            if place < length {
                visit(place, random);
            }
            left &= left - 1;
        }
    }
}

/// Marks a random place that is not marked yet, and returns it. Marks are bits, 64 a word.
#[inline]
fn mark(marks: &mut [u64], length: usize, random: &mut impl Rng) -> usize {
    loop {
        let place = below(random, length);
        let (word, bit) = (&mut marks[place / 64], 1 << (place % 64));
        if *word & bit == 0 {
            *word |= bit;
            return place;
        }
    }
}

/// Calls `visit` for each of `length` places with probability `p`, in ascending order. In contrast
/// to [`Rate`](super::draws::Rate), nothing is prepared.
pub(crate) fn each_with<R: Rng>(
    p: f64,
    length: usize,
    random: &mut R,
    visit: impl FnMut(usize, &mut R),
) {
    from(0, p, length, random, visit);
}

/// Calls `visit` as [`each_with`] does, given at least one hit: the distribution is that of a loop
/// that draws all places again until one is hit.
pub(crate) fn at_least_one<R: Rng>(
    p: f64,
    length: usize,
    random: &mut R,
    mut visit: impl FnMut(usize, &mut R),
) {
    let first = first_of(p, length, random);
    visit(first, random);
    from(first + 1, p, length, random, visit);
}

/// Visits places from `place` on, each with probability `p`, by geometric gaps.
fn from<R: Rng>(
    mut place: usize,
    p: f64,
    length: usize,
    random: &mut R,
    mut visit: impl FnMut(usize, &mut R),
) {
    if p >= 1.0 {
        (place..length).for_each(|place| visit(place, random));
        return;
    }
    let log_miss = libm::log1p(-p);
    while place < length {
        // The cast saturates; without any hits, log_miss is 0 and the gap infinite or no number.
        let gap = libm::log1p(-unit(random)) / log_miss;
        place = place.saturating_add(if gap.is_nan() { usize::MAX } else { gap as usize });
        if place < length {
            visit(place, random);
            place += 1;
        }
    }
}

/// Draws the first of `length` places that is hit with probability `p` per place, given at least
/// one hit.
fn first_of(p: f64, length: usize, random: &mut impl Rng) -> usize {
    FirstHit::new(p, length).draw(random)
}

/// Distribution of the first place that is hit, given at least one hit. It is the same as when all
/// places are drawn again until one is hit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstHit {
    length: usize,
    /// Logarithm of the probability that a place is not hit.
    log_miss: f64,
    /// Probability of at least one hit.
    any: f64,
}

impl FirstHit {
    /// Prepares the distribution for `length` places, at least 1, each hit with probability `p`.
    pub(crate) fn new(p: f64, length: usize) -> Self {
        let log_miss = if p < 1.0 { libm::log1p(-p) } else { f64::NEG_INFINITY };
        FirstHit { length, log_miss, any: -libm::expm1(length as f64 * log_miss) }
    }

    /// Draws a place: inverts a truncated geometric distribution. Draws no number if each place is
    /// hit.
    #[inline]
    pub(crate) fn draw(&self, random: &mut impl Rng) -> usize {
        if self.log_miss == f64::NEG_INFINITY {
            return 0;
        }
        let place = libm::log1p(-unit(random) * self.any) / self.log_miss;
        (place as usize).min(self.length - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::draws::Random;

    /// Counts the sets that `draw` visits, and compares them with probabilities by the number of
    /// places: within six standard deviations, a false alarm in 2e-9 for each of 64 sets, or
    /// within 8 sets of a small mean, which is as seldom.
    fn check(
        length: usize,
        chance: impl Fn(i32) -> f64,
        mut draw: impl FnMut(&mut Random) -> Vec<usize>,
    ) {
        const DRAWS: f64 = 200_000.0;
        let mut random = Random::seed_from_u64(7);
        let mut counts = vec![0.0; 1 << length];
        for _ in 0..DRAWS as usize {
            let set = draw(&mut random);
            let mask = set.iter().fold(0usize, |mask, place| {
                assert_eq!(mask >> place & 1, 0, "{set:?}");
                mask | 1 << place
            });
            counts[mask] += 1.0;
        }
        for (mask, count) in counts.iter().enumerate() {
            let p = chance(mask.count_ones() as i32);
            let deviation = (DRAWS * p * (1.0 - p)).sqrt();
            let most = if p > 0.0 && p < 1.0 { (6.0 * deviation).max(8.0) } else { 0.0 };
            assert!((count - DRAWS * p).abs() <= most, "{mask:b}: {count} for {p}");
        }
    }

    fn visited(draw: impl FnOnce(&mut dyn FnMut(usize, &mut Random))) -> Vec<usize> {
        let mut set = Vec::new();
        draw(&mut |place, _| set.push(place));
        set
    }

    #[test]
    fn every_set_of_a_size_is_equally_likely() {
        for count in 0..=5 {
            let sets = [1.0, 5.0, 10.0, 10.0, 5.0, 1.0][count];
            let chance = |size| if size == count as i32 { 1.0 / sets } else { 0.0 };
            check(5, chance, |random| visited(|visit| distinct(count, 5, random, visit)));
        }
        // Each of many places is drawn equally often, within six standard deviations.
        let mut random = Random::seed_from_u64(8);
        for count in [17, 30, 50, 79, 100] {
            let mut counts = [0.0; 100];
            for _ in 0..10_000 {
                let set = visited(|visit| distinct(count, 100, &mut random, visit));
                assert_eq!(set.len(), count);
                set.iter().for_each(|place| counts[*place] += 1.0);
            }
            let p = count as f64 / 100.0;
            let most = 6.0 * (10_000.0 * p * (1.0 - p)).sqrt();
            assert!(counts.iter().all(|n: &f64| (n - 10_000.0 * p).abs() <= most), "{counts:?}");
        }
    }

    #[test]
    fn places_are_hit_with_their_probability() {
        for p in [0.0, 1e-300, 0.02, 0.3, 0.9, 1.0] {
            let of = |size: i32| f64::powi(p, size) * f64::powi(1.0 - p, 6 - size);
            check(6, of, |random| visited(|visit| each_with(p, 6, random, visit)));
            if p > 0.0 {
                // The rarest probability hits one place; 1 - (1 - p)^6 rounds to 0.
                let any = if p < 1e-9 { 6.0 * p } else { 1.0 - of(0) };
                let given = |size| if size == 0 { 0.0 } else { of(size) / any };
                check(6, given, |random| visited(|visit| at_least_one(p, 6, random, visit)));
            }
        }
    }
}
