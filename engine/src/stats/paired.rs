//! Paired rates: of each pair the first succeeds alone, the second alone, both or neither.

use super::{Interval, normal_quantile};

/// The rate of the first minus that of the second over `pairs` pairs, of which the first alone
/// succeeded in `first` and the second alone in `second`, with Tango's score interval: the
/// differences that a score test does not reject. At 0 that test is McNemar's without correction,
/// so interval and McNemar's exact test mean the same and differ only near the edge, where the
/// exact test is the more careful one.
///
/// The ends d solve first - second - n d = ± z sqrt(n (2 q + d (1 - d))), q the likeliest
/// probability that the second alone succeeds: q = (sqrt(B² - 8 n C) - B) / 4n, B = (2n - first +
/// second) d - first - second, C = -second d (1 - d).
///
/// Source: Tango (1998), "Equivalence test and confidence interval for the difference in
/// proportions for the paired-sample design", Statistics in Medicine 17:891-908,
/// doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B. Recommended by Fagerland,
/// Lydersen and Laake (2014), "Recommended tests and confidence intervals for paired binomial
/// proportions", doi:10.1002/sim.6148.
///
/// Weak spots: approximate; its coverage wavers around `confidence`.
///
/// None without pairs.
///
/// # Panics
/// If more pairs differ than there are, or `confidence` is not between 0 and 1.
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

/// As [`paired_difference`], of counts that need not be whole: those of pairs in clusters, each
/// divided by the variance that the clusters make times as great (Rao and Scott 1992, "A simple
/// method for the analysis of clustered binary data", Biometrics 48:577-585, doi:10.2307/2532311).
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
    // Mirrored, the lower end is the upper one of the opposite difference.
    let high = upper(first, second, pairs, z);
    let low = -upper(second, first, pairs, z);
    Some((estimate, Interval { low, high }))
}

/// The greatest difference that the score test does not reject, by halving.
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
        // Their table of airway hyper-responsiveness (Bentur et al. 2009): 1 before alone, 7 after
        // alone, of 21: -0.517 to -0.026.
        let (estimate, interval) = paired_difference(1, 7, 21, 0.95).expect("pairs");
        assert!((estimate + 6.0 / 21.0).abs() < 1e-12);
        assert!(
            (interval.low + 0.517).abs() < 5e-4 && (interval.high + 0.026).abs() < 5e-4,
            "{interval:?}"
        );
        assert_eq!(paired_difference(0, 0, 0, 0.95), None);
    }

    /// Interval and uncorrected McNemar reject alike, and nothing is certain where no pair differs.
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
