//! Standard normal distribution.

use std::f64::consts::SQRT_2;

/// Returns P(Z <= z) for a standard normal Z: erfc(-z / sqrt 2) / 2.
#[must_use]
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// Returns the z with P(Z <= z) = `probability`, 0 < `probability` < 1, accurate to the last few
/// bits.
///
/// Bisects [`normal_cdf`]. This is slower than a rational approximation (some microseconds), but
/// needs no table of constants. The bracket suffices because in f64 the distribution function is 0
/// or 1 beyond |z| = 38.
///
/// # Panics
/// Panics if `probability` is not between 0 and 1.
#[must_use]
pub fn normal_quantile(probability: f64) -> f64 {
    assert!(
        probability > 0.0 && probability < 1.0,
        "a normal quantile needs 0 < probability < 1, not {probability}"
    );
    // The search uses the lower half and mirrors it, because probabilities near 1 have few bits.
    if probability > 0.5 {
        return -normal_quantile(1.0 - probability);
    }
    let (mut low, mut high) = (-38.5, 0.0);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return high;
        }
        if normal_cdf(middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_match_published_values() {
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-14);
        assert!((normal_quantile(0.5)).abs() < 1e-15);
        assert!((normal_quantile(0.995) - 2.575_829_303_548_901).abs() < 1e-13);
        assert!((normal_quantile(0.025) + 1.959_963_984_540_054).abs() < 1e-14);
    }
}
