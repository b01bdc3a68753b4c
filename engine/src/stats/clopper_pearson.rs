//! Exact confidence interval of a rate.

use super::Interval;
use super::beta::beta_quantile;

/// Returns the Clopper-Pearson interval: the rates that neither one-sided binomial test of level
/// `(1 - confidence)/2` rejects. The lower bound solves `I(p; k, n-k+1) = (1 - confidence)/2`. The
/// upper bound solves `I(p; k+1, n-k) = (1 + confidence)/2`. I is the regularised incomplete beta
/// function.
///
/// Source: Clopper and Pearson (1934), "The use of confidence or fiducial limits illustrated in the
/// case of the binomial", Biometrika 26:404-413, doi:10.1093/biomet/26.4.404.
///
/// Limitations: conservative. Coverage is at least `confidence`, and usually well above it. The
/// interval is wider than Wilson's.
///
/// `None` if there are no trials.
///
/// # Panics
/// Panics if there are more successes than trials.
#[must_use]
pub fn clopper_pearson(successes: u64, trials: u64, confidence: f64) -> Option<Interval> {
    assert!(successes <= trials, "{successes} successes of {trials} trials");
    if trials == 0 {
        return None;
    }
    let (k, n, tail) = (successes as f64, trials as f64, (1.0 - confidence) / 2.0);
    Some(Interval {
        low: if successes == 0 { 0.0 } else { beta_quantile(k, n - k + 1.0, tail) },
        high: if successes == trials { 1.0 } else { beta_quantile(k + 1.0, n - k, 1.0 - tail) },
    })
}
