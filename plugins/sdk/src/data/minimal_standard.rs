//! The generator of the published random instances of scheduling and assignment.

/// Minimal standard generator (Park and Miller 1988, doi:10.1145/63039.63042): a state of 1 to
/// 2^31 - 2 is multiplied by 16807 modulo 2^31 - 1. Taillard's instances are drawn with it
/// (Taillard 1993, doi:10.1016/0377-2217(93)90182-M).
#[derive(Clone, Debug)]
pub struct MinimalStandard(u64);

/// The modulus.
const MODULUS: u64 = (1 << 31) - 1;

impl MinimalStandard {
    /// Largest seed; the smallest is 1.
    pub const MOST: i64 = MODULUS as i64 - 1;

    /// Makes the generator of a seed from 1 to [`MOST`](Self::MOST).
    ///
    /// # Panics
    /// Panics if the seed is out of this range.
    #[must_use]
    pub fn new(seed: i64) -> Self {
        assert!((1..=Self::MOST).contains(&seed), "the seed is out of range");
        MinimalStandard(seed as u64)
    }

    /// Returns an integer of `low..=high`, as the article draws it: the state as a fraction of the
    /// modulus, times the number of integers, rounded down.
    pub fn within(&mut self, low: i64, high: i64) -> i64 {
        self.0 = 16_807 * self.0 % MODULUS;
        let fraction = self.0 as f64 / MODULUS as f64;
        low + (fraction * (high - low + 1) as f64) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_thousand_steps_from_1_end_where_the_article_says() {
        let mut generator = MinimalStandard::new(1);
        (0..10_000).for_each(|_| _ = generator.within(0, 1));
        // Park and Miller (1988), section "Testing the implementation".
        assert_eq!(generator.0, 1_043_618_065);
    }
}
