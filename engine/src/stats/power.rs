//! Sample sizes of comparisons.

use super::normal_quantile;
use statrs::distribution::{Binomial, Discrete, DiscreteCDF};
use statrs::function::factorial::ln_binomial;

/// Greatest sample size whose power is computed exactly.
const MOST_EXACT: u64 = 1000;

/// Planned sample size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleSize {
    /// Number of trials per arm, or of pairs.
    pub trials: f64,
    /// Power with this number; `None` where it is only approximated.
    pub power: Option<f64>,
}

/// Plans a comparison of two independent rates by Fisher's exact test; arguments as in
/// [`trials_to_tell`]. Up to 1,000 trials, the power is summed over all outcomes. It is not
/// monotone in the number of trials: of the numbers around the approximation, the result is the
/// least from which on all have the power.
#[must_use]
pub fn plan_trials(p: f64, q: f64, level: f64, power: f64) -> Option<SampleSize> {
    let about = trials_to_tell(p, q, level, power)?;
    Some(refined(about, power, |n| fisher_power(n, (p, q), level)))
}

/// Plans a comparison of two paired rates by McNemar's exact test; arguments as in
/// [`pairs_to_tell`]. Up to 1,000 pairs, the power is exact, as in [`plan_trials`].
#[must_use]
pub fn plan_pairs(first: f64, second: f64, level: f64, power: f64) -> Option<SampleSize> {
    let about = pairs_to_tell(first, second, level, power)?;
    Some(refined(about, power, |n| mcnemar_power(n, (first, second), level)))
}

/// Goes from an approximate sample size to the least from which on the power suffices.
fn refined(about: f64, wanted: f64, power: impl Fn(u64) -> f64) -> SampleSize {
    let approximate = SampleSize { trials: about, power: None };
    if about > MOST_EXACT as f64 {
        return approximate;
    }
    let mut n = about as u64;
    while power(n) < wanted {
        n += 1;
        if n > MOST_EXACT {
            return approximate;
        }
    }
    while n > 1 && power(n - 1) >= wanted {
        n -= 1;
    }
    SampleSize { trials: n as f64, power: Some(power(n)) }
}

/// Returns the probability that Fisher's exact test of two samples of size `n` with these rates has
/// a p-value of at most `level`.
fn fisher_power(n: u64, (p, q): (f64, f64), level: f64) -> f64 {
    let masses = |rate: f64| -> Vec<f64> {
        let binomial = Binomial::new(rate, n).expect("a rate");
        (0..=n).map(|count| binomial.pmf(count)).collect()
    };
    let (of_p, of_q) = (masses(p), masses(q));
    let mut found = 0.0;
    for all in 0..=2 * n {
        let (least, most) = (all.saturating_sub(n), all.min(n));
        // Tables with equal samples are symmetric: the two-sided p-value is twice a tail.
        let mut table = least;
        let logarithm = ln_binomial(n, table) + ln_binomial(n, all - table);
        let mut mass = (logarithm - ln_binomial(2 * n, all)).exp();
        let mut tail = mass;
        while 2 * table < least + most && 2.0 * tail <= level {
            let (one, other) = (table as usize, (all - table) as usize);
            found += of_p[one] * of_q[other] + of_p[other] * of_q[one];
            let (x, n, all) = (table as f64, n as f64, all as f64);
            mass *= (n - x) * (all - x) / ((x + 1.0) * (n - all + x + 1.0));
            tail += mass;
            table += 1;
        }
    }
    found
}

/// Returns the probability that McNemar's exact test of `n` pairs has a p-value of at most `level`.
/// `shares` are those of the pairs in which only the first, or only the second, succeeds.
fn mcnemar_power(n: u64, (first, second): (f64, f64), level: f64) -> f64 {
    let discordant = Binomial::new((first + second).min(1.0), n).expect("a rate");
    // Number of counts, from 0, with which the test finds a difference.
    let (mut found, mut counts) = (0.0, 0);
    for pairs in 1..=n {
        let fair = Binomial::new(0.5, pairs).expect("a rate");
        while 2 * counts < pairs && 2.0 * fair.cdf(counts) <= level {
            counts += 1;
        }
        if counts == 0 {
            continue;
        }
        let of_first = Binomial::new(first / (first + second), pairs).expect("a rate");
        let tails = of_first.cdf(counts - 1) + of_first.sf(pairs - counts);
        found += discordant.pmf(pairs) * tails;
    }
    found
}

/// Returns the number of trials per arm that detects the difference of two independent rates. The
/// test is two-sided of level `level`, with power `power`. `None` if the rates are equal.
///
/// n = (z_a sqrt(2 m (1-m)) + z_b sqrt(p(1-p) + q(1-q)))² / (p-q)², with m the mean rate, and with
/// the continuity correction of Casagrande, Pike and Smith (1978, doi:10.2307/2530613). Formula
/// without the correction: Fleiss, Levin and Paik (2003), "Statistical Methods for Rates and
/// Proportions", section 4.3.
///
/// Limitations: normal approximation. The level applies to a single comparison. For several
/// comparisons, divide the level by their number.
#[must_use]
pub fn trials_to_tell(p: f64, q: f64, level: f64, power: f64) -> Option<f64> {
    let gap = (p - q).abs();
    if gap <= 0.0 {
        return None;
    }
    let (za, zb, mean) =
        (normal_quantile(1.0 - level / 2.0), normal_quantile(power), f64::midpoint(p, q));
    let n = (za * (2.0 * mean * (1.0 - mean)).sqrt() + zb * (p * (1.0 - p) + q * (1.0 - q)).sqrt())
        .powi(2)
        / (gap * gap);
    Some((n / 4.0 * (1.0 + (1.0 + 4.0 / (n * gap)).sqrt()).powi(2)).ceil())
}

/// Returns the number of pairs that detects the difference of two paired rates by McNemar's exact
/// test. Only the first succeeds in the share `first` of all pairs, only the second in the share
/// `second`. The test is two-sided of level `level`, with power `power`. `None` if the shares are
/// equal.
///
/// n = (z_a sqrt(s) + z_b sqrt(s - d²))² / d², with s the sum of the shares and d their difference
/// (Connor 1987, "Sample size for testing differences in proportions for the paired-sample design",
/// Biometrics 43:207-211, doi:10.2307/2531961). The continuity correction n/4 (1 + sqrt(1 + 4/(n
/// d)))² is that of one rate against one half. It applies because the exact test is equally
/// conservative (Fleiss, Levin and Paik 2003, "Statistical Methods for Rates and Proportions",
/// section 2.5, for the discordant pairs).
///
/// Limitations: normal approximation.
#[must_use]
pub fn pairs_to_tell(first: f64, second: f64, level: f64, power: f64) -> Option<f64> {
    let (sum, gap) = (first + second, (first - second).abs());
    if gap <= 0.0 {
        return None;
    }
    let (za, zb) = (normal_quantile(1.0 - level / 2.0), normal_quantile(power));
    let n = (za * sum.sqrt() + zb * (sum - gap * gap).max(0.0).sqrt()).powi(2) / (gap * gap);
    Some((n / 4.0 * (1.0 + (1.0 + 4.0 / (n * gap)).sqrt()).powi(2)).ceil())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{fisher, mcnemar};

    #[test]
    fn trials_agree_with_the_formula_worked_out_elsewhere() {
        // Reference values computed in Python with SciPy's normal quantiles.
        assert_eq!(trials_to_tell(0.6, 0.7, 0.05, 0.9), Some(496.0));
        assert_eq!(trials_to_tell(0.5, 0.5, 0.05, 0.9), None);
        assert_eq!(pairs_to_tell(0.2, 0.2, 0.05, 0.9), None);
    }

    /// Sums over all outcomes, with the p-values of the tests themselves.
    #[test]
    fn power_is_the_share_of_outcomes_that_the_tests_find() {
        let mass =
            |rate: f64, n: u64, count: u64| Binomial::new(rate, n).expect("a rate").pmf(count);
        for (n, p, q, level) in [(1, 0.0, 1.0, 0.05), (9, 0.1, 0.9, 0.05), (25, 0.3, 0.7, 0.01)] {
            let outcomes = (0..=n).flat_map(|x| (0..=n).map(move |y| (x, y)));
            let found = outcomes.filter(|(x, y)| fisher((*x, n), (*y, n)) <= level);
            let sum: f64 = found.map(|(x, y)| mass(p, n, x) * mass(q, n, y)).sum();
            let power = fisher_power(n, (p, q), level);
            assert!((power - sum).abs() < 1e-12, "{n} {p} {q}: {power} {sum}");
        }
        for (n, first, second) in [(1, 0.5, 0.5), (12, 0.6, 0.1), (30, 0.35, 0.05)] {
            let (mut sum, all) = (0.0, first + second);
            for discordant in 0..=n {
                for one in 0..=discordant {
                    if discordant > 0 && mcnemar(one, discordant - one) <= 0.05 {
                        sum += mass(all, n, discordant) * mass(first / all, discordant, one);
                    }
                }
            }
            let power = mcnemar_power(n, (first, second), 0.05);
            assert!((power - sum).abs() < 1e-12, "{n} {first} {second}: {power} {sum}");
        }
    }

    #[test]
    fn a_planned_size_has_the_power_and_the_one_before_it_has_not() {
        for (p, q) in [(0.0, 0.3), (0.05, 0.15), (0.5, 0.8), (1.0, 0.9), (0.0, 1.0)] {
            let planned = plan_trials(p, q, 0.05, 0.9).expect("rates that differ");
            let power = planned.power.expect("exact");
            assert!(power >= 0.9, "{planned:?}");
            assert!(fisher_power(planned.trials as u64 - 1, (p, q), 0.05) < 0.9, "{planned:?}");
        }
        let planned = plan_pairs(0.3, 0.05, 0.05, 0.9).expect("shares that differ");
        assert!(mcnemar_power(planned.trials as u64 - 1, (0.3, 0.05), 0.05) < 0.9, "{planned:?}");
        assert_eq!(plan_trials(0.6, 0.61, 0.05, 0.9).map(|one| one.power), Some(None));
    }
}
