//! Test of two samples that may differ in spread.

use super::Frequencies;
use super::beta::beta_distribution;
use super::superiority::Superiority;

/// Performs the two-sided test of Brunner and Munzel of whether a value of one sample exceeds one
/// of the other with a probability other than one half, with ties counting half. Returns its
/// p-value. It is 0 if all values of one sample exceed all of the other. `None` if a sample has
/// fewer than two values.
///
/// The test of Mann and Whitney is of equal distributions. With equal medians but unequal spreads
/// it rejects too often, above all if the larger sample has the smaller spread. This test divides
/// the estimated probability by its own standard error, and takes the quantiles of Student's
/// distribution, with the degrees of freedom of Satterthwaite.
///
/// Source: Brunner and Munzel (2000), "The nonparametric Behrens-Fisher problem: asymptotic theory
/// and a small-sample approximation", Biometrical Journal 42:17-25,
/// doi:10.1002/(SICI)1521-4036(200001)42:1<17::AID-BIMJ17>3.0.CO;2-U.
///
/// Limitations: an approximation, which rejects too often with fewer than ten values per sample.
#[must_use]
pub fn brunner_munzel(first: &Frequencies, second: &Frequencies) -> Option<f64> {
    if first.len() < 2 || second.len() < 2 {
        return None;
    }
    let Superiority { a, variances } = Superiority::of(first, second);
    let [n, m] = [first, second].map(|sample| sample.len() as f64);
    let parts = [variances[0].unwrap_or(0.0) / n, variances[1].unwrap_or(0.0) / m];
    let variance = parts[0] + parts[1];
    if variance == 0.0 {
        return Some(if a == 0.5 { 1.0 } else { 0.0 });
    }
    let free = variance.powi(2) / (parts[0].powi(2) / (n - 1.0) + parts[1].powi(2) / (m - 1.0));
    let squared = (a - 0.5).powi(2) / variance;
    Some(beta_distribution(0.5 * free, 0.5, free / (free + squared)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::mann_whitney;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn p(first: &[f64], second: &[f64]) -> Option<f64> {
        brunner_munzel(&first.iter().copied().collect(), &second.iter().copied().collect())
    }

    /// SciPy 1.17.1, `brunnermunzel`.
    #[test]
    fn p_values_are_those_of_another_program() {
        for (first, second, expected) in [
            (
                &[2.0, 3.0, 4.0, 5.0, 0.0][..],
                &[1.0, 5.0, 6.0, 2.0, 2.0, 6.0, 3.0][..],
                0.5865642046493859,
            ),
            (
                &[-0.54, 0.58, 0.36, 0.29, 0.03, 0.55, -0.74, -0.16, -0.48, 0.6, 0.04, -0.29][..],
                &[
                    -0.56, 0.49, 1.02, 0.45, 3.59, 3.01, -4.42, -2.78, 0.65, 0.16, 1.43, 1.43,
                    5.24, -1.22, 0.24, 5.09, 2.29, 2.33, -0.03, -2.3,
                ][..],
                0.12296149223522065,
            ),
            (
                &[
                    1.0, 0.0, 1.0, 1.0, 2.0, 2.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 1.0, 1.0, 2.0, 1.0,
                    2.0, 2.0, 0.0, 0.0, 1.0, 2.0, 0.0, 2.0, 2.0, 2.0, 2.0, 0.0, 1.0, 2.0,
                ][..],
                &[1.0, 0.0, 1.0, 0.0, 0.0, 2.0, 2.0, 2.0][..],
                0.6103510700187995,
            ),
            (&[1.0, 5.0, 4.0, 0.0][..], &[4.0, 7.0, 2.0, 6.0][..], 0.1736585478255125),
        ] {
            let found = p(first, second).expect("values");
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        }
    }

    #[test]
    fn what_lies_apart_or_ties_has_its_p() {
        assert_eq!(p(&[1.0, 2.0], &[3.0, 4.0, 5.0]), Some(0.0));
        assert_eq!(p(&[1.0; 3], &[1.0; 4]), Some(1.0));
        assert_eq!(p(&[1.0], &[3.0, 4.0, 5.0]), None);
        assert_eq!(p(&[f64::INFINITY, 1.0], &[f64::INFINITY, 1.0]), Some(1.0));
    }

    /// Samples with equal medians, of 10 and 50 values, whose spreads differ by 100. A rate of 7 %
    /// in 2,000 draws is 4.1 standard errors above 5 %, which has a probability of 2e-5. The test
    /// of Mann and Whitney rejects in 31 % of such draws.
    #[test]
    fn unequal_spreads_are_no_difference() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2000);
        let mut draw = |count: usize, spread: f64| -> Frequencies {
            (0..count).map(|_| spread * (rng.random::<f64>() - 0.5)).collect()
        };
        let (mut rejected, mut by_ranks) = (0, 0);
        for _ in 0..2_000 {
            let (wide, narrow) = (draw(10, 100.0), draw(50, 1.0));
            rejected += u64::from(brunner_munzel(&wide, &narrow).expect("values") <= 0.05);
            by_ranks += u64::from(mann_whitney(&wide, &narrow).expect("values").p <= 0.05);
        }
        assert!(rejected <= 140, "{rejected}");
        assert!(by_ranks > 400, "{by_ranks}");
    }
}
