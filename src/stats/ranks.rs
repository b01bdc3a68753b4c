//! Tests by ranks: of two samples, and of pairs.

use super::{Interval, normal_cdf, normal_quantile};

/// What a rank test found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankTest {
    /// Mann-Whitney: U of the first sample, the pairs in which its value is greater, ties counting half. Wilcoxon: the lesser of the
    /// two sums of ranks.
    pub statistic: f64,
    /// Two-sided.
    pub p: f64,
}

/// Mid-ranks from 1 of values in any order, and the sum of t³ - t over groups of t equal values.
fn ranks(values: &[f64]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let (mut ranks, mut ties, mut first) = (vec![0.0; values.len()], 0.0, 0);
    while first < order.len() {
        let tied = order[first..].iter().take_while(|place| values[**place] == values[order[first]]).count();
        let rank = first as f64 + (tied as f64 + 1.0) / 2.0;
        order[first..first + tied].iter().for_each(|place| ranks[*place] = rank);
        ties += (tied as f64).powi(3) - tied as f64;
        first += tied;
    }
    (ranks, ties)
}

/// Pairs of values up to which the distribution of U is computed exactly, if there are no ties.
const EXACT_PAIRS: usize = 400;

/// The test of Mann and Whitney: do values of one sample tend to be greater than those of the other? Exact for at most 400 pairs without
/// ties; otherwise normal, with the variance corrected for ties and 1/2 for continuity. Infinite values rank last. None if a sample is empty.
///
/// Source: Mann and Whitney (1947), doi:10.1214/aoms/1177730491; ties: Lehmann (1975), "Nonparametrics", section 1.4.
///
/// Weak spots: it tests whether the distributions are the same; where they differ in spread alone, it may reject or not.
#[must_use]
pub fn mann_whitney(first: &[f64], second: &[f64]) -> Option<RankTest> {
    let (n, m) = (first.len(), second.len());
    if n == 0 || m == 0 {
        return None;
    }
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    let (ranks, ties) = ranks(&all);
    let (n, m) = (n as f64, m as f64);
    let statistic = ranks[..first.len()].iter().sum::<f64>() - n * (n + 1.0) / 2.0;
    let greater = statistic.max(n * m - statistic);
    let p = if ties == 0.0 && first.len() * second.len() <= EXACT_PAIRS {
        let counts = u_counts(first.len(), second.len());
        let tail: f64 = counts[greater as usize..].iter().sum();
        2.0 * tail / counts.iter().sum::<f64>()
    } else {
        let all = n + m;
        let variance = n * m / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
        if variance <= 0.0 {
            return Some(RankTest { statistic, p: 1.0 });
        }
        2.0 * normal_cdf(-(greater - n * m / 2.0 - 0.5) / variance.sqrt())
    };
    Some(RankTest { statistic, p: p.min(1.0) })
}

/// In how many ways each value of U comes about.
fn u_counts(n: usize, m: usize) -> Vec<f64> {
    // The coefficients of a Gaussian binomial: times (1 - q^(m+i)), divided by (1 - q^i), for i up to n.
    let size = n * m + 1;
    let mut counts = vec![0.0; size];
    counts[0] = 1.0;
    for i in 1..=n {
        for u in (m + i..size).rev() {
            counts[u] -= counts[u - m - i];
        }
        for u in i..size {
            counts[u] += counts[u - i];
        }
    }
    counts
}

/// Differences up to which the signed ranks are counted exactly, if there are no ties.
const EXACT_DIFFERENCES: usize = 50;

/// The signed-rank test of Wilcoxon: do paired differences tend to one side of 0? Differences of 0 are left out. Exact for at most 50
/// without ties; otherwise normal, corrected for ties. None without a difference other than 0.
///
/// Source: Wilcoxon (1945), "Individual comparisons by ranking methods", doi:10.2307/3001968.
///
/// Weak spots: it supposes that the differences are symmetric; leaving out zeros makes it look surer than it is where there are many.
#[must_use]
pub fn wilcoxon(differences: &[f64]) -> Option<RankTest> {
    let kept: Vec<f64> = differences.iter().copied().filter(|difference| *difference != 0.0).collect();
    if kept.is_empty() {
        return None;
    }
    let sizes: Vec<f64> = kept.iter().map(|difference| difference.abs()).collect();
    let (ranks, ties) = ranks(&sizes);
    let n = kept.len() as f64;
    let above: f64 = ranks.iter().zip(&kept).filter(|(_, difference)| **difference > 0.0).map(|(rank, _)| rank).sum();
    let statistic = above.min(n * (n + 1.0) / 2.0 - above);
    let p = if ties == 0.0 && kept.len() <= EXACT_DIFFERENCES && kept.len() == differences.len() {
        let mut counts = vec![0.0; kept.len() * (kept.len() + 1) / 2 + 1];
        counts[0] = 1.0;
        for rank in 1..=kept.len() {
            for sum in (rank..counts.len()).rev() {
                counts[sum] += counts[sum - rank];
            }
        }
        2.0 * counts[..=statistic as usize].iter().sum::<f64>() / counts.iter().sum::<f64>()
    } else {
        let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - ties / 2.0) / 24.0;
        2.0 * normal_cdf((statistic - n * (n + 1.0) / 4.0) / variance.sqrt())
    };
    Some(RankTest { statistic, p: p.min(1.0) })
}

/// The probability that a value of the first sample is greater than one of the second, ties counting half, with an interval: the effect
/// size A of Vargha and Delaney. The variance is DeLong's; the interval is normal on the scale of the logit, so that it stays within 0 and 1.
///
/// None if a sample is empty; the interval is 0 to 1 where it cannot be had.
///
/// Source: Vargha and Delaney (2000), doi:10.3102/10769986025002101; DeLong, DeLong and Clarke-Pearson (1988), doi:10.2307/2531595.
///
/// Weak spots: at 0 and 1 the variance is 0, and the interval then comes from the rule of three for the smaller sample.
#[must_use]
pub fn vargha_delaney(first: &[f64], second: &[f64], confidence: f64) -> Option<(f64, Interval)> {
    let (n, m) = (first.len() as f64, second.len() as f64);
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    let (joint, _) = ranks(&all);
    let ((own, _), (others, _)) = (ranks(first), ranks(second));
    // For each value, the share of the other sample below it (or above, for the second sample's).
    let shares_first: Vec<f64> = joint[..first.len()].iter().zip(&own).map(|(rank, own)| (rank - own) / m).collect();
    let shares_second: Vec<f64> =
        joint[first.len()..].iter().zip(&others).map(|(rank, own)| 1.0 - (rank - own) / n).collect();
    let a = shares_first.iter().sum::<f64>() / n;
    let spread = |shares: &[f64]| {
        let count = shares.len() as f64;
        if count < 2.0 { f64::NAN } else { shares.iter().map(|share| (share - a).powi(2)).sum::<f64>() / (count - 1.0) }
    };
    let variance = spread(&shares_first) / n + spread(&shares_second) / m;
    let interval = if variance.is_nan() {
        Interval { low: 0.0, high: 1.0 }
    } else if a <= 0.0 || a >= 1.0 {
        let reach = (3.0 / n.min(m)).min(1.0);
        if a <= 0.0 { Interval { low: 0.0, high: reach } } else { Interval { low: 1.0 - reach, high: 1.0 } }
    } else {
        let reach = normal_quantile(0.5 + confidence / 2.0) * variance.sqrt() / (a * (1.0 - a));
        let logit = libm::log(a / (1.0 - a));
        let back = |x: f64| 1.0 / (1.0 + libm::exp(-x));
        Interval { low: back(logit - reach), high: back(logit + reach) }
    };
    Some((a, interval))
}

/// An effect of this size in words, by the thresholds of Vargha and Delaney: 0.56, 0.64 and 0.71, and below one half their mirrors.
#[must_use]
pub fn effect_word(a: f64) -> &'static str {
    match (a - 0.5).abs() {
        ..0.06 => "negligible",
        0.06..0.14 => "small",
        0.14..0.21 => "medium",
        _ => "large",
    }
}

/// p-values adjusted so that the chance of any false rejection among all of them stays below the level (Holm's step-down).
///
/// Source: Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6:65-70.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let (mut adjusted, mut greatest) = (vec![0.0; p_values.len()], 0.0f64);
    for (place, index) in order.into_iter().enumerate() {
        greatest = greatest.max((p_values.len() - place) as f64 * p_values[index]).min(1.0);
        adjusted[index] = greatest;
    }
    adjusted
}
