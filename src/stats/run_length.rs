//! Run lengths: how many evaluations a success takes, where not every run succeeds.

use super::{Interval, normal_quantile};

/// A point of the distribution of run lengths: it holds from this number of evaluations up to the next point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Evaluations at which a run or more succeeded.
    pub evaluations: u64,
    /// Runs that had neither succeeded nor ended before.
    pub at_risk: u64,
    /// Those that succeeded here.
    pub successes: u64,
    /// Estimated probability of success within so many evaluations.
    pub solved: f64,
    pub interval: Interval,
}

/// The distribution of evaluations to success by Kaplan and Meier: a run that ended without success counts as one whose success lies
/// beyond its end. The interval is Greenwood's on the scale of log(-log), which keeps it within 0 and 1.
///
/// Source: Kaplan and Meier (1958), doi:10.1080/01621459.1958.10501452; Greenwood (1926); the scale: Kalbfleisch and Prentice (2002),
/// section 1.4, doi:10.1002/9781118032985.
///
/// Weak spots: it supposes that runs end for reasons that have nothing to do with how near they were; a stagnation rule breaks that. Beyond
/// the last end it says nothing.
#[must_use]
pub fn run_lengths(to_success: &[u64], unsuccessful: &[u64], confidence: f64) -> Vec<Step> {
    let (mut successes, mut ends) = (to_success.to_vec(), unsuccessful.to_vec());
    successes.sort_unstable();
    ends.sort_unstable();
    let z = normal_quantile(0.5 + confidence / 2.0);
    let (mut steps, mut first) = (Vec::new(), 0);
    let (mut survival, mut variance) = (1.0, 0.0);
    while first < successes.len() {
        let evaluations = successes[first];
        let here = successes[first..].iter().take_while(|length| **length == evaluations).count();
        // One that ends at this very number was still at risk.
        let ended = ends.partition_point(|end| *end < evaluations);
        let at_risk = successes.len() - first + ends.len() - ended;
        let (events, risk) = (here as f64, at_risk as f64);
        survival *= 1.0 - events / risk;
        variance += events / (risk * (risk - events));
        let interval = if survival <= 0.0 {
            Interval { low: 1.0, high: 1.0 }
        } else {
            let reach = z * variance.sqrt() / libm::log(survival);
            let bound = |sign: f64| 1.0 - libm::pow(survival, libm::exp(sign * reach));
            let (one, other) = (bound(1.0), bound(-1.0));
            Interval { low: one.min(other), high: one.max(other) }
        };
        steps.push(Step {
            evaluations,
            at_risk: at_risk as u64,
            successes: here as u64,
            solved: 1.0 - survival,
            interval,
        });
        first += here;
    }
    steps
}

/// Half the width of a band that holds a whole empirical distribution of `runs` values with probability `confidence`.
///
/// Source: Dvoretzky, Kiefer and Wolfowitz (1956), with the constant of Massart (1990), doi:10.1214/aop/1176990746.
///
/// Weak spots: for independent values without censoring; wider than a pointwise interval, since it holds everywhere at once.
///
/// # Panics
/// If there are no runs, or `confidence` is not between 0 and 1.
#[must_use]
pub fn ecdf_band(runs: u64, confidence: f64) -> f64 {
    assert!(runs > 0 && confidence > 0.0 && confidence < 1.0, "a band needs runs and a confidence between 0 and 1");
    (libm::log(2.0 / (1.0 - confidence)) / (2.0 * runs as f64)).sqrt()
}

/// What restarting after a fixed number of evaluations is expected to cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Restart {
    /// Evaluations after which a run is given up and another begun.
    pub after: u64,
    /// Expected evaluations to success, restarts paid for.
    pub cost: f64,
}

/// The best time to restart, by the run lengths that were seen: of all cut-offs the one with the least expected cost, which is the mean of what
/// runs spend before it over the share that succeeds before it. No cut-off is taken beyond the shortest run that was given up, since nobody knows
/// what lies there, nor one that fewer than `least` runs succeeded before, since a few lucky ones say little. None if no cut-off is left.
///
/// Source: Luby, Sinclair and Zuckerman (1993), "Optimal speedup of Las Vegas algorithms", doi:10.1016/0020-0190(93)90029-9.
///
/// Weak spots: chosen from the data it is judged by, so the cost is too low, the more so the smaller `least` (20 runs: by about a fifth at
/// most); a gain within that is none.
#[must_use]
pub fn best_restart(to_success: &[u64], unsuccessful: &[u64], least: usize) -> Option<Restart> {
    let mut lengths = to_success.to_vec();
    lengths.sort_unstable();
    let limit = unsuccessful.iter().min().copied().unwrap_or(u64::MAX);
    let runs = lengths.len() + unsuccessful.len();
    let (mut spent, mut best) = (0.0, None::<Restart>);
    for (place, length) in lengths.iter().enumerate() {
        spent += *length as f64;
        if *length > limit {
            break;
        }
        if lengths.get(place + 1) == Some(length) {
            continue;
        }
        let solved = place + 1;
        if solved < least {
            continue;
        }
        let cost = (spent + *length as f64 * (runs - solved) as f64) / solved as f64;
        if best.is_none_or(|best| cost < best.cost) {
            best = Some(Restart { after: *length, cost });
        }
    }
    best
}

/// An interval for a quantile out of the sample's own values: the closest pair whose ranks hold it with probability `confidence` at least, each
/// tail with half of the rest. Values ascend. None where the sample is too small.
///
/// Source: David and Nagaraja (2003), "Order Statistics", section 7.1, doi:10.1002/0471722162.
///
/// Weak spots: only the sample's values can be bounds, so it covers more than it says for small samples.
#[must_use]
pub fn quantile_interval(sorted: &[f64], share: f64, confidence: f64) -> Option<Interval> {
    let (n, tail) = (sorted.len(), (1.0 - confidence) / 2.0);
    // P(X <= k) of a binomial of n and `share`, from 0 upwards.
    let mut log_choose = 0.0;
    let mut cumulative = 0.0;
    let (mut low, mut high) = (None, None);
    for k in 0..=n {
        if k > 0 {
            log_choose += libm::log((n - k + 1) as f64) - libm::log(k as f64);
        }
        let log_p = log_choose + k as f64 * libm::log(share) + (n - k) as f64 * libm::log1p(-share);
        cumulative += libm::exp(log_p);
        // The lower rank: the greatest r with P(X < r) within the tail; the upper: the least s with P(X >= s) within it.
        if cumulative <= tail && k < n {
            low = Some(k);
        }
        if high.is_none() && 1.0 - cumulative <= tail && k < n {
            high = Some(k);
        }
    }
    Some(Interval { low: sorted[low?], high: sorted[high?] })
}

/// The success performance SP1: mean evaluations of the successful runs over the success rate. None without a success.
///
/// Source: Auger and Hansen (2005), "Performance evaluation of an advanced local search evolutionary algorithm",
/// doi:10.1109/CEC.2005.1554903.
///
/// Weak spots: it supposes that unsuccessful runs cost as much as successful ones; the expected running time takes what they did cost.
#[must_use]
pub fn success_performance(to_success: &[u64], trials: u64) -> Option<f64> {
    let successes = to_success.len() as f64;
    let mean = to_success.iter().map(|length| *length as f64).sum::<f64>() / successes;
    (!to_success.is_empty()).then_some(mean * trials as f64 / successes)
}
