//! Exact confidence interval of a rate, for trials that ended by their number of successes.

use super::beta::beta_quantile;
use super::{Interval, clopper_pearson};

/// Returns the exact interval of a rate whose trials ended at the success number `wanted`, or after
/// `most` trials, whichever came first. `None` if trials cannot have ended with these counts.
///
/// The ends of the rule are ordered by their share of successes. A greater rate makes greater ends
/// more likely. So each bound is the rate at which one tail has the probability
/// `(1 - confidence)/2`.
///
/// - With r successes in n trials, "at least as great" means r successes within n trials. The lower
///   bound is therefore a quantile of Beta(r, n-r+1).
/// - "At most as great" means fewer than r successes within n-1 trials. The upper bound is
///   therefore a quantile of Beta(r, n-r).
/// - With fewer successes after all `most` trials, both tails are binomial. The interval is then
///   that of [`clopper_pearson`].
///
/// Source: Haldane (1945), "On a method of estimating frequencies", Biometrika 33:222-225,
/// doi:10.1093/biomet/33.3.222; tails as in Clopper and Pearson (1934),
/// doi:10.1093/biomet/26.4.404; the order of the ends of a truncated rule as in Jennison and
/// Turnbull (1983), "Confidence intervals for a binomial parameter following a multistage test",
/// Technometrics 25:49-58, doi:10.1080/00401706.1983.10487819.
///
/// Limitations: conservative. Coverage is at least `confidence` at every rate. All trials must have
/// run: a failed trial may hide an earlier end.
///
/// # Panics
/// Panics if there are more successes than trials.
#[must_use]
pub fn inverse_sampling(
    successes: u64,
    trials: u64,
    wanted: u64,
    most: u64,
    confidence: f64,
) -> Option<Interval> {
    if successes < wanted && trials == most {
        return clopper_pearson(successes, trials, confidence);
    }
    if successes != wanted || trials > most {
        return None;
    }
    // Trials with one success less are those up to the last but one.
    let low = clopper_pearson(successes, trials, confidence)?.low;
    let (r, others, tail) = (successes as f64, trials - successes, (1.0 - confidence) / 2.0);
    let high = if others == 0 { 1.0 } else { beta_quantile(r, others as f64, 1.0 - tail) };
    Some(Interval { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every end of the rule, with its probability at a rate. Found by following all numbers of
    /// successes trial by trial, without a formula for the distribution.
    fn ends(wanted: u64, most: u64, rate: f64) -> Vec<(u64, u64, f64)> {
        let mut ends = Vec::new();
        let mut going = vec![0.0; wanted as usize];
        going[0] = 1.0;
        for trial in 1..=most {
            let before = going.clone();
            ends.push((wanted, trial, before[wanted as usize - 1] * rate));
            for (successes, chance) in going.iter_mut().enumerate() {
                let success = if successes == 0 { 0.0 } else { before[successes - 1] * rate };
                *chance = before[successes] * (1.0 - rate) + success;
            }
        }
        ends.extend((0u64..).zip(going).map(|(successes, chance)| (successes, most, chance)));
        ends.retain(|(successes, trials, _)| successes <= trials);
        ends
    }

    /// The interval of each end, in the order of [`ends`].
    fn intervals(wanted: u64, most: u64, confidence: f64) -> Vec<Interval> {
        let of = |(successes, trials, _)| {
            inverse_sampling(successes, trials, wanted, most, confidence).expect("an end")
        };
        ends(wanted, most, 0.5).into_iter().map(of).collect()
    }

    /// Rates at which coverage changes, just inside and outside each bound, and a grid between.
    fn rates(known: &[Interval]) -> Vec<f64> {
        let bounds = known.iter().flat_map(|one| [one.low, one.high]);
        let near = bounds.flat_map(|bound| [bound - 1e-9, bound + 1e-9]);
        let grid = (1..200).map(|step| f64::from(step) / 200.0);
        near.chain(grid).filter(|rate| (0.0..=1.0).contains(rate)).collect()
    }

    /// Enumerates all ends, so there is no false alarm. Either tail alone is at most half of the
    /// level.
    #[test]
    fn every_rate_is_covered_whatever_the_most() {
        for (wanted, most) in [(1, 1), (1, 30), (2, 3), (3, 12), (7, 7), (7, 20), (7, 60)] {
            for confidence in [0.5, 0.95, 0.99] {
                let known = intervals(wanted, most, confidence);
                for rate in rates(&known) {
                    let (mut all, mut below, mut above) = (0.0, 0.0, 0.0);
                    for ((.., chance), one) in ends(wanted, most, rate).iter().zip(&known) {
                        all += chance;
                        below += if rate < one.low { *chance } else { 0.0 };
                        above += if rate > one.high { *chance } else { 0.0 };
                    }
                    let tail = (1.0 - confidence) / 2.0 + 1e-9;
                    assert!((all - 1.0f64).abs() < 1e-12, "{all}");
                    assert!(
                        below <= tail && above <= tail,
                        "{wanted} of {most} at {rate} and {confidence}: {below} {above}"
                    );
                }
            }
        }
    }

    /// For a fixed number of trials the upper bound lies higher. At the bound of the rule, ends
    /// that are at most as great have exactly half of the level.
    #[test]
    fn bounds_are_where_a_tail_of_the_rule_is_half_of_the_level() {
        let rule = inverse_sampling(7, 60, 7, 100, 0.95).expect("an end");
        let fixed = clopper_pearson(7, 60, 0.95).expect("trials");
        assert!(rule.low == fixed.low && rule.high < fixed.high, "{rule:?} {fixed:?}");
        let tail = |rate: f64, counts: &dyn Fn(u64, u64) -> bool| -> f64 {
            let all = ends(7, 100, rate).into_iter();
            all.filter(|(successes, trials, _)| counts(*successes, *trials)).map(|one| one.2).sum()
        };
        let at_most = tail(rule.high, &|successes, trials| successes < 7 || trials >= 60);
        let at_least = tail(rule.low, &|successes, trials| successes == 7 && trials <= 60);
        assert!((at_most - 0.025).abs() < 1e-9 && (at_least - 0.025).abs() < 1e-9);
    }

    /// The plain rate is biased upwards; (r-1)/(n-1) at the success number r, and the plain rate
    /// after all `most` trials, have the true rate as their mean.
    #[test]
    fn the_estimate_without_the_last_success_has_no_bias() {
        for (wanted, most) in [(2, 9), (7, 40), (7, 150)] {
            for rate in [0.02, 0.1, 0.5, 0.9] {
                let (mut plain, mut without) = (0.0, 0.0);
                for (successes, trials, chance) in ends(wanted, most, rate) {
                    let (r, n) = (successes as f64, trials as f64);
                    let share = if successes == wanted { (r - 1.0) / (n - 1.0) } else { r / n };
                    plain += chance * r / n;
                    without += chance * share;
                }
                assert!(
                    (without - rate).abs() < 1e-12 && plain > rate,
                    "{rate}: {without} {plain}"
                );
            }
        }
    }

    #[test]
    fn counts_that_the_rule_never_leaves_have_no_interval() {
        let of = |successes, trials| inverse_sampling(successes, trials, 7, 100, 0.95);
        for (successes, trials) in [(6, 99), (8, 50), (7, 101), (0, 0), (6, 101)] {
            assert_eq!(of(successes, trials), None, "{successes} of {trials}");
        }
        assert_eq!(of(0, 100).map(|one| one.low), Some(0.0));
        assert_eq!(of(7, 7).map(|one| one.high), Some(1.0));
    }
}
