//! Stratified tests of two rates and of two samples.

use super::permutations::{Budget, Division, Points, cumulated, gathered, gcd};
use super::ranks::rank_sum;
use super::{Distribution, Frequencies, RankTest, mann_whitney, normal_cdf};
use std::borrow::Borrow;

/// Outcome counts of two arms in a stratum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stratum {
    /// Successes and trials of the first arm.
    pub first: (u64, u64),
    /// Successes and trials of the second arm.
    pub second: (u64, u64),
}

/// Maximum number of multiplications of an exact test.
const EXACT_STEPS: u64 = 10_000_000;

/// Returns the two-sided p-value of the Cochran-Mantel-Haenszel test of equal rates in every
/// stratum. The statistic is the number of the first arm's successes, given the margins of every
/// stratum.
///
/// The test is exact if it takes at most ten million multiplications. The p-value is then the
/// probability of all sums of hypergeometric variables that are no more likely than the observed
/// sum. With one stratum this is Fisher's exact test. Otherwise the test uses the normal
/// approximation with a continuity correction of 1/2. Returns 1 if the margins of every stratum
/// allow only one table.
///
/// Source: Mantel and Haenszel (1959), doi:10.1093/jnci/22.4.719; Cochran (1954), "Some methods for
/// strengthening the common χ² tests", Biometrics 10:417-451, doi:10.2307/3001616; exact: Birch
/// (1964), "The detection of partial association, I: the 2 × 2 case", JRSS B 26:313-324,
/// doi:10.1111/j.2517-6161.1964.tb00562.x; two-sided by probability (ties within 1e-7 count).
///
/// Limitations: the exact test is conservative for few trials. Differences of opposite signs in
/// different strata cancel.
#[must_use]
pub fn cochran_mantel_haenszel(strata: &[Stratum]) -> f64 {
    let (mut ways, mut steps) = (1_u64, 0_u64);
    for one in strata {
        let successes = one.first.0 + one.second.0;
        let span = successes.min(one.first.1) - successes.saturating_sub(one.second.1);
        steps = steps.saturating_add(ways.saturating_mul(span + 1));
        ways += span;
    }
    if steps <= EXACT_STEPS { exact(strata) } else { normal(strata) }
}

fn exact(strata: &[Stratum]) -> f64 {
    let (mut sums, mut observed) = (vec![1.0], 0);
    for one in strata {
        let (least, chances) = hypergeometric(one);
        observed += (one.first.0 - least) as usize;
        let mut next = vec![0.0; sums.len() + chances.len() - 1];
        for (place, sum) in sums.iter().enumerate().filter(|(_, sum)| **sum > 0.0) {
            next[place..].iter_mut().zip(&chances).for_each(|(next, one)| *next += sum * one);
        }
        sums = next;
    }
    let limit = sums[observed] * (1.0 + 1e-7);
    let extreme: f64 = sums.iter().filter(|sum| **sum <= limit).sum();
    (extreme / sums.iter().sum::<f64>()).min(1.0)
}

/// Returns the least possible number of successes of the first arm, given the margins. Also returns
/// the probabilities of that number and of all greater ones.
fn hypergeometric(one: &Stratum) -> (u64, Vec<f64>) {
    let ((k, n), (l, m)) = (one.first, one.second);
    let all = k + l;
    let (least, most) = (all.saturating_sub(m), all.min(n));
    let ratio_up = |cell: u64| {
        let (cell, n, m, all) = (cell as f64, n as f64, m as f64, all as f64);
        (n - cell) * (all - cell) / ((cell + 1.0) * (m - all + cell + 1.0))
    };
    // Starts at the mode and proceeds outwards, so that nothing overflows.
    let (n, m) = (n as f64, m as f64);
    let mode = ((n + 1.0) * (all as f64 + 1.0) / (n + m + 2.0)) as u64;
    let mode = mode.clamp(least, most);
    let mut chances = vec![1.0; (most - least + 1) as usize];
    for cell in mode..most {
        let place = (cell - least) as usize;
        chances[place + 1] = chances[place] * ratio_up(cell);
    }
    for cell in (least..mode).rev() {
        let place = (cell - least) as usize;
        chances[place] = chances[place + 1] / ratio_up(cell);
    }
    let total: f64 = chances.iter().sum();
    chances.iter_mut().for_each(|chance| *chance /= total);
    (least, chances)
}

fn normal(strata: &[Stratum]) -> f64 {
    let (score, variance) = cochran_score(strata);
    if variance <= 0.0 {
        return 1.0;
    }
    (2.0 * normal_cdf(-(score.abs() - 0.5).max(0.0) / variance.sqrt())).min(1.0)
}

/// Returns the first arm's successes minus their expectation under equal rates in each stratum, and
/// the variance, given the margins.
#[must_use]
pub fn cochran_score(strata: &[Stratum]) -> (f64, f64) {
    let of = |one: &Stratum| {
        let (n, m) = (one.first.1 as f64, one.second.1 as f64);
        let (successes, all) = ((one.first.0 + one.second.0) as f64, n + m);
        if all < 2.0 {
            return (0.0, 0.0);
        }
        let variance = n * m * successes * (all - successes) / (all * all * (all - 1.0));
        (one.first.0 as f64 - n * successes / all, variance)
    };
    strata.iter().map(of).fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// Performs van Elteren's test of whether one sample tends to greater values than the other within
/// the strata. Each stratum is a pair of samples and contributes (U - n m / 2) / (N + 1), for N =
/// n + m values. The statistic is the sum of these terms. It is positive if values of the first
/// sample tend to be greater. The p-value is the probability of a sum at least as far from 0, given
/// the ties of every stratum. `None` if no stratum has values of both samples.
///
/// The test is exact if it takes at most [`EXACT_STEPS`](super::EXACT_STEPS) additions. Otherwise
/// it uses the normal approximation, with the variance corrected for ties. The continuity
/// correction is half a step of the largest stratum. With one stratum this is the Mann-Whitney
/// test.
///
/// Source: van Elteren (1960), "On the combination of independent two sample tests of Wilcoxon",
/// Bulletin of the International Statistical Institute 37:351-361; ties: Lehmann (1975),
/// "Nonparametrics", section 3.3.
///
/// Limitations: shifts of opposite directions cancel.
#[must_use]
pub fn van_elteren<S: Borrow<[Frequencies; 2]>>(strata: &[S]) -> Option<RankTest> {
    let some = |[first, second]: &&[Frequencies; 2]| !first.is_empty() && !second.is_empty();
    let both: Vec<&[Frequencies; 2]> = strata.iter().map(Borrow::borrow).filter(some).collect();
    let normal = normal_van_elteren(&both)?;
    let (p, distribution) = match both[..] {
        [[first, second]] => mann_whitney(first, second).map(|found| (found.p, found.distribution)),
        _ => exact_van_elteren(&both).map(|p| (p, Distribution::Exact)),
    }
    .unwrap_or((normal.p, normal.distribution));
    Some(RankTest { p, distribution, ..normal })
}

/// Returns the p-value of van Elteren's exact test; `None` if it takes too many steps or too large
/// integers.
pub(super) fn exact_van_elteren(strata: &[&[Frequencies; 2]]) -> Option<f64> {
    let divisions: Vec<Division> =
        strata.iter().map(|[first, second]| Division::of(first, second)).collect::<Option<_>>()?;
    // Weights 1 / (N + 1), scaled to integers.
    let common = divisions.iter().try_fold(1_i64, |common, division| {
        let own = division.all() as i64 + 1;
        common.checked_mul(own / gcd(common, own)).filter(|common| *common <= MOST_WEIGHT)
    })?;
    let budget = &mut Budget::new();
    let (mut all, mut observed) = (Vec::new(), 0_i64);
    for division in &divisions {
        let weight = common / (division.all() as i64 + 1);
        let weighed = |deviation: i64| deviation.checked_mul(weight);
        observed = observed.checked_add(weighed(division.observed())?)?;
        let points = division.deviations(budget)?;
        let points = points.into_iter().map(|(one, chance)| Some((weighed(one)?, chance)));
        all.push(points.collect::<Option<Points>>()?);
    }
    // The stratum with the most points is not convolved. Its tail probabilities are looked up.
    all.sort_by_key(Vec::len);
    let largest = all.pop()?;
    let mut sums: Points = vec![(0, 1.0)];
    for points in &all {
        let parts: Vec<_> =
            points.iter().map(|(shift, chance)| (*shift, *chance, sums.as_slice())).collect();
        sums = gathered(&parts, budget)?;
    }
    budget.take((sums.len() + largest.len()) as u64)?;
    let below = cumulated(largest.iter().map(|(_, chance)| chance));
    let above = cumulated(largest.iter().rev().map(|(_, chance)| chance));
    let limit = observed.abs();
    let beyond = |(sum, chance): &(i64, f64)| {
        let up = largest.len() - largest.partition_point(|(one, _)| sum + one < limit);
        let down = largest.partition_point(|(one, _)| sum + one <= -limit);
        chance * if up + down >= largest.len() { 1.0 } else { above[up] + below[down] }
    };
    Some((sums.iter().map(beyond).sum::<f64>() + budget.dropped).min(1.0))
}

/// Largest common multiple of the strata's N + 1 that is used. With a greater one, sums could
/// overflow.
const MOST_WEIGHT: i64 = 1 << 40;

/// Performs van Elteren's test by the normal approximation.
pub(super) fn normal_van_elteren(strata: &[&[Frequencies; 2]]) -> Option<RankTest> {
    let (mut statistic, mut variance, mut largest) = (0.0, 0.0, 0.0_f64);
    for [first, second] in strata {
        let ranks = rank_sum(first, second);
        let (n, m) = (first.len() as f64, second.len() as f64);
        let all = n + m;
        statistic += (ranks.first - n * (all + 1.0) / 2.0) / (all + 1.0);
        let own = n * m / 12.0 * (all + 1.0 - ranks.ties / (all * (all - 1.0)));
        variance += own / ((all + 1.0) * (all + 1.0));
        largest = largest.max(all);
    }
    strata.first()?;
    if variance <= 0.0 {
        return Some(RankTest { statistic, p: 1.0, distribution: Distribution::Exact });
    }
    let away = (statistic.abs() - 0.5 / (largest + 1.0)).max(0.0);
    let p = (2.0 * normal_cdf(-away / variance.sqrt())).min(1.0);
    Some(RankTest { statistic, p, distribution: Distribution::Normal })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::fisher;
    use crate::stats::ranks::normal_mann_whitney;

    #[test]
    fn one_stratum_is_fishers_and_mann_and_whitneys() {
        for (first, second) in [((3, 10), (9, 12)), ((0, 5), (0, 8)), ((150, 300), (260, 400))] {
            let one = [Stratum { first, second }];
            assert!((cochran_mantel_haenszel(&one) - fisher(first, second)).abs() < 1e-12);
        }
        let first: Frequencies = (0..30).map(|value| f64::from(value % 11)).collect();
        let second: Frequencies = (0..40).map(|value| f64::from(value % 17)).collect();
        let alone = mann_whitney(&first, &second).expect("values");
        let normal = normal_mann_whitney(&first, &second).expect("values");
        let both = [first, second];
        let by_normal = normal_van_elteren(&[&both]).expect("values");
        assert!((by_normal.p - normal.p).abs() < 1e-12);
        let found = van_elteren(&[both]).expect("values");
        assert!((found.p - alone.p).abs() < 1e-12);
        assert!((found.statistic * 71.0 - (alone.statistic - 600.0)).abs() < 1e-9);
        assert_eq!(van_elteren(&[[Frequencies::of(vec![1.0]), Frequencies::default()]]), None);
    }

    /// With pairs as strata, the test is McNemar's exact test.
    #[test]
    fn strata_of_pairs_are_mcnemars() {
        let pair = |first, second| Stratum { first: (first, 1), second: (second, 1) };
        let mut strata = vec![pair(1, 0); 9];
        strata.extend(vec![pair(0, 1); 2]);
        strata.extend(vec![pair(1, 1); 20]);
        assert!((cochran_mantel_haenszel(&strata) - crate::stats::mcnemar(9, 2)).abs() < 1e-12);
        assert_eq!(cochran_mantel_haenszel(&[pair(1, 1), pair(0, 0)]), 1.0);
    }

    #[test]
    fn large_strata_are_tested_by_the_normal_distribution() {
        let one = Stratum { first: (30_000, 60_000), second: (30_200, 60_000) };
        let strata = [one; 2];
        let (exactly, nearly) = (exact(&strata), normal(&strata));
        assert_eq!(cochran_mantel_haenszel(&strata), nearly);
        assert!((exactly - nearly).abs() < 1e-4, "{exactly} {nearly}");
    }
}
