//! Bootstrap intervals: bias-corrected and accelerated.

use super::{Interval, normal_cdf, normal_quantile, quantile};

/// The BCa interval: the percentiles of a bootstrap distribution, moved by its bias (how many
/// resamples lie below the estimate) and by its skew (the acceleration, from the estimates without
/// each value in turn).
///
/// `resamples` ascend; `skew` is the [`acceleration`]. Where the bias cannot be had (no resample on
/// one side of the estimate) the plain percentiles are taken for it. Quantiles are of type 7. None
/// without resamples.
///
/// Source: Efron (1987), "Better bootstrap confidence intervals",
/// doi:10.1080/01621459.1987.10478410, equations 2.3 and 6.6.
///
/// Weak spots: like all bootstrap intervals too narrow for few values; its ends need more resamples
/// than the percentiles' do.
#[must_use]
pub fn bca(resamples: &[f64], estimate: f64, skew: f64, confidence: f64) -> Option<Interval> {
    let below = resamples.partition_point(|value| *value < estimate);
    let equal = resamples[below..].partition_point(|value| *value <= estimate);
    let share = (below as f64 + 0.5 * equal as f64) / resamples.len() as f64;
    let bias = if share > 0.0 && share < 1.0 { normal_quantile(share) } else { 0.0 };
    let at = |tail: f64| {
        let z = bias + normal_quantile(tail);
        let room = 1.0 - skew * z;
        // Beyond that point the transformation turns round.
        let moved = if room > 0.0 { normal_cdf(bias + z / room) } else { tail };
        quantile(resamples, moved)
    };
    let tail = 0.5 * (1.0 - confidence);
    Some(Interval { low: at(tail)?, high: at(1.0 - tail)? })
}

/// Σd³ / (6 (Σd²)^1.5), d the mean of the jackknife's estimates less each; 0 where that is none
/// (they are all alike, or one is infinite). `without`: the estimates, each with how often it
/// occurs; called twice.
///
/// Source: as of [`bca`].
#[must_use]
pub fn acceleration<I: Iterator<Item = (f64, u64)>>(without: impl Fn() -> I) -> f64 {
    let (mut sum, mut number) = (0.0, 0);
    for (estimate, count) in without() {
        sum += estimate * count as f64;
        number += count;
    }
    let mean = sum / number as f64;
    let (mut squares, mut cubes) = (0.0, 0.0);
    for (estimate, count) in without() {
        let (d, count) = (mean - estimate, count as f64);
        squares += d * d * count;
        cubes += d * d * d * count;
    }
    let skew = cubes / (6.0 * squares * squares.sqrt());
    if skew.is_finite() { skew } else { 0.0 }
}
