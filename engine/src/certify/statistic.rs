//! Statistics of checks: the result, and its probability if the operator is right.

use statrs::distribution::{ChiSquared, ContinuousCDF};
use std::collections::BTreeMap;

/// Result of a test.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    pub statistic: String,
    /// p-value; `None` if nothing was drawn at random.
    pub p: Option<f64>,
    /// Whether every promise without exceptions held.
    pub held: bool,
}

impl Finding {
    /// Returns the result for a promise that must hold in all `cases`.
    pub(super) fn promise(cases: u64, breaches: u64) -> Self {
        let statistic = match breaches {
            0 => format!("{cases} cases, no violation"),
            _ => format!("{breaches} violations in {cases} cases"),
        };
        Finding { statistic, p: None, held: breaches == 0 }
    }

    /// Adds a promise that must also hold.
    pub(super) fn and(mut self, held: bool, broken: &str) -> Self {
        if !held {
            self.statistic = format!("{}; {broken}", self.statistic);
            self.held = false;
        }
        self
    }

    pub(super) fn noting(mut self, words: &str) -> Self {
        self.statistic = format!("{}; {words}", self.statistic);
        self
    }
}

/// Applies Pearson's chi-square test of counts against expected counts (Pearson 1900,
/// doi:10.1080/14786440009463897). Classes with an expected count below 5 are merged. A count in a
/// class with expected count 0 fails the test.
pub(super) fn chi_square(counts: &[f64], expected: &[f64]) -> Finding {
    let (mut sum, mut classes, mut rare) = (0.0, 0u32, (0.0, 0.0));
    let mut impossible = 0.0;
    for (count, expected) in counts.iter().zip(expected) {
        if *expected <= 0.0 {
            impossible += count;
        } else if *expected < 5.0 {
            rare = (rare.0 + count, rare.1 + expected);
        } else {
            sum += (count - expected).powi(2) / expected;
            classes += 1;
        }
    }
    if rare.1 > 0.0 {
        sum += (rare.0 - rare.1).powi(2) / rare.1.max(1.0);
        classes += 1;
    }
    let freedom = f64::from(classes.max(2) - 1);
    let finding = Finding {
        statistic: format!("chi-square {sum:.1}, {freedom} d.f."),
        p: Some(chi_square_tail(sum, freedom)),
        held: true,
    };
    finding.and(impossible == 0.0, &format!("{impossible} impossible outcomes"))
}

/// Returns the probability that chi-square with `freedom` degrees of freedom is at least `sum`.
pub(super) fn chi_square_tail(sum: f64, freedom: f64) -> f64 {
    ChiSquared::new(freedom).map_or(f64::NAN, |distribution| distribution.sf(sum))
}

/// Tests counts of outcomes against their probabilities.
pub(super) fn outcomes(
    counts: &BTreeMap<Vec<u8>, f64>,
    chances: &BTreeMap<Vec<u8>, f64>,
) -> Finding {
    let total: f64 = counts.values().sum();
    let counted: Vec<f64> =
        chances.keys().map(|outcome| counts.get(outcome).copied().unwrap_or(0.0)).collect();
    let expected: Vec<f64> = chances.values().map(|chance| chance * total).collect();
    let strange: f64 =
        counts.iter().filter(|(outcome, _)| !chances.contains_key(*outcome)).map(|(_, n)| n).sum();
    let finding = chi_square(&counted, &expected);
    let words = format!("{} outcomes, {}", chances.len(), finding.statistic);
    Finding { statistic: words, ..finding }
        .and(strange == 0.0, &format!("{strange} impossible outcomes of {total}"))
}

/// Tests the number of hits among trials with the same probability.
pub(super) fn share(hits: f64, trials: f64, chance: f64) -> Finding {
    let finding = chi_square(&[hits, trials - hits], &[trials * chance, trials * (1.0 - chance)]);
    Finding { statistic: format!("{:.5} of {trials}, {chance} expected", hits / trials), ..finding }
}

/// Applies the test of Kolmogorov (1933) and Smirnov to numbers and a continuous distribution. Uses
/// the asymptotic tail, so there must be at least a few hundred numbers.
pub(super) fn kolmogorov_smirnov(numbers: &mut [f64], cdf: impl Fn(f64) -> f64) -> Finding {
    numbers.sort_unstable_by(f64::total_cmp);
    let count = numbers.len() as f64;
    let distance = |(place, number): (usize, &f64)| {
        let due = cdf(*number);
        (due - place as f64 / count).abs().max((due - (place + 1) as f64 / count).abs())
    };
    let greatest = numbers.iter().enumerate().map(distance).fold(0.0, f64::max);
    let scaled = greatest * count.sqrt();
    let term = |k: i32| {
        let k = f64::from(k);
        (-2.0 * (k * scaled).powi(2)).exp() * if k % 2.0 == 0.0 { -2.0 } else { 2.0 }
    };
    let p = if scaled < 0.2 { 1.0 } else { (1..100).map(term).sum::<f64>().clamp(0.0, 1.0) };
    Finding {
        statistic: format!("Kolmogorov-Smirnov {greatest:.4} of {count}"),
        p: Some(p),
        held: greatest.is_finite(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_match_published_values() {
        // Critical values at 5 %: chi-square 3.841 and 18.307 (1 and 10 d.f.), Kolmogorov 1.3581.
        assert!((chi_square_tail(3.841_459, 1.0) - 0.05).abs() < 1e-7);
        assert!((chi_square_tail(18.307_038, 10.0) - 0.05).abs() < 1e-7);
        // 100 numbers with greatest distance 0.13581 from uniform.
        let mut numbers: Vec<f64> =
            (0..100).map(|place| (f64::from(place) + 0.5) / 100.0).collect();
        numbers.iter_mut().for_each(|number| *number = (*number - 0.130_81).max(0.0));
        let finding = kolmogorov_smirnov(&mut numbers, |number| number.clamp(0.0, 1.0));
        assert!((finding.p.expect("drawn") - 0.05).abs() < 1e-3, "{finding:?}");
    }

    #[test]
    fn what_cannot_be_fails() {
        assert!(!chi_square(&[10.0, 1.0], &[11.0, 0.0]).held);
        assert!(chi_square(&[11.0, 0.0], &[11.0, 0.0]).held);
        let counts = BTreeMap::from([(vec![1], 5.0), (vec![2], 5.0)]);
        assert!(!outcomes(&counts, &BTreeMap::from([(vec![1], 1.0)])).held);
    }
}
