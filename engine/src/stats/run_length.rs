//! Run lengths: bands, intervals of quantiles, the success performance.

use super::Interval;

/// Half the width of a band that holds a whole empirical distribution of `runs` values with
/// probability `confidence`.
///
/// Source: Dvoretzky, Kiefer and Wolfowitz (1956), with the constant of Massart (1990),
/// doi:10.1214/aop/1176990746.
///
/// Weak spots: for independent values without censoring; wider than a pointwise interval, since it
/// holds everywhere at once.
///
/// # Panics
/// If there are no runs, or `confidence` is not between 0 and 1.
#[must_use]
pub fn ecdf_band(runs: u64, confidence: f64) -> f64 {
    assert!(
        runs > 0 && confidence > 0.0 && confidence < 1.0,
        "a band needs runs and a confidence between 0 and 1"
    );
    (libm::log(2.0 / (1.0 - confidence)) / (2.0 * runs as f64)).sqrt()
}

/// An interval for a quantile out of the sample's own values: the closest pair whose ranks hold it
/// with probability `confidence` at least, each tail with half of the rest. Values ascend. None
/// where the sample is too small.
///
/// Source: David and Nagaraja (2003), "Order Statistics", section 7.1, doi:10.1002/0471722162.
///
/// Weak spots: only the sample's values can be bounds, so it covers more than it says for small
/// samples.
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
        // The lower rank: the greatest r with P(X < r) within the tail; the upper: the least s with
        // P(X >= s) within it.
        if cumulative <= tail && k < n {
            low = Some(k);
        }
        if high.is_none() && 1.0 - cumulative <= tail && k < n {
            high = Some(k);
        }
    }
    Some(Interval { low: sorted[low?], high: sorted[high?] })
}

/// The success performance SP1: mean evaluations of the successful runs over the success rate. None
/// without a success.
///
/// Source: Auger and Hansen (2005), "Performance evaluation of an advanced local search
/// evolutionary algorithm", doi:10.1109/CEC.2005.1554903.
///
/// Weak spots: it supposes that unsuccessful runs cost as much as successful ones; the expected
/// running time takes what they did cost.
#[must_use]
pub fn success_performance(to_success: &[u64], trials: u64) -> Option<f64> {
    let successes = to_success.len() as f64;
    let mean = to_success.iter().map(|length| *length as f64).sum::<f64>() / successes;
    (!to_success.is_empty()).then_some(mean * trials as f64 / successes)
}
