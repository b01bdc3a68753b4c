//! Score interval of a rate.

use super::{Interval, normal_quantile};

/// Returns Wilson's score interval of a success probability: the rates p0 that a score test of the
/// observed rate does not reject.
///
/// With rate p, n trials and z the normal quantile of 1/2 + `confidence`/2: (p + z²/2n ± z
/// sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n).
///
/// Source: Wilson (1927), "Probable inference, the law of succession, and statistical inference",
/// JASA 22:209-212, doi:10.1080/01621459.1927.10502953.
///
/// Limitations: coverage oscillates around `confidence`, and falls below it for rates very near 0
/// or 1. The interval describes a single arm: two arms whose intervals overlap can still differ.
///
/// `None` if there are no trials.
///
/// # Panics
/// Panics if there are more successes than trials, or if `confidence` is not between 0 and 1.
#[must_use]
pub fn wilson(successes: u64, trials: u64, confidence: f64) -> Option<Interval> {
    assert!(
        successes <= trials,
        "{successes} successes of {trials} trials: there cannot be more successes than trials"
    );
    if trials == 0 {
        return None;
    }
    let z = normal_quantile(0.5 + 0.5 * confidence);
    let n = trials as f64;
    let rate = successes as f64 / n;
    let scale = 1.0 / (1.0 + z * z / n);
    let centre = (rate + z * z / (2.0 * n)) * scale;
    let reach = z * scale * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt();
    Some(Interval {
        // Bounds of exactly 0 and 1 avoid rounding errors at the ends.
        low: if successes == 0 { 0.0 } else { (centre - reach).max(0.0) },
        high: if successes == trials { 1.0 } else { (centre + reach).min(1.0) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_values_worked_out_elsewhere() {
        // Reference values: the two roots in p0 of (p - p0)² = z² p0 (1 - p0) / n for 15 of 100,
        // found by bisection in Python.
        let interval = wilson(15, 100, 0.95).expect("there are trials");
        assert!((interval.low - 0.093_059_852_836_566).abs() < 1e-13, "{interval:?}");
        assert!((interval.high - 0.232_835_595_908_324).abs() < 1e-13, "{interval:?}");
    }

    #[test]
    fn ends_are_exact() {
        let none = wilson(0, 10, 0.95).expect("there are trials");
        assert_eq!(none.low, 0.0);
        assert!((none.high - 0.277_532_799_862_889).abs() < 1e-13, "{none:?}");
        assert_eq!(wilson(10, 10, 0.95).expect("there are trials").high, 1.0);
        assert_eq!(wilson(0, 0, 0.95), None);
    }
}
