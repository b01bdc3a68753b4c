//! Restarts: evaluations saved by cutting runs off early and starting new ones.

use super::{End, Interval, RunLength, normal_quantile};

/// Cut-off of runs and its expected cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutOff {
    /// Number of evaluations after which a run is stopped and another one starts. A run that ends
    /// earlier is also followed by another one.
    pub after: u64,
    /// Expected evaluations to success, including restarts: the evaluations that runs spend up to
    /// the cut-off, divided by the share that succeeds by then. The cost is biased downwards,
    /// because the same runs select and judge the cut-off. [`restart_gain`] avoids this bias.
    pub cost: f64,
}

/// Returns the cut-off with the lowest cost, estimated from `runs`. A cut-off never exceeds the
/// shortest run that a budget cut off, because later results of that run are unknown. At least
/// `least` runs must succeed by then, because a few lucky runs are weak evidence. `None` if no
/// cut-off is left.
///
/// Source: Luby, Sinclair and Zuckerman (1993), "Optimal speedup of Las Vegas algorithms",
/// doi:10.1016/0020-0190(93)90029-9.
#[must_use]
pub fn best_cut_off(runs: &[RunLength], least: usize) -> Option<CutOff> {
    cheapest(runs.iter().copied(), limit(runs), least)
}

/// Returns the evaluations of the shortest run that a budget cut off.
fn limit(runs: &[RunLength]) -> u64 {
    runs.iter()
        .filter(|run| run.end == End::Cut)
        .map(|run| run.evaluations)
        .min()
        .unwrap_or(u64::MAX)
}

fn cheapest(runs: impl Iterator<Item = RunLength>, limit: u64, least: usize) -> Option<CutOff> {
    let mut runs: Vec<RunLength> = runs.collect();
    runs.sort_unstable_by_key(|run| (run.evaluations, run.end));
    let (mut spent, mut solved, mut best) = (0.0, 0usize, None::<CutOff>);
    for (place, run) in runs.iter().enumerate() {
        if run.evaluations > limit {
            break;
        }
        spent += run.evaluations as f64;
        solved += usize::from(run.end == End::Solved);
        let next = runs.get(place + 1);
        // Only the last of several tied successes is a candidate. A cut-off at an unsuccessful run
        // costs more than the success before it.
        if run.end != End::Solved
            || next.is_some_and(|next| (next.evaluations, next.end) == (run.evaluations, run.end))
        {
            continue;
        }
        if solved < least.max(1) {
            continue;
        }
        let cost =
            (spent + run.evaluations as f64 * (runs.len() - place - 1) as f64) / solved as f64;
        if best.is_none_or(|best| cost < best.cost) {
            best = Some(CutOff { after: run.evaluations, cost });
        }
    }
    best
}

/// Estimated gain of the suggested cut-off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestartGain {
    /// Suggested cut-off, chosen from all runs.
    pub after: u64,
    /// Cut-offs behind the gain: the second half's, which judges the first half, and the first
    /// half's, which judges the second.
    pub judged: [u64; 2],
    /// Expected running time without a cut-off, divided by the cost with one. In the expected
    /// running time, a run that ends without success is followed by another one.
    pub gain: f64,
    /// Confidence interval of the gain.
    pub interval: Interval,
}

impl RestartGain {
    /// Returns whether the runs show that the cut-off saves evaluations.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.interval.low > 1.0
    }
}

/// Estimates the gain of a cut-off by cross-validation. The two halves are every second run, in the
/// given order. Each half suggests a cut-off ([`best_cut_off`], with at least `least` successes of
/// the half). The other half judges it. The gain is the ratio of the sums over both halves.
///
/// The interval is that of the logarithm of the gain. Its variance uses the linearised ratios of
/// the runs' evaluations and successes, with and without cut-off, run by run. `None` if a half has
/// too few successes before every cut-off.
///
/// Sources: choosing and judging by different runs: Stone (1974), "Cross-validatory choice and
/// assessment of statistical predictions", doi:10.1111/j.2517-6161.1974.tb00994.x; the variance of
/// a ratio: Cochran (1977), "Sampling Techniques", section 6.4.
///
/// Limitations: a half suggests a somewhat worse cut-off than all runs, so the gain is biased
/// downwards. If no cut-off matters (a constant chance of success at each evaluation), 3 to 5 % of
/// experiments show a gain instead of 2.5 % (examples/coverage.rs).
#[must_use]
pub fn restart_gain(runs: &[RunLength], least: usize, confidence: f64) -> Option<RestartGain> {
    let limit = limit(runs);
    let half = |parity: usize| runs.iter().skip(parity).step_by(2).copied();
    // Each run is judged by the cut-off of the other half.
    let cut_offs = [cheapest(half(1), limit, least)?.after, cheapest(half(0), limit, least)?.after];
    let judged = |place: usize, run: &RunLength| {
        let after = cut_offs[place % 2];
        let solved = run.end == End::Solved;
        [
            run.evaluations as f64,
            f64::from(u8::from(solved)),
            run.evaluations.min(after) as f64,
            f64::from(u8::from(solved && run.evaluations <= after)),
        ]
    };
    let figures = || runs.iter().enumerate().map(|(place, run)| judged(place, run));
    let sums = figures().fold([0.0; 4], |sums, run| [0, 1, 2, 3].map(|of| sums[of] + run[of]));
    if sums.iter().any(|sum| *sum <= 0.0) {
        return None;
    }
    let influence = |run: [f64; 4]| {
        let [spent, solved, spent_before, solved_before] =
            [0, 1, 2, 3].map(|of| run[of] / sums[of]);
        (spent - solved) - (spent_before - solved_before)
    };
    let variance: f64 = figures().map(|run| influence(run).powi(2)).sum();
    let gain = sums[0] / sums[1] / (sums[2] / sums[3]);
    let reach = libm::exp(normal_quantile(0.5 + confidence / 2.0) * variance.sqrt());
    let after = cheapest(runs.iter().copied(), limit, 2 * least)?.after;
    Some(RestartGain {
        after,
        judged: cut_offs,
        gain,
        interval: Interval { low: gain / reach, high: gain * reach },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(end: End, lengths: impl IntoIterator<Item = u64>) -> Vec<RunLength> {
        lengths.into_iter().map(|evaluations| RunLength { evaluations, end }).collect()
    }

    #[test]
    fn cut_offs_are_judged_by_what_runs_spend_before_them() {
        let mixed = [runs(End::Solved, [1, 10, 10]), runs(End::Cut, [20])].concat();
        // One success is too few if two are required.
        assert_eq!(best_cut_off(&mixed, 2), Some(CutOff { after: 10, cost: 31.0 / 3.0 }));
        assert_eq!(best_cut_off(&mixed, 1), Some(CutOff { after: 1, cost: 4.0 }));
        assert_eq!(best_cut_off(&runs(End::Cut, [5]), 1), None);
        assert_eq!(best_cut_off(&[runs(End::Solved, [9]), runs(End::Cut, [5])].concat(), 1), None);
        // A stuck run limits no cut-off, and costs only its own evaluations.
        let stuck = [runs(End::Solved, [9]), runs(End::Stuck, [5])].concat();
        assert_eq!(best_cut_off(&stuck, 1), Some(CutOff { after: 9, cost: 14.0 }));
        assert_eq!(restart_gain(&mixed, 2, 0.95), None);
    }

    #[test]
    fn a_gain_is_shown_where_there_is_one_and_none_where_waiting_pays() {
        // Half of the runs succeed within 10 to 59 evaluations, the others take 10,000.
        let early =
            runs(End::Solved, (0..100).map(|k| if k % 4 < 2 { 10 + k / 2 } else { 10_000 }));
        let gain = restart_gain(&early, 10, 0.95).expect("successes");
        assert!(gain.is_shown() && gain.gain > 30.0 && gain.after < 60, "{gain:?}");
        // All runs take 900 to 999 evaluations: an earlier cut-off wastes more of them.
        let late = runs(End::Solved, 900..1_000);
        let gain = restart_gain(&late, 10, 0.95).expect("successes");
        assert!(!gain.is_shown() && gain.interval.low <= 1.0, "{gain:?}");
    }
}
