//! Rank test of two samples, and adjustment of p-values for multiple tests.

use super::frequencies::together;
use super::permutations::Division;
use super::{Distribution, Frequencies, RankTest, normal_cdf};

/// Returns the mid-ranks, from 1, of values in any order, and the sum of t³ - t over groups of t
/// equal values.
pub(super) fn ranks(values: &[f64]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let (mut ranks, mut ties, mut first) = (vec![0.0; values.len()], 0.0, 0);
    while first < order.len() {
        let tied = order[first..]
            .iter()
            .take_while(|place| values[**place] == values[order[first]])
            .count();
        let rank = first as f64 + (tied as f64 + 1.0) / 2.0;
        order[first..first + tied].iter().for_each(|place| ranks[*place] = rank);
        ties += (tied as f64).powi(3) - tied as f64;
        first += tied;
    }
    (ranks, ties)
}

/// Rank sum of the first of two samples, and the ties of the pooled values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RankSum {
    /// Sum of the mid-ranks of the first sample.
    pub first: f64,
    /// Sum of t³ - t over groups of t equal values of both samples.
    pub ties: f64,
}

pub(super) fn rank_sum(first: &Frequencies, second: &Frequencies) -> RankSum {
    let (mut sum, mut before) = (RankSum::default(), 0);
    for (ours, theirs) in together(first, second) {
        let tied = ours + theirs;
        let rank = before as f64 + (tied as f64 + 1.0) / 2.0;
        sum.first += rank * ours as f64;
        sum.ties += (tied as f64).powi(3) - tied as f64;
        before += tied;
    }
    sum
}

/// Maximum number of pairs of values for which [`super::hodges_lehmann`] uses the exact
/// distribution of U, if there are no ties.
pub(super) const EXACT_PAIRS: u64 = 400;

/// Performs the two-sided Mann-Whitney test of whether one sample tends to greater values than the
/// other. The p-value is the probability of a U at least as far from n m / 2, given the ties.
/// Infinite values rank last. `None` if a sample is empty.
///
/// The test is exact if it takes at most [`EXACT_STEPS`](super::EXACT_STEPS) additions. It is then
/// a permutation test, whose level holds for every distribution. The number of additions depends
/// only on the sizes of the tie groups and of the samples. Otherwise the test uses the normal
/// approximation, with the variance corrected for ties and a continuity correction of 1/2.
///
/// That approximation is poor if fewer than 15 values of the smaller sample are expected outside
/// the largest tie group. The test is then exact with mid-ranks rounded to 128, 32 or 8 levels.
///
/// Source: Mann and Whitney (1947), doi:10.1214/aoms/1177730491; ties: Lehmann (1975),
/// "Nonparametrics", section 1.4; the exact distribution with ties: Mehta, Patel and Tsiatis
/// (1984), "Exact significance testing to establish treatment equivalence with ordered categorical
/// data", doi:10.2307/2530927.
///
/// Limitations: tests whether the distributions are equal. If they differ only in spread, the test
/// may or may not reject. With heavy ties and few trials U has few possible values, and the exact
/// test is conservative.
#[must_use]
pub fn mann_whitney(first: &Frequencies, second: &Frequencies) -> Option<RankTest> {
    let normal = normal_mann_whitney(first, second)?;
    let exact = Division::of(first, second).and_then(|division| division.p());
    Some(exact.map_or(normal, |(p, distribution)| RankTest { p, distribution, ..normal }))
}

/// Performs the Mann-Whitney test by the normal approximation.
pub(super) fn normal_mann_whitney(first: &Frequencies, second: &Frequencies) -> Option<RankTest> {
    let (n, m) = (first.len() as f64, second.len() as f64);
    if n == 0.0 || m == 0.0 {
        return None;
    }
    let RankSum { first: sum, ties } = rank_sum(first, second);
    let statistic = sum - n * (n + 1.0) / 2.0;
    let greater = statistic.max(n * m - statistic);
    let all = n + m;
    let variance = n * m / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    if variance <= 0.0 {
        return Some(RankTest { statistic, p: 1.0, distribution: Distribution::Exact });
    }
    let p = 2.0 * normal_cdf(-(greater - n * m / 2.0 - 0.5) / variance.sqrt());
    Some(RankTest { statistic, p: p.min(1.0), distribution: Distribution::Normal })
}

/// Returns the number of arrangements for each value of U.
pub(super) fn u_counts(n: usize, m: usize) -> Vec<f64> {
    // Coefficients of a Gaussian binomial: multiplied by (1 - q^(m+i)) and divided by (1 - q^i),
    // for i up to n.
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

/// Returns p-values adjusted by Holm's step-down method. It keeps the probability of any false
/// rejection (the family-wise error rate) below the level.
///
/// Source: Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian
/// Journal of Statistics 6:65-70.
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
