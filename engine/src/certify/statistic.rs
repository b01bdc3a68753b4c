//! Statistics of checks: the result, and its probability if the operator is right.

use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, DiscreteCDF};
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

/// Least expected count of a class that is not merged with others.
const RARE: f64 = 5.0;
/// Least expected count of a class of the chi-square test, if there are fewer than [`MANY`]. The
/// counts of rarer classes are so skewed that far tails of chi-square are too small, by a factor
/// of 100 at 3 expected.
const COMMON: f64 = 50.0;
/// Number of classes from which a single rare one does not decide far tails.
const MANY: usize = 20;

/// Tests counts against expected counts: common classes by Pearson's chi-square test (Pearson 1900,
/// doi:10.1080/14786440009463897), given their sum; each rare one by its exact binomial
/// distribution, after those below [`RARE`] are merged. The p-value is the smallest of them times
/// their number (Bonferroni). A count in a class with expected count 0 fails the test.
pub(super) fn chi_square(counts: &[f64], expected: &[f64]) -> Finding {
    let classes = || counts.iter().copied().zip(expected.iter().copied());
    let add = |sum: (f64, f64), one: (f64, f64)| (sum.0 + one.0, sum.1 + one.1);
    let all = classes().filter(|(_, due)| *due > 0.0).fold((0.0, 0.0), add);
    let impossible: f64 = classes().filter(|(_, due)| *due <= 0.0).map(|(count, _)| count).sum();
    let several = classes().filter(|(_, due)| *due >= RARE).count();
    let limit = if several < MANY { COMMON } else { RARE };
    let common = || classes().filter(|(_, due)| *due >= limit);
    let (found, due) = common().fold((0.0, 0.0), add);
    let sum: f64 = common()
        .map(|(count, one)| (count, one * found / due))
        .map(|(count, one)| (count - one).powi(2) / one)
        .sum();
    let freedom = common().count().max(2) as f64 - 1.0;
    let merged = classes().filter(|(_, due)| *due > 0.0 && *due < RARE).fold((0.0, 0.0), add);
    let rarer = classes().filter(|(_, due)| (RARE..limit).contains(due));
    let rarer = rarer.chain((merged.1 > 0.0).then_some(merged));
    let tails = rarer.map(|(count, due)| binomial_tails(count, all.0, due / all.1));
    let each: Vec<f64> = tails.chain([chi_square_tail(sum, freedom)]).collect();
    let rarest = match each.len() {
        1 => String::new(),
        2 => ", 1 rare class".to_owned(),
        several => format!(", {} rare classes", several - 1),
    };
    let finding = Finding {
        statistic: format!("chi-square {sum:.1}, {freedom} d.f.{rarest}"),
        p: Some(bonferroni(&each)),
        held: true,
    };
    let found = all.0 + impossible;
    finding
        .and(impossible == 0.0, &format!("{impossible} impossible outcomes"))
        .and((found - all.1).abs() <= 1e-3 * all.1, &format!("{found} counted, not {}", all.1))
}

/// Returns the p-value of several tests together: the smallest times their number, at most 1.
pub(super) fn bonferroni(all: &[f64]) -> f64 {
    (all.iter().copied().fold(1.0, f64::min) * all.len() as f64).min(1.0)
}

/// Returns twice the smaller tail of a count among `all` cases that are hits with probability
/// `chance`, at most 1.
fn binomial_tails(count: f64, all: f64, chance: f64) -> f64 {
    let Ok(distribution) = Binomial::new(chance, all as u64) else { return 1.0 };
    let most = distribution.cdf(count as u64);
    // At least `count` is more than one less.
    let least = if count < 1.0 { 1.0 } else { distribution.sf(count as u64 - 1) };
    (2.0 * most.min(least)).min(1.0)
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
    let held = numbers.iter().all(|number| !number.is_nan());
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
    Finding { statistic: format!("Kolmogorov-Smirnov {greatest:.4} of {count}"), p: Some(p), held }
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
    fn far_tails_of_rare_classes_are_exact() {
        // A class of 3.4 expected of 100,000: chi-square with two classes would say 5e-13.
        let expected = [3.4, 99_996.6];
        let finding = chi_square(&[17.0, 99_983.0], &expected);
        // P(Poisson(3.4) >= 17) = 1.25e-7, by its series; twice, for two tails and for two tests.
        let p = finding.p.expect("drawn");
        assert!((p / (4.0 * 1.25e-7) - 1.0).abs() < 0.05, "{p:e}");
        // A rare class that is never met, and one among many common ones.
        let p = chi_square(&[0.0, 100_000.0], &[20.0, 99_980.0]).p.expect("drawn");
        assert!((p / (4.0 * 2.06e-9) - 1.0).abs() < 0.05, "{p:e}");
        let even = chi_square(&[100.0, 100.0, 100.0, 3.0], &[100.0, 100.0, 100.0, 3.0]);
        assert_eq!(
            (even.p, even.statistic.as_str()),
            (Some(1.0), "chi-square 0.0, 2 d.f., 1 rare class")
        );
    }

    #[test]
    fn too_few_counts_fail() {
        assert!(!chi_square(&[0.0, 0.0], &[50.0, 50.0]).held);
        assert!(!chi_square(&[25.0, 25.0], &[50.0, 50.0]).held);
    }

    #[test]
    fn numbers_that_are_none_fail() {
        let mut numbers: Vec<f64> = (0..200).map(|place| f64::from(place) / 200.0).collect();
        numbers[7] = f64::NAN;
        assert!(!kolmogorov_smirnov(&mut numbers, |number| number.clamp(0.0, 1.0)).held);
    }

    #[test]
    fn what_cannot_be_fails() {
        assert!(!chi_square(&[10.0, 1.0], &[11.0, 0.0]).held);
        assert!(chi_square(&[11.0, 0.0], &[11.0, 0.0]).held);
        let counts = BTreeMap::from([(vec![1], 5.0), (vec![2], 5.0)]);
        assert!(!outcomes(&counts, &BTreeMap::from([(vec![1], 1.0)])).held);
    }
}
