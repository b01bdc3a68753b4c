//! Difference of two rates.

use super::{Interval, wilson};

/// Returns the first of two independent rates minus the second, with Newcombe's hybrid score
/// interval (his method 10).
///
/// With rates p, q and their Wilson intervals (l, u), (m, v), the interval ranges from p - q -
/// sqrt((p-l)² + (v-q)²) to p - q + sqrt((u-p)² + (q-m)²).
///
/// Source: Newcombe (1998), "Interval estimation for the difference between independent
/// proportions", Statistics in Medicine 17:873-890,
/// doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I.
///
/// Limitations: approximate. Coverage is close to `confidence` on average, and somewhat lower for
/// very small samples.
///
/// `None` if either arm has no trials.
///
/// # Panics
/// Panics if [`wilson`] panics.
#[must_use]
pub fn rate_difference(
    first: (u64, u64),
    second: (u64, u64),
    confidence: f64,
) -> Option<(f64, Interval)> {
    let (one, other) =
        (wilson(first.0, first.1, confidence)?, wilson(second.0, second.1, confidence)?);
    let rate = |(successes, trials): (u64, u64)| successes as f64 / trials as f64;
    let (p, q) = (rate(first), rate(second));
    let reach = |up: f64, down: f64| (up * up + down * down).sqrt();
    let difference = p - q;
    let low = (difference - reach(p - one.low, other.high - q)).max(-1.0);
    let high = (difference + reach(one.high - p, q - other.low)).min(1.0);
    Some((difference, Interval { low, high }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_newcombe_come_out() {
        // Newcombe's table II, method 10: 56/70 - 48/80, 9/10 - 3/10, 10/10 - 0/20, 10/10 - 0/10.
        let cases = [
            ((56, 70), (48, 80), 0.0524, 0.3339),
            ((9, 10), (3, 10), 0.1705, 0.8090),
            ((10, 10), (0, 20), 0.6791, 1.0),
            ((10, 10), (0, 10), 0.6075, 1.0),
        ];
        for (first, second, low, high) in cases {
            let (_, interval) = rate_difference(first, second, 0.95).expect("trials");
            assert!(
                (interval.low - low).abs() < 6e-5 && (interval.high - high).abs() < 6e-5,
                "{first:?} {interval:?}"
            );
            let (difference, mirrored) = rate_difference(second, first, 0.95).expect("trials");
            assert_eq!((mirrored.low, mirrored.high), (-interval.high, -interval.low));
            assert!(mirrored.low <= difference && difference <= mirrored.high);
        }
        assert_eq!(rate_difference((0, 0), (1, 2), 0.95), None);
    }
}
