//! Strata: two operator sets at several swept values, compared over all values.

use super::criterion::{Criterion, Found, Test, Tests, Two, alike};
use super::pair::{Comparison, Place};
use super::sample::{Sample, one_is_exact, within};
use crate::analysis::{Difference, DifferenceMethod, Verdict, rates_apart_at};
use crate::stats::{
    Distribution, Frequencies, Interval, Rounded, Stratum, cluster_factor, cochran_mantel_haenszel,
    cochran_score, stratified_difference, van_elteren, weighed_difference, weighed_mcnemar,
};
use std::collections::BTreeSet;

/// Two arms in each stratum in which both have trials.
struct Strata<'a> {
    all: Vec<Two<'a>>,
    method: DifferenceMethod,
    confidence: f64,
    /// Whether trial k of a problem starts from the same genomes in several strata.
    common_starts: bool,
}

/// Compares two arms over several strata. `None` if both have trials in fewer than two. Differences
/// are weighted by n m / (n + m) for n and m trials, or by the number of pairs.
pub(super) fn over(
    names: [&str; 2],
    pairs: &[(&Sample, &Sample)],
    paired: bool,
) -> Option<Comparison> {
    // One method for all values.
    let paired = paired || pairs.iter().any(|(first, second)| one_is_exact(first, second));
    let of_pairs = || pairs.iter().map(|(first, second)| Two::of(first, second, paired));
    let all: Vec<Two<'_>> = of_pairs().filter(|two| two.rates().is_some()).collect();
    let first = all.first().filter(|_| all.len() > 1)?;
    let (method, confidence) = (first.method, first.confidence());
    let problems: BTreeSet<&str> = all.iter().map(|two| two.first.problem.as_str()).collect();
    let common_starts = all[0].first.common && problems.len() < all.len();
    let strata = Strata { method, confidence, common_starts, all };
    let tests = strata.tests();
    let failures = pairs
        .iter()
        .fold((0, 0), |sum, (first, second)| (sum.0 + first.failures, sum.1 + second.failures));
    let extremes = match failures {
        (0, 0) => [tests; 2],
        // Values at which all trials failed count, too.
        _ => [false, true].map(|success| strata.settled(of_pairs().collect(), success)),
    };
    Some(strata.comparison(names, tests, failures, extremes))
}

impl<'a> Strata<'a> {
    fn comparison(
        &self,
        names: [&str; 2],
        tests: Tests,
        failures: (u64, u64),
        extremes: [Tests; 2],
    ) -> Comparison {
        let (difference, _) = self.rates();
        let rates = self.weighted_rates();
        let trials = self.all.iter().fold((0, 0), |sum, two| {
            let (first, second) = counted(two);
            (sum.0 + first, sum.1 + second)
        });
        Comparison {
            first: names[0].to_owned(),
            second: names[1].to_owned(),
            place: Place::Over { strata: self.all.len() as u64 },
            trials,
            rates,
            difference: difference.value,
            difference_interval: difference.interval,
            method: self.method,
            confidence: self.confidence,
            tests,
            effect: self.effect(),
            effect_interval: None,
            speed: None,
            fitness: None,
            ert_ratio: None,
            defines_success: self.all.iter().all(Two::defines_success),
            fitness_known: self.all.iter().all(|two| two.fitness_known),
            same_trials: self.all.iter().any(|two| two.same_trials),
            verdict: Verdict::Unclear,
            criterion: None,
            failures,
            if_against: Verdict::Unclear,
            if_for: Verdict::Unclear,
            needed: None,
            budget: self.all.iter().filter_map(Two::lesser_budget).min(),
            rates_at_end: false,
            extremes,
            asked: false,
            against_baseline: false,
            one_is_exact: self.all.iter().any(|two| two.one_is_exact),
            alone: None,
            deviation: self.deviation(),
        }
    }

    /// Returns the tests over `pairs` if every failure counted for the first arm (`success`), or
    /// against it.
    fn settled(&self, pairs: Vec<Two<'_>>, success: bool) -> Tests {
        let samples: Vec<[Sample; 2]> = pairs
            .iter()
            .map(|two| [two.first.settled(success), two.second.settled(!success)])
            .collect();
        let all = pairs.iter().zip(&samples);
        let all = all.map(|(two, [first, second])| two.settled(first, second));
        let all = all.filter(|two| two.rates().is_some()).collect();
        Strata { all, ..*self }.tests()
    }

    fn tests(&self) -> Tests {
        if self.all.iter().any(|two| two.same_trials) {
            return [None; 3];
        }
        let differ = self.method.is_anytime() || self.all.iter().any(Two::outcomes_differ);
        let rates = differ.then(|| self.rates()).map(|(difference, p)| (difference.value, p));
        let [evaluations, fitness] = [self.evaluations(), self.final_fitness()];
        [rates.map(Test::exact), evaluations.map(Test::of), fitness.map(Test::of)]
    }

    /// Returns the difference of the rates, and the p-value of no difference.
    fn rates(&self) -> (Difference, f64) {
        let of = |value, interval| Difference {
            value,
            interval,
            method: self.method,
            confidence: self.confidence,
        };
        let none = (0.0, Interval { low: -1.0, high: 1.0 });
        match self.method {
            DifferenceMethod::Independent => {
                let strata = self.counts();
                let (value, interval) =
                    stratified_difference(&strata, self.confidence).unwrap_or(none);
                (of(value, interval), cochran_mantel_haenszel(&strata))
            }
            DifferenceMethod::Paired => {
                let (first, second, all) = self.alone();
                let (value, interval) =
                    weighed_difference(first, second, all, self.confidence).unwrap_or(none);
                (of(value, interval), weighed_mcnemar(first, second))
            }
            DifferenceMethod::Sequence | DifferenceMethod::PairedSequence => {
                let (value, interval) = self.by_all_intervals(1.0 - self.confidence);
                (of(value, interval), self.by_inversion())
            }
        }
    }

    fn counts(&self) -> Vec<Stratum> {
        let of = |two: &Two<'_>| {
            let [first, second] = two.successes();
            Stratum { first: (first, two.first.trials()), second: (second, two.second.trials()) }
        };
        self.all.iter().map(of).collect()
    }

    /// Returns the numbers of pairs in which only the first succeeded, only the second did, and all
    /// pairs. Each is divided by the factor by which common starts increase the variance.
    fn alone(&self) -> (f64, f64, f64) {
        let factor = self.factor(|ours, theirs| {
            f64::from(i8::from(ours.0.is_finite()) - i8::from(theirs.0.is_finite()))
        });
        let sum = self.all.iter().filter_map(|two| two.pairs).fold([0; 3], |sum, pairs| {
            [sum[0] + pairs.alone.0, sum[1] + pairs.alone.1, sum[2] + pairs.all]
        });
        let [first, second, all] = sum.map(|count| count as f64 / factor);
        (first, second, all)
    }

    /// Returns the factor by which common starts increase the variance of a sum over all pairs:
    /// trial k of a problem starts from the same genomes in several strata. `value` is the value of
    /// a pair, from evaluations to success and final fitness of both.
    fn factor(&self, value: impl Fn((f64, f64), (f64, f64)) -> f64) -> f64 {
        if !self.common_starts {
            return 1.0;
        }
        let strata: Vec<Vec<((&str, u64), f64)>> = self
            .all
            .iter()
            .map(|two| {
                let of = |sample: &Sample, trial: u64| {
                    let length = sample.run_lengths.get(trial)?;
                    let fitness = sample.fitness_within(two.horizon);
                    let fitness = fitness.and_then(|fitness| fitness.get(trial));
                    Some((within(length, two.horizon), fitness.unwrap_or(0.0)))
                };
                let pair = |trial: u64| {
                    let (ours, theirs) = (of(two.first, trial)?, of(two.second, trial)?);
                    Some(((two.first.problem.as_str(), trial), value(ours, theirs)))
                };
                two.first.run_lengths.trials().filter_map(pair).collect()
            })
            .collect();
        cluster_factor(&strata)
    }

    /// Returns the weighted difference if outcomes ended the trials. Its interval combines the
    /// intervals of all strata, each at its share of `level` (Bonferroni). It is valid for any
    /// weights that result from the numbers of trials.
    fn by_all_intervals(&self, level: f64) -> (f64, Interval) {
        let confidence = 1.0 - level / self.all.len() as f64;
        let (mut value, mut low, mut high, mut weights) = (0.0, 0.0, 0.0, 0.0);
        for two in &self.all {
            let counts = two.counts();
            let Some((found, _)) = rates_apart_at(counts, two.stopping_rule, confidence) else {
                continue;
            };
            let weight = weight(two);
            value += weight * found.value;
            low += weight * found.interval.low;
            high += weight * found.interval.high;
            weights += weight;
        }
        (value / weights, Interval { low: low / weights, high: high / weights })
    }

    /// Returns the least level at which that interval excludes 0, to a hundredth of its logarithm.
    fn by_inversion(&self) -> f64 {
        /// Least natural logarithm; smaller p-values are not searched.
        const LEAST: f64 = -30.0;
        let tells = |log: f64| {
            let (_, interval) = self.by_all_intervals(libm::exp(log).min(0.999_999));
            interval.low > 0.0 || interval.high < 0.0
        };
        if !tells(0.0) {
            return 1.0;
        }
        let (mut out, mut inside) = (LEAST, 0.0);
        if tells(out) {
            return libm::exp(out);
        }
        while inside - out > 0.01 {
            let middle = 0.5 * (inside + out);
            if tells(middle) {
                inside = middle;
            } else {
                out = middle;
            }
        }
        libm::exp(inside)
    }

    /// Tests which arm needs fewer evaluations: van Elteren's test; for pairs the sign test over
    /// all pairs. `None` if outcomes ended the trials.
    fn evaluations(&self) -> Option<Found> {
        if self.method.is_anytime() {
            return None;
        }
        if self.method.is_paired() {
            let counts = self.all.iter().filter_map(|two| two.pairs).map(|pairs| pairs.faster);
            return self.signs(counts, |ours, theirs| sign(ours.0, theirs.0));
        }
        let lengths: Vec<_> = self.all.iter().map(Two::lengths).collect();
        let mut ends = lengths.iter().copied().flatten().filter_map(Frequencies::ends);
        if ends.any(|(least, _)| least.is_finite()) { less(&lengths) } else { None }
    }

    /// Tests which arm ends with the lower fitness, if neither succeeds in any stratum and both had
    /// the same budget everywhere. Pairs use signs, because the scale of fitness may differ per
    /// stratum.
    fn final_fitness(&self) -> Option<Found> {
        let comparable = self.all.iter().all(|two| two.never && two.fitness_known);
        if self.method.is_anytime() || !comparable {
            return None;
        }
        if self.method.is_paired() {
            let counts = self.all.iter().filter_map(|two| two.pairs).map(|pairs| pairs.lower);
            return self.signs(counts, |ours, theirs| sign(ours.1, theirs.1));
        }
        less(&self.all.iter().map(Two::final_fitness).collect::<Vec<_>>())
    }

    /// Makes the sign test over all pairs.
    fn signs(
        &self,
        counts: impl Iterator<Item = (u64, u64)>,
        value: impl Fn((f64, f64), (f64, f64)) -> f64,
    ) -> Option<Found> {
        let (ours, theirs) = counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        if (ours, theirs) == (0, 0) {
            return None;
        }
        let factor = self.factor(value);
        let p = weighed_mcnemar(ours as f64 / factor, theirs as f64 / factor);
        Some((ours as f64 - theirs as f64, p, Distribution::Exact))
    }

    fn weighted_rates(&self) -> (f64, f64) {
        let (mut rates, mut weights) = ((0.0, 0.0), 0.0);
        for two in &self.all {
            let (first, second) = match two.pairs {
                Some(pairs) => {
                    let share = |count: u64| count as f64 / pairs.all as f64;
                    (share(pairs.successes.0), share(pairs.successes.1))
                }
                None => two.rates_of_trials(),
            };
            let weight = weight(two);
            rates = (rates.0 + weight * first, rates.1 + weight * second);
            weights += weight;
        }
        (rates.0 / weights, rates.1 / weights)
    }

    /// Returns the probability that a trial of the first arm needs fewer evaluations than one of
    /// the second at the same value. The weights are those of the rates.
    fn effect(&self) -> f64 {
        let effects = self.all.iter().filter_map(|two| Some((weight(two), two.effect()?.0)));
        let sum = effects
            .fold((0.0, 0.0), |sum, (weight, effect)| (sum.0 + weight, sum.1 + weight * effect));
        sum.1 / sum.0
    }

    /// Returns the difference of the rates in standard deviations. `None` if outcomes ended the
    /// trials, or there is no variance.
    fn deviation(&self) -> Option<f64> {
        let (difference, variance) = match self.method {
            DifferenceMethod::Independent => cochran_score(&self.counts()),
            DifferenceMethod::Paired => {
                let (first, second, _) = self.alone();
                (first - second, first + second)
            }
            _ => return None,
        };
        (variance > 0.0).then(|| difference.abs() / variance.sqrt())
    }
}

/// Returns the usable trials of both arms.
fn counted(two: &Two<'_>) -> (u64, u64) {
    two.pairs.map_or((two.first.trials(), two.second.trials()), |pairs| (pairs.all, pairs.all))
}

fn weight(two: &Two<'_>) -> f64 {
    match (two.pairs, counted(two)) {
        (Some(pairs), _) => pairs.all as f64,
        (None, (first, second)) => {
            let (first, second) = (first as f64, second as f64);
            first * second / (first + second)
        }
    }
}

/// Returns 1 if `ours` is less, -1 if it is greater, 0 otherwise.
fn sign(ours: f64, theirs: f64) -> f64 {
    let apart = Rounded::difference(theirs, ours).value;
    f64::from(i8::from(apart > 0.0) - i8::from(apart < 0.0))
}

/// Tests whether values of the first arm tend to be less within the strata.
fn less(strata: &[&[Frequencies; 2]]) -> Option<Found> {
    if strata.iter().all(|both| alike(*both)) {
        return None;
    }
    let found = van_elteren(strata)?;
    Some((-found.statistic, found.p, found.distribution))
}

impl Criterion {
    /// Returns the name of the criterion's test over several strata.
    pub fn over_strata(self, method: DifferenceMethod) -> &'static str {
        match (method, self) {
            (DifferenceMethod::Sequence | DifferenceMethod::PairedSequence, _) => {
                "the interval of the weighted difference"
            }
            (DifferenceMethod::Independent, Criterion::SuccessRate) => {
                "Cochran, Mantel and Haenszel's test"
            }
            (DifferenceMethod::Independent, _) => "van Elteren's test",
            (DifferenceMethod::Paired, Criterion::SuccessRate) => {
                "McNemar's exact test over all pairs"
            }
            (DifferenceMethod::Paired, _) => "the sign test over all pairs",
        }
    }
}
