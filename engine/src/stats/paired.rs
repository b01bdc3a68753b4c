//! Paired rates: counts of pairs with success of the first only, the second only, both or neither.

use super::{Interval, normal_quantile};

/// Returns the difference of two paired rates, first minus second, with Tango's score interval.
/// Only the first succeeded in `first` of `pairs` pairs, only the second in `second` pairs. The
/// interval contains the differences that a score test does not reject. At 0 this is McNemar's test
/// without continuity correction. Interval and McNemar's exact test therefore agree except near the
/// boundary, where the exact test is more conservative.
///
/// The bounds d solve first - second - n d = ± z sqrt(n (2 q + d (1 - d))). q is the
/// maximum-likelihood probability that only the second succeeds: q = (sqrt(B² - 8 n C) - B) / 4n,
/// B = (2n - first + second) d - first - second, C = -second d (1 - d).
///
/// Source: Tango (1998), "Equivalence test and confidence interval for the difference in
/// proportions for the paired-sample design", Statistics in Medicine 17:891-908,
/// doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B. Recommended by Fagerland,
/// Lydersen and Laake (2014), "Recommended tests and confidence intervals for paired binomial
/// proportions", doi:10.1002/sim.6148.
///
/// Limitations: approximate; coverage oscillates around `confidence`.
///
/// `None` if there are no pairs.
///
/// # Panics
/// Panics if `first + second` exceeds `pairs`, or if `confidence` is not between 0 and 1.
#[must_use]
pub fn paired_difference(
    first: u64,
    second: u64,
    pairs: u64,
    confidence: f64,
) -> Option<(f64, Interval)> {
    assert!(
        first + second <= pairs,
        "{first} and {second} of {pairs} pairs differ: there cannot be so many"
    );
    weighed_difference(first as f64, second as f64, pairs as f64, confidence)
}

/// Computes [`paired_difference`] for counts that need not be integers. For example, counts of
/// clustered pairs are divided by the design effect (Rao and Scott 1992, "A simple method for the
/// analysis of clustered binary data", Biometrics 48:577-585, doi:10.2307/2532311).
#[must_use]
pub fn weighed_difference(
    first: f64,
    second: f64,
    pairs: f64,
    confidence: f64,
) -> Option<(f64, Interval)> {
    if pairs <= 0.0 {
        return None;
    }
    let z = normal_quantile(0.5 + 0.5 * confidence);
    let estimate = (first - second) / pairs;
    // The lower bound is the negated upper bound of the opposite difference.
    let high = upper(first, second, pairs, z);
    let low = -upper(second, first, pairs, z);
    Some((estimate, Interval { low, high }))
}

/// Returns the greatest difference that the score test does not reject, by bisection.
fn upper(first: f64, second: f64, pairs: f64, z: f64) -> f64 {
    let rejected = |d: f64| {
        let b = (2.0 * pairs - first + second) * d - first - second;
        let c = -second * d * (1.0 - d);
        let alone = ((b * b - 8.0 * pairs * c).max(0.0).sqrt() - b) / (4.0 * pairs);
        let deviation = pairs * d - (first - second);
        deviation > z * (pairs * (2.0 * alone + d * (1.0 - d))).max(0.0).sqrt()
    };
    let (mut inside, mut out) = ((first - second) / pairs, 1.0);
    if !rejected(out) {
        return out;
    }
    loop {
        let middle = 0.5 * (inside + out);
        if middle <= inside || middle >= out {
            return inside;
        }
        if rejected(middle) {
            out = middle;
        } else {
            inside = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{normal_cdf, wilson};

    #[test]
    fn the_example_of_fagerland_lydersen_and_laake_comes_out() {
        // Fagerland, Lydersen and Laake's table of airway hyper-responsiveness (Bentur et al.
        // 2009), 21 pairs: 1 only before, 7 only after. Interval: -0.517 to -0.026.
        let (estimate, interval) = paired_difference(1, 7, 21, 0.95).expect("pairs");
        assert!((estimate + 6.0 / 21.0).abs() < 1e-12);
        assert!(
            (interval.low + 0.517).abs() < 5e-4 && (interval.high + 0.026).abs() < 5e-4,
            "{interval:?}"
        );
        assert_eq!(paired_difference(0, 0, 0, 0.95), None);
    }

    /// The interval agrees with McNemar's test without correction. It has positive width if no pair
    /// is discordant.
    #[test]
    fn zero_is_in_the_interval_exactly_when_mcnemar_does_not_reject() {
        for pairs in [8, 30] {
            for first in 0..=pairs {
                for second in 0..=pairs - first {
                    let (difference, interval) =
                        paired_difference(first, second, pairs, 0.95).expect("pairs");
                    assert!(interval.low <= difference && difference <= interval.high);
                    let (b, c) = (first as f64, second as f64);
                    let p = if b == c {
                        1.0
                    } else {
                        2.0 * normal_cdf(-(b - c).abs() / (b + c).sqrt())
                    };
                    let holds = interval.low <= 0.0 && 0.0 <= interval.high;
                    assert_eq!(holds, p > 0.05, "{first} {second} {pairs}: {interval:?}, p {p}");
                }
            }
        }
        let (_, none) = paired_difference(0, 0, 10, 0.95).expect("pairs");
        let width = wilson(0, 10, 0.95).expect("trials").high;
        assert!((none.high - width).abs() < 1e-12 && (none.low + width).abs() < 1e-12);
    }
}
