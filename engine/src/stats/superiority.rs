//! The probability of superiority: how often a value of one sample is greater than one of another.

use super::frequencies::take;
use super::{Frequencies, Interval, normal_quantile};

/// The probability that a value of the first sample is greater than one of the second, ties
/// counting half, with an interval: the effect size A of Vargha and Delaney. The variance is
/// DeLong's; the interval is normal on the scale of the logit, so that it stays within 0 and 1.
/// Where a sample's values are all alike beside the other sample's (all tie with them, or all lie
/// beyond them), its part of that variance would be 0, as if it were certain that they always are;
/// the interval is then Newcombe's fifth, which takes the variance from A alone.
///
/// None if a sample is empty.
///
/// Source: Vargha and Delaney (2000), doi:10.3102/10769986025002101; DeLong, DeLong and
/// Clarke-Pearson (1988), doi:10.2307/2531595; Newcombe (2006), "Confidence intervals for an effect
/// size measure based on the Mann-Whitney statistic. Part 2: asymptotic methods and evaluation",
/// Statistics in Medicine 25:559-573, doi:10.1002/sim.2324.
///
/// Weak spots: supposes samples of sizes fixed beforehand. Newcombe's is wider than need be where
/// many values tie.
#[must_use]
pub fn vargha_delaney(first: &[f64], second: &[f64], confidence: f64) -> Option<(f64, Interval)> {
    let (n, m) = (first.len() as f64, second.len() as f64);
    if first.is_empty() || second.is_empty() {
        return None;
    }
    // For each value, the share of the other sample below it (or above, for the second sample's).
    let shares = Shares::of(first, &Frequencies::of(second.to_vec()), |below| below / m);
    let a = shares.sum() / n;
    let of_first = shares.variance(a);
    drop(shares);
    let others = Shares::of(second, &Frequencies::of(first.to_vec()), |below| 1.0 - below / n);
    let Some((of_first, of_second)) = of_first.zip(others.variance(a)) else {
        return Some((a, newcombe(a, n, m, confidence)));
    };
    let variance = of_first / n + of_second / m;
    let reach = normal_quantile(0.5 + confidence / 2.0) * variance.sqrt() / (a * (1.0 - a));
    let logit = libm::log(a / (1.0 - a));
    let back = |x: f64| 1.0 / (1.0 + libm::exp(-x));
    Some((a, Interval { low: back(logit - reach), high: back(logit + reach) }))
}

/// For each value of a sample, in its order, what it makes of how many values of the other sample
/// are less, ties counting half.
struct Shares(Vec<f64>);

impl Shares {
    fn of(values: &[f64], others: &Frequencies, share: impl Fn(f64) -> f64) -> Self {
        let mut ascending: Vec<(f64, usize)> = values.iter().copied().zip(0..).collect();
        ascending.sort_unstable_by(|(one, _), (other, _)| one.total_cmp(other));
        let (mut others, mut less) = (others.groups(), 0);
        let mut shares = vec![0.0; values.len()];
        for alike in ascending.chunk_by(|(one, _), (other, _)| one == other) {
            let value = alike[0].0;
            less += take(&mut others, |other| other < value);
            let tied = take(&mut others, |other| other == value);
            let share = share(less as f64 + 0.5 * tied as f64);
            alike.iter().for_each(|(_, place)| shares[*place] = share);
            less += tied;
        }
        Shares(shares)
    }

    fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    /// About the mean `a`; none where all are alike.
    fn variance(&self, a: f64) -> Option<f64> {
        let squares = self.0.iter().map(|share| (share - a).powi(2));
        let vary = self.0.iter().any(|share| *share != self.0[0]);
        vary.then(|| squares.sum::<f64>() / (self.0.len() as f64 - 1.0))
    }
}

/// Newcombe's fifth interval: the t with (A - t)² <= z² t (1-t) (1 + k ((1-t)/(2-t) + t/(1+t))) /
/// (n m), k = (n + m)/2 - 1.
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

/// An effect of this size in words, by the thresholds of Vargha and Delaney: 0.56, 0.64 and 0.71,
/// and below one half their mirrors.
#[must_use]
pub fn effect_word(a: f64) -> &'static str {
    match (a - 0.5).abs() {
        ..0.06 => "negligible",
        0.06..0.14 => "small",
        0.14..0.21 => "medium",
        _ => "large",
    }
}

/// The word for an effect with this interval; "unclear" where the interval has one half in it and
/// more than what is negligible.
#[must_use]
pub fn effect_size(a: f64, interval: Interval) -> &'static str {
    let sided = interval.low > 0.5 || interval.high < 0.5;
    let negligible = interval.low > 0.44 && interval.high < 0.56;
    if sided || negligible { effect_word(a) } else { "unclear" }
}
