//! The standard normal distribution.

use std::f64::consts::SQRT_2;

/// P(Z <= z) of a standard normal Z: erfc(-z / sqrt 2) / 2.
#[must_use]
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// The z with P(Z <= z) = `probability`, 0 < `probability` < 1, to within the last few bits.
///
/// By bisection of [`normal_cdf`]: slower than a rational approximation (some microseconds), but
/// without a table of constants to trust. Beyond |z| = 38 the distribution function is 0 or 1 in
/// f64, hence the bracket.
///
/// # Panics
/// If `probability` is not between 0 and 1.
#[must_use]
pub fn normal_quantile(probability: f64) -> f64 {
    assert!(
        probability > 0.0 && probability < 1.0,
        "a normal quantile needs 0 < probability < 1, not {probability}"
    );
    // The upper half has few bits near 1, so that the lower half is searched and mirrored.
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
