//! Probability of superiority: the chance that a value of one sample exceeds one of another.

use super::frequencies::take;
use super::{Frequencies, Interval, normal_quantile};

/// Returns the effect size A of Vargha and Delaney with a confidence interval. A is the probability
/// that a value of the first sample is greater than one of the second, with ties counting half.
///
/// The variance is DeLong's. The interval is normal on the logit scale, which keeps it within 0
/// and 1. A sample's part of the variance would be 0 if all its values compare alike with the
/// other sample. That would wrongly suggest certainty. If both parts vanish, the interval is
/// Newcombe's fifth, whose variance depends only on A and the sample sizes; if one does, it is the
/// hull of both intervals, because Newcombe's assumes equal spreads.
///
/// `None` if a sample is empty.
///
/// Source: Vargha and Delaney (2000), doi:10.3102/10769986025002101; DeLong, DeLong and
/// Clarke-Pearson (1988), doi:10.2307/2531595; Newcombe (2006), "Confidence intervals for an effect
/// size measure based on the Mann-Whitney statistic. Part 2: asymptotic methods and evaluation",
/// Statistics in Medicine 25:559-573, doi:10.1002/sim.2324.
///
/// Limitations: assumes sample sizes fixed in advance. Newcombe's interval is wider than necessary
/// if many values tie.
#[must_use]
pub fn vargha_delaney(
    first: &Frequencies,
    second: &Frequencies,
    confidence: f64,
) -> Option<(f64, Interval)> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let (n, m) = (first.len() as f64, second.len() as f64);
    let Superiority { a, variances } = Superiority::of(first, second);
    let vanishes = variances.contains(&None);
    let by_size = vanishes.then(|| newcombe(a, n, m, confidence));
    let [first, second] = variances.map(Option::unwrap_or_default);
    let variance = first / n + second / m;
    if let Some(interval) = by_size.filter(|_| variance == 0.0) {
        return Some((a, interval));
    }
    let reach = normal_quantile(0.5 + confidence / 2.0) * variance.sqrt() / (a * (1.0 - a));
    let logit = libm::log(a / (1.0 - a));
    let back = |x: f64| 1.0 / (1.0 + libm::exp(-x));
    let (low, high) = (back(logit - reach), back(logit + reach));
    let [low, high] = match by_size {
        Some(other) => [low.min(other.low), high.max(other.high)],
        None => [low, high],
    };
    Some((a, Interval { low, high }))
}

/// Estimate of the probability of superiority, and the parts of its variance.
pub(super) struct Superiority {
    /// Probability that a value of the first sample is greater.
    pub a: f64,
    /// Sample variance of the share of the other sample below each value, or above it for the
    /// second sample. `None` if all shares are equal.
    pub variances: [Option<f64>; 2],
}

impl Superiority {
    /// Compares two samples that are not empty.
    pub(super) fn of(first: &Frequencies, second: &Frequencies) -> Self {
        let (n, m) = (first.len() as f64, second.len() as f64);
        let of_first =
            || below(first, second).map(|(twice, count)| (0.5 * twice as f64 / m, count));
        let above = |(twice, count)| (1.0 - 0.5 * twice as f64 / n, count);
        let of_second = || below(second, first).map(above);
        let pairs =
            below(first, second).map(|(twice, count)| u128::from(twice) * u128::from(count));
        let a = 0.5 * pairs.sum::<u128>() as f64 / (n * m);
        Superiority { a, variances: [variance(of_first, a, n), variance(of_second, a, m)] }
    }
}

/// Returns a pair of numbers for each distinct value of a sample. The first is twice the number of
/// lower values of the other sample, with ties counting half. The second is the count of the value.
fn below<'a>(
    values: &'a Frequencies,
    others: &'a Frequencies,
) -> impl Iterator<Item = (u64, u64)> + 'a {
    let (mut values, mut others, mut less) = (values.groups(), others.groups(), 0);
    std::iter::from_fn(move || {
        let value = values.first()?.0;
        let count = take(&mut values, |one| one == value);
        less += take(&mut others, |other| other < value);
        let tied = take(&mut others, |other| other == value);
        let twice = 2 * less + tied;
        less += tied;
        Some((twice, count))
    })
}

/// Returns the sample variance of `n` shares about the mean `a`. `None` if all shares are equal.
fn variance<I: Iterator<Item = (f64, u64)>>(shares: impl Fn() -> I, a: f64, n: f64) -> Option<f64> {
    let (first, _) = shares().next()?;
    let vary = shares().any(|(share, _)| share != first);
    let squares = || shares().map(|(share, count)| (share - a).powi(2) * count as f64);
    vary.then(|| squares().sum::<f64>() / (n - 1.0))
}

/// Returns Newcombe's fifth interval: the t with (A - t)² <= z² t (1-t) (1 + k ((1-t)/(2-t) +
/// t/(1+t))) / (n m), k = (n + m)/2 - 1.
fn newcombe(a: f64, n: f64, m: f64, confidence: f64) -> Interval {
    let z = normal_quantile(0.5 + confidence / 2.0);
    let k = 0.5 * (n + m) - 1.0;
    let outside = |t: f64| {
        let variance =
            t * (1.0 - t) * (1.0 + k * ((1.0 - t) / (2.0 - t) + t / (1.0 + t))) / (n * m);
        (a - t).powi(2) > z * z * variance
    };
    let edge = |mut out: f64| {
        let mut inside = a;
        if inside == out {
            return out;
        }
        loop {
            let middle = 0.5 * (inside + out);
            if middle == inside || middle == out {
                return inside;
            }
            if outside(middle) {
                out = middle;
            } else {
                inside = middle;
            }
        }
    };
    Interval { low: edge(0.0), high: edge(1.0) }
}

/// Returns the word for an effect of this size, by the thresholds of Vargha and Delaney: 0.56, 0.64
/// and 0.71. Below one half, the thresholds are mirrored. An effect that misses a threshold by
/// rounding alone has reached it.
#[must_use]
pub fn effect_word(a: f64) -> &'static str {
    match (a - 0.5).abs() + 1e-12 {
        ..0.06 => "negligible",
        0.06..0.14 => "small",
        0.14..0.21 => "medium",
        _ => "large",
    }
}

/// Returns the word for an effect with this interval. The word is "unclear" if the interval
/// contains one half and extends beyond the negligible range.
#[must_use]
pub fn effect_size(a: f64, interval: Interval) -> &'static str {
    let sided = interval.low > 0.5 || interval.high < 0.5;
    let negligible = interval.low > 0.44 && interval.high < 0.56;
    if sided || negligible { effect_word(a) } else { "unclear" }
}
