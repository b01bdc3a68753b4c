//! Run lengths: confidence bands, intervals of quantiles, and the success performance.

use super::Interval;

/// Returns half the width of a simultaneous confidence band for the whole empirical distribution of
/// `runs` values. The band holds with probability `confidence`.
///
/// Source: Dvoretzky, Kiefer and Wolfowitz (1956), with the constant of Massart (1990),
/// doi:10.1214/aop/1176990746.
///
/// Limitations: requires independent values without censoring. The band is wider than a pointwise
/// interval, because it holds everywhere at once.
///
/// # Panics
/// Panics if there are no runs, or if `confidence` is not between 0 and 1.
#[must_use]
pub fn ecdf_band(runs: u64, confidence: f64) -> f64 {
    assert!(
        runs > 0 && confidence > 0.0 && confidence < 1.0,
        "a band needs runs and a confidence between 0 and 1"
    );
    (libm::log(2.0 / (1.0 - confidence)) / (2.0 * runs as f64)).sqrt()
}

/// Returns a distribution-free confidence interval for the `share` quantile. The bounds are values
/// of the sample: the closest pair of order statistics with coverage at least `confidence` and
/// equal tail limits. Values must be in ascending order. `None` if the sample is too small.
///
/// Source: David and Nagaraja (2003), "Order Statistics", section 7.1, doi:10.1002/0471722162.
///
/// Limitations: conservative for small samples, because only sample values can be bounds.
#[must_use]
pub fn quantile_interval(sorted: &[f64], share: f64, confidence: f64) -> Option<Interval> {
    let (n, tail) = (sorted.len(), (1.0 - confidence) / 2.0);
    // P(X <= k) for a binomial X with n trials and probability `share`, from k = 0 upwards.
    let mut log_choose = 0.0;
    let mut cumulative = 0.0;
    let (mut low, mut high) = (None, None);
    for k in 0..=n {
        if k > 0 {
            log_choose += libm::log((n - k + 1) as f64) - libm::log(k as f64);
        }
        let log_p = log_choose + k as f64 * libm::log(share) + (n - k) as f64 * libm::log1p(-share);
        cumulative += libm::exp(log_p);
        // Lower rank: the greatest r with P(X < r) within the tail. Upper rank: the least s with
        // P(X >= s) within the tail.
        if cumulative <= tail && k < n {
            low = Some(k);
        }
        if high.is_none() && 1.0 - cumulative <= tail && k < n {
            high = Some(k);
        }
    }
    Some(Interval { low: sorted[low?], high: sorted[high?] })
}

/// Returns the success performance SP1: the mean evaluations of successful runs divided by the
/// success rate. `None` if there is no success.
///
/// Source: Auger and Hansen (2005), "Performance evaluation of an advanced local search
/// evolutionary algorithm", doi:10.1109/CEC.2005.1554903.
///
/// Limitations: assumes that unsuccessful runs cost as much as successful ones. The expected
/// running time uses their actual cost.
#[must_use]
pub fn success_performance(to_success: &[u64], trials: u64) -> Option<f64> {
    let successes = to_success.len() as f64;
    let mean = to_success.iter().map(|length| *length as f64).sum::<f64>() / successes;
    (!to_success.is_empty()).then_some(mean * trials as f64 / successes)
}
