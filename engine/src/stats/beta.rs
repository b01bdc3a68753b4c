//! Beta distribution, by `libm` alone, so that its quantiles are the same bits on every machine.

use libm::{exp, lgamma, log, log1p};

/// Returns the quantile of the beta distribution with the shapes `a` and `b`, both above 0. `share`
/// is between 0 and 1. Bisects to neighbouring numbers.
pub(super) fn beta_quantile(a: f64, b: f64, share: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if beta_distribution(a, b, middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Returns the probability that a beta variable with the shapes `a` and `b` is at most `at`. This
/// is the regularised incomplete beta function. `at` is between 0 and 1.
///
/// Source: the continued fraction 8.17.22 of Olver, Lozier, Boisvert and Clark (2010), "NIST
/// Handbook of Mathematical Functions", ISBN 978-0-521-14063-8.
pub(super) fn beta_distribution(a: f64, b: f64, at: f64) -> f64 {
    if at <= 0.0 || at >= 1.0 {
        return if at <= 0.0 { 0.0 } else { 1.0 };
    }
    let scale = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(at) + b * log1p(-at));
    // The fraction converges fast on the near side of the mean.
    match at < (a + 1.0) / (a + b + 2.0) {
        true => scale / (a * fraction(a, b, at)),
        false => 1.0 - scale / (b * fraction(b, a, 1.0 - at)),
    }
}

/// Evaluates the continued fraction from its front: each step multiplies by the ratio of two
/// successive convergents.
fn fraction(a: f64, b: f64, at: f64) -> f64 {
    const TINY: f64 = 1e-300;
    // Some 4,000 steps are needed for shapes of 1e9.
    const MOST_STEPS: f64 = 1e7;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut value, mut up, mut down) = (1.0, 1.0, 0.0);
    let mut ratio = |coefficient: f64| {
        down = 1.0 / away_from_zero(1.0 + coefficient * down);
        up = away_from_zero(1.0 + coefficient / up);
        up * down
    };
    let mut m = 0.0;
    loop {
        let odd = -(a + m) * (a + b + m) * at / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        m += 1.0;
        let even = m * (b - m) * at / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let [first, second] = [odd, even].map(&mut ratio);
        value *= first * second;
        if (first * second - 1.0).abs() < 1e-15 || m >= MOST_STEPS {
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A beta variable with integer shapes is at most x exactly when at least `a` of `a + b - 1`
    /// uniform numbers are: a binomial tail.
    #[test]
    fn tails_are_those_of_the_binomial_distribution() {
        for (a, b) in [(1u32, 1u32), (1, 40), (7, 3), (7, 60), (50, 50), (120, 1)] {
            for at in [0.001, 0.05, 0.3, 0.5, 0.72, 0.99] {
                let n = a + b - 1;
                let ways =
                    |k: u32| (0..k).fold(1.0, |ways, i| ways * f64::from(n - i) / f64::from(i + 1));
                let tail: f64 = (a..=n)
                    .map(|k| {
                        ways(k) * f64::powi(at, k as i32) * f64::powi(1.0 - at, (n - k) as i32)
                    })
                    .sum();
                let found = beta_distribution(f64::from(a), f64::from(b), at);
                assert!((found - tail).abs() < 1e-12, "{a} {b} {at}: {found} {tail}");
            }
        }
    }

    #[test]
    fn quantiles_invert_the_distribution() {
        for (a, b) in [(1.0, 1.0), (7.0, 994.0), (7.0, 1e9), (3e8, 7e8)] {
            for share in [1e-6, 0.025, 0.5, 0.975] {
                let at = beta_quantile(a, b, share);
                let back = beta_distribution(a, b, at);
                assert!((back - share).abs() < 1e-6 * share, "{a} {b} {share}: {at} {back}");
            }
        }
        assert!((beta_quantile(1.0, 4.0, 0.975) - (1.0 - 0.025f64.powf(0.25))).abs() < 1e-14);
        assert_eq!(
            [beta_distribution(2.0, 3.0, 0.0), beta_distribution(2.0, 3.0, 1.0)],
            [0.0, 1.0]
        );
    }
}
