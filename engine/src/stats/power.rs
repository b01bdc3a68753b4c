//! Sample sizes of comparisons.

use super::normal_quantile;

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

    #[test]
    fn trials_agree_with_the_formula_worked_out_elsewhere() {
        // Reference values computed in Python with SciPy's normal quantiles.
        assert_eq!(trials_to_tell(0.6, 0.7, 0.05, 0.9), Some(496.0));
        assert_eq!(trials_to_tell(0.5, 0.5, 0.05, 0.9), None);
        assert_eq!(pairs_to_tell(0.2, 0.2, 0.05, 0.9), None);
    }
}
