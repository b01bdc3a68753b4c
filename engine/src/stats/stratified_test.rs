//! Two rates, and two samples, tested over several strata.

use super::ranks::rank_sum;
use super::{Frequencies, RankTest, normal_cdf};
use std::borrow::Borrow;

/// What became of the trials of two arms in a stratum: successes and trials of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stratum {
    /// Successes and trials of the first arm.
    pub first: (u64, u64),
    /// Successes and trials of the second arm.
    pub second: (u64, u64),
}

/// Multiplications up to which the distribution is computed exactly.
const EXACT_STEPS: u64 = 10_000_000;

/// The test of Cochran, Mantel and Haenszel, two-sided: could the arms have equal rates in every
/// stratum? Its statistic is the first arm's successes, given the margins of every stratum. Exact
/// where that takes at most ten million multiplications: how likely a sum of hypergeometric
/// variables is that is no more likely than this one; with one stratum it is Fisher's test.
/// Otherwise normal, with 1/2 for continuity. 1 where nothing can be told.
///
/// Source: Mantel and Haenszel (1959), doi:10.1093/jnci/22.4.719; Cochran (1954), "Some methods for
/// strengthening the common χ² tests", Biometrics 10:417-451, doi:10.2307/3001616; exact: Birch
/// (1964), "The detection of partial association, I: the 2 × 2 case", JRSS B 26:313-324,
/// doi:10.1111/j.2517-6161.1964.tb00562.x; two sides by probability (ties within 1e-7 count).
///
/// Weak spots: the exact test is conservative where there are few trials. Differences of opposite
/// signs in different strata cancel.
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

/// The least number of successes that the first arm can have, given the margins, and the chance of
/// each number from there on.
fn hypergeometric(one: &Stratum) -> (u64, Vec<f64>) {
    let ((k, n), (l, m)) = (one.first, one.second);
    let all = k + l;
    let (least, most) = (all.saturating_sub(m), all.min(n));
    let ratio_up = |cell: u64| {
        let (cell, n, m, all) = (cell as f64, n as f64, m as f64, all as f64);
        (n - cell) * (all - cell) / ((cell + 1.0) * (m - all + cell + 1.0))
    };
    // From the likeliest number outwards, so that nothing overflows.
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

/// The first arm's successes less those to be expected if the rates of each stratum were equal, and
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

/// Van Elteren's test: do values of one sample tend to be greater than those of the other within
/// the strata? Each stratum is a pair of samples, its U less n m / 2 divided by N + 1 for N = n + m
/// values. Normal, with the variance corrected for ties, and for continuity half a step of the
/// largest stratum. The statistic is the weighted sum, above 0 where the first's tend to be
/// greater. None if no stratum has values of both.
///
/// Source: van Elteren (1960), "On the combination of independent two sample tests of Wilcoxon",
/// Bulletin of the International Statistical Institute 37:351-361; ties: Lehmann (1975),
/// "Nonparametrics", section 3.3.
///
/// Weak spots: normal even for the smallest strata; shifts of opposite directions cancel.
#[must_use]
pub fn van_elteren<S: Borrow<[Frequencies; 2]>>(strata: &[S]) -> Option<RankTest> {
    let some = |[first, second]: &&[Frequencies; 2]| !first.is_empty() && !second.is_empty();
    let both = || strata.iter().map(Borrow::borrow).filter(some);
    let (mut statistic, mut variance, mut largest) = (0.0, 0.0, 0.0_f64);
    for [first, second] in both() {
        let ranks = rank_sum(first, second);
        let (n, m) = (first.len() as f64, second.len() as f64);
        let all = n + m;
        statistic += (ranks.first - n * (all + 1.0) / 2.0) / (all + 1.0);
        let own = n * m / 12.0 * (all + 1.0 - ranks.ties / (all * (all - 1.0)));
        variance += own / ((all + 1.0) * (all + 1.0));
        largest = largest.max(all);
    }
    both().next()?;
    if variance <= 0.0 {
        return Some(RankTest { statistic, p: 1.0 });
    }
    let away = (statistic.abs() - 0.5 / (largest + 1.0)).max(0.0);
    Some(RankTest { statistic, p: (2.0 * normal_cdf(-away / variance.sqrt())).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{fisher, mann_whitney};

    #[test]
    fn one_stratum_is_fishers_and_mann_and_whitneys() {
        for (first, second) in [((3, 10), (9, 12)), ((0, 5), (0, 8)), ((150, 300), (260, 400))] {
            let one = [Stratum { first, second }];
            assert!((cochran_mantel_haenszel(&one) - fisher(first, second)).abs() < 1e-12);
        }
        let first: Frequencies = (0..30).map(|value| f64::from(value % 11)).collect();
        let second: Frequencies = (0..40).map(|value| f64::from(value % 17)).collect();
        let alone = mann_whitney(&first, &second).expect("values");
        let found = van_elteren(&[[first, second]]).expect("values");
        assert!((found.p - alone.p).abs() < 1e-12);
        assert!((found.statistic * 71.0 - (alone.statistic - 600.0)).abs() < 1e-9);
        assert_eq!(van_elteren(&[[Frequencies::of(vec![1.0]), Frequencies::default()]]), None);
    }

    /// Pairs as strata: McNemar's exact test.
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
