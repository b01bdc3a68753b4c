//! The random numbers of an instance.

use rand::Rng;
use rand::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Generator of the parts of a random instance: xoshiro256++ (Blackman and Vigna 2021,
/// doi:10.1145/3460772) from a seed of 64 bits. It gives the same numbers in every version.
#[derive(Clone, Debug)]
pub struct InstanceRng(Xoshiro256PlusPlus);

impl InstanceRng {
    /// Makes the generator of the instance with this seed.
    #[must_use]
    pub fn new(seed: i64) -> Self {
        InstanceRng(Xoshiro256PlusPlus::seed_from_u64(seed as u64))
    }

    /// Returns a number below `bound`, each with the same probability. The upper half of a product
    /// of 128 bits is the number; a draw whose lower half is too small is repeated (Lemire 2019,
    /// doi:10.1145/3230636).
    ///
    /// # Panics
    /// Panics if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below 0");
        let least = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(bound);
            if product as u64 >= least {
                return (product >> 64) as u64;
            }
        }
    }

    /// Returns an integer of `low..=high`, each with the same probability.
    ///
    /// # Panics
    /// Panics if the range is empty.
    pub fn within(&mut self, low: i64, high: i64) -> i64 {
        assert!(low <= high, "the range is empty");
        low + self.below((high - low) as u64 + 1) as i64
    }

    /// Returns a number of 53 random bits in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Brings items into a random order, each with the same probability (Durstenfeld 1964,
    /// doi:10.1145/364520.364540).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_frozen_and_fill_their_range() {
        let mut rng = InstanceRng::new(1);
        let first: Vec<u64> = (0..8).map(|_| rng.below(100)).collect();
        assert_eq!(first, FROZEN);
        let mut counts = [0u32; 6];
        (0..6000).for_each(|_| counts[(rng.within(-2, 3) + 2) as usize] += 1);
        // Chi-squared with 5 degrees of freedom exceeds 25.75 with probability 1e-4; fixed seed.
        let statistic: f64 =
            counts.iter().map(|count| (f64::from(*count) - 1000.0).powi(2) / 1000.0).sum();
        assert!(statistic < 25.75, "{counts:?}");
        let mut items: Vec<u32> = (0..20).collect();
        rng.shuffle(&mut items);
        assert_ne!(items, (0..20).collect::<Vec<u32>>());
        items.sort_unstable();
        assert_eq!(items, (0..20).collect::<Vec<u32>>());
        assert!((0..1000).all(|_| (0.0..1.0).contains(&rng.uniform())));
    }

    /// Calculated by another program from the definitions of SplitMix64 and xoshiro256++.
    const FROZEN: [u64; 8] = [81, 74, 10, 74, 18, 59, 98, 52];
}
