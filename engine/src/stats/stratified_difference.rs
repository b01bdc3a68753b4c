//! Stratified difference of two rates.

use super::{Interval, Stratum, normal_quantile};

/// Returns the stratified difference of two rates, first minus second, with the score interval of
/// Miettinen and Nurminen. Each stratum has the Mantel-Haenszel weight n m / (n + m), for n and m
/// trials. Strata with trials of only one arm have no weight.
///
/// The interval contains the differences d that the test |Σ w (p - q - d)| <= z sqrt(Σ w² V(d))
/// does not reject. V(d) is the variance of p - q, times N / (N - 1) for the stratum's N trials. It
/// uses the maximum-likelihood rates of the stratum under the constraint that they differ by d.
///
/// At d = 0 this is the Cochran-Mantel-Haenszel test without continuity correction, which is valid
/// for strata of any size. With one stratum, the interval is that of Miettinen and Nurminen for two
/// rates.
///
/// If the differences vary between strata, the estimate is their weighted mean. With equally many
/// trials everywhere, it is their plain mean. The interval is then wider than necessary, because
/// rates constrained to a common difference have a greater variance.
///
/// Source: Miettinen and Nurminen (1985), "Comparative analysis of two rates", Statistics in
/// Medicine 4:213-226, doi:10.1002/sim.4780040211; weights: Mantel and Haenszel (1959),
/// "Statistical aspects of the analysis of data from retrospective studies of disease", Journal of
/// the National Cancer Institute 22:719-748, doi:10.1093/jnci/22.4.719.
///
/// Limitations: approximate; coverage oscillates around `confidence`.
///
/// `None` if no stratum has trials of both arms.
///
/// # Panics
/// Panics if `confidence` is not between 0 and 1.
#[must_use]
pub fn stratified_difference(strata: &[Stratum], confidence: f64) -> Option<(f64, Interval)> {
    let z = normal_quantile(0.5 + 0.5 * confidence);
    let (strata, total) = weighted(strata)?;
    let estimate = strata.iter().map(|one| one.weight * (one.p() - one.q())).sum::<f64>() / total;
    let mirrored: Vec<Weighted> = strata.iter().map(Weighted::mirrored).collect();
    let high = upper(&strata, estimate, total, z);
    let low = -upper(&mirrored, -estimate, total, z);
    Some((estimate, Interval { low: low.max(-1.0), high: high.min(1.0) }))
}

/// Successes and trials of both arms, and the weight of their difference.
struct Weighted {
    first: (f64, f64),
    second: (f64, f64),
    weight: f64,
}

/// Returns the strata that have a weight, and the sum of the weights; `None` if there are none.
fn weighted(strata: &[Stratum]) -> Option<(Vec<Weighted>, f64)> {
    let real = |(successes, trials): (u64, u64)| (successes as f64, trials as f64);
    let both = strata.iter().filter(|one| one.first.1 > 0 && one.second.1 > 0);
    let strata: Vec<Weighted> = both
        .map(|one| {
            let (first, second) = (real(one.first), real(one.second));
            Weighted { first, second, weight: first.1 * second.1 / (first.1 + second.1) }
        })
        .collect();
    let total: f64 = strata.iter().map(|one| one.weight).sum();
    (!strata.is_empty()).then_some((strata, total))
}

impl Weighted {
    fn p(&self) -> f64 {
        self.first.0 / self.first.1
    }

    fn q(&self) -> f64 {
        self.second.0 / self.second.1
    }

    fn mirrored(&self) -> Weighted {
        Weighted { first: self.second, second: self.first, weight: self.weight }
    }

    /// Returns the variance of the difference if it were `d`, at the maximum-likelihood rates.
    fn variance(&self, d: f64) -> f64 {
        let (n, m) = (self.first.1, self.second.1);
        let q = self.likeliest(d);
        let p = (q + d).clamp(0.0, 1.0);
        let all = n + m;
        (p * (1.0 - p) / n + q * (1.0 - q) / m) * all / (all - 1.0)
    }

    /// Returns the maximum-likelihood rate of the second arm if the first arm's rate is greater by
    /// `d`. The derivative of the log-likelihood decreases, and the rate is its root.
    fn likeliest(&self, d: f64) -> f64 {
        let ((x, n), (y, m)) = (self.first, self.second);
        let term = |count: f64, rate: f64| if count == 0.0 { 0.0 } else { count / rate };
        let slope =
            |q: f64| term(x, q + d) - term(n - x, 1.0 - q - d) + term(y, q) - term(m - y, 1.0 - q);
        let (mut low, mut high) = ((-d).max(0.0), (1.0 - d).min(1.0));
        while high - low > 1e-15 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if slope(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }
}

/// Returns the greatest difference that the score test does not reject, by bisection.
fn upper(strata: &[Weighted], estimate: f64, total: f64, z: f64) -> f64 {
    let rejected = |d: f64| {
        let variance: f64 =
            strata.iter().map(|one| one.weight * one.weight * one.variance(d)).sum();
        total * (d - estimate) > z * variance.max(0.0).sqrt()
    };
    let (mut inside, mut out) = (estimate, 1.0);
    if !rejected(out) {
        return out;
    }
    while out - inside > 1e-13 {
        let middle = 0.5 * (inside + out);
        if middle <= inside || middle >= out {
            break;
        }
        if rejected(middle) {
            out = middle;
        } else {
            inside = middle;
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{normal_cdf, wilson};

    fn stratum(first: (u64, u64), second: (u64, u64)) -> Stratum {
        Stratum { first, second }
    }

    #[test]
    fn the_estimate_is_that_of_mantel_and_haenszel() {
        // Weights 20 * 10 / 30 and 5 * 15 / 20.
        let strata = [stratum((10, 20), (2, 10)), stratum((5, 5), (3, 15))];
        let (estimate, interval) = stratified_difference(&strata, 0.95).expect("trials");
        let expected = (200.0 / 30.0 * 0.3 + 3.75 * 0.8) / (200.0 / 30.0 + 3.75);
        assert!((estimate - expected).abs() < 1e-15);
        assert!(-1.0 < interval.low && interval.low < estimate && estimate < interval.high);
        assert_eq!(stratified_difference(&[stratum((3, 4), (0, 0))], 0.95), None);
        assert_eq!(stratified_difference(&[], 0.95), None);
    }

    #[test]
    fn nothing_is_certain_where_all_trials_succeed_or_none_does() {
        for successes in [0, 12] {
            let strata = vec![stratum((successes, 12), (successes, 12)); 5];
            let (estimate, interval) = stratified_difference(&strata, 0.95).expect("trials");
            assert_eq!(estimate, 0.0);
            // Equals the bound of 60 trials in one stratum, except for the factor N / (N - 1) = 24
            // / 23.
            let one = wilson(0, 60, 0.95).expect("trials").high;
            assert!((interval.high + interval.low).abs() < 1e-12);
            assert!(interval.high > one && interval.high < one * 1.05, "{interval:?} {one}");
        }
        let (estimate, interval) =
            stratified_difference(&[stratum((9, 9), (0, 7)), stratum((2, 2), (0, 1))], 0.95)
                .expect("trials");
        assert_eq!((estimate, interval.high), (1.0, 1.0));
        assert!(interval.low > 0.5 && interval.low < 0.9, "{interval:?}");
    }

    /// Compares the interval with the test, and checks that exchanging the arms changes the sign.
    #[test]
    fn zero_is_in_the_interval_exactly_when_cochran_mantel_and_haenszel_do_not_reject() {
        for successes in 0..=36_u64 {
            let (a, b) = (successes % 7, successes % 4);
            let strata = [
                stratum((a, 6), (successes / 9, 9)),
                stratum((b, 3), (1, 2)),
                stratum((1, 1), (b % 2, 1)),
            ];
            let (_, interval) = stratified_difference(&strata, 0.9).expect("trials");
            let other: Vec<Stratum> =
                strata.iter().map(|one| stratum(one.second, one.first)).collect();
            let (_, mirrored) = stratified_difference(&other, 0.9).expect("trials");
            assert_eq!((mirrored.low, mirrored.high), (-interval.high, -interval.low));
            let (mut score, mut variance) = (0.0, 0.0);
            for one in &strata {
                let (n, m) = (one.first.1 as f64, one.second.1 as f64);
                let (k, all) = ((one.first.0 + one.second.0) as f64, n + m);
                score += one.first.0 as f64 - n * k / all;
                variance += n * m * k * (all - k) / (all * all * (all - 1.0));
            }
            let p =
                if variance > 0.0 { 2.0 * normal_cdf(-score.abs() / variance.sqrt()) } else { 1.0 };
            let holds = interval.low <= 0.0 && 0.0 <= interval.high;
            assert_eq!(holds, p > 0.1, "{strata:?}: {interval:?}, p {p}");
        }
    }
}
