//! Comparisons: is one arm better than another, by how much, and how sure is that?

use crate::record::TrialRecord;
use crate::report::{count, round_up};
use crate::results::{CONFIDENCE, Results, ResultsError, Verdict};
use crate::stats::{Interval, ert, fisher, holm, mann_whitney, mcnemar, rate_difference, vargha_delaney, wilcoxon};
use std::collections::BTreeMap;

/// What a comparison needs to know of an arm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    pub label: String,
    /// The problem's settings: arms of different problems are not compared.
    pub problem: String,
    /// By trial: evaluations to success, infinite without; failed trials are left out.
    pub run_lengths: BTreeMap<u64, f64>,
    /// Evaluations of the trials without success.
    unsuccessful: Vec<u64>,
}

impl Sample {
    /// The arms of an experiment, in plan order.
    ///
    /// # Errors
    /// If the tables cannot be read.
    pub fn read(results: &Results) -> Result<Vec<Sample>, ResultsError> {
        let problem = |settings: &str| settings.split("[[operators]]").next().unwrap_or_default().to_owned();
        let mut samples: Vec<Sample> = results
            .arms()
            .iter()
            .map(|arm| Sample { label: arm.label.clone(), problem: problem(&arm.settings), ..Sample::default() })
            .collect();
        results.trials(|trial: TrialRecord| -> Result<(), ResultsError> {
            let sample = &mut samples[trial.arm];
            if trial.outcome.is_failure() {
                return Ok(());
            }
            let length = if trial.success {
                trial.evaluations_to_success.unwrap_or(trial.evaluations) as f64
            } else {
                sample.unsuccessful.push(trial.evaluations);
                f64::INFINITY
            };
            sample.run_lengths.insert(trial.trial, length);
            Ok(())
        })?;
        Ok(samples)
    }

    #[must_use]
    pub fn trials(&self) -> u64 {
        self.run_lengths.len() as u64
    }

    #[must_use]
    pub fn successes(&self) -> u64 {
        self.run_lengths.values().filter(|length| length.is_finite()).count() as u64
    }

    /// Successes over trials; 0 without trials.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.successes() as f64 / self.trials().max(1) as f64
    }

    /// Evaluations to success of the trials that succeeded.
    #[must_use]
    pub fn to_success(&self) -> Vec<u64> {
        self.run_lengths.values().filter(|length| length.is_finite()).map(|length| *length as u64).collect()
    }

    /// Evaluations of the trials that did not.
    #[must_use]
    pub fn unsuccessful(&self) -> &[u64] {
        &self.unsuccessful
    }

    /// The expected running time.
    #[must_use]
    pub fn ert(&self) -> Option<f64> {
        ert(&self.to_success(), &self.unsuccessful)
    }
}

/// Two arms beside each other. Rates, differences and effects are of the first as seen from the second.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub first: String,
    pub second: String,
    pub trials: (u64, u64),
    pub rates: (f64, f64),
    /// First rate minus second, with Newcombe's 95 % interval.
    pub difference: f64,
    pub difference_interval: Interval,
    /// Of Fisher's exact test of the rates, or McNemar's where trials are paired.
    pub p: f64,
    /// Adjusted for all comparisons made together (Holm).
    pub p_adjusted: f64,
    /// The probability that a trial of the first needs fewer evaluations than one of the second, with its interval.
    pub effect: f64,
    pub effect_interval: Interval,
    /// Of Mann and Whitney's test of the evaluations to success, or Wilcoxon's of their differences where trials are paired; adjusted
    /// likewise.
    pub effect_p: f64,
    pub effect_p_adjusted: f64,
    /// First ERT over second: below 1 the first is cheaper. None where one never succeeds.
    pub ert_ratio: Option<f64>,
    pub verdict: Verdict,
    /// Where nothing can be told: about so many more trials an arm would tell, if the rates are what they seem.
    pub needed: Option<u64>,
}

/// Every two samples of one problem, the one with the higher rate first, so that every difference is one upwards.
#[must_use]
pub fn pairs(samples: &[Sample]) -> Vec<(&Sample, &Sample)> {
    let rated: Vec<(f64, &Sample)> = samples.iter().map(|sample| (sample.rate(), sample)).collect();
    let mut pairs = Vec::new();
    for (place, (rate, one)) in rated.iter().enumerate() {
        for (other_rate, other) in rated[place + 1..].iter().filter(|(_, other)| other.problem == one.problem) {
            pairs.push(if other_rate > rate { (*other, *one) } else { (*one, *other) });
        }
    }
    pairs
}

impl Comparison {
    /// The verdict in words, with what would be needed for one.
    #[must_use]
    pub fn verdict_words(&self) -> String {
        match self.needed {
            Some(more) => format!("cannot tell: about {} more trials needed", count(round_up(more as f64))),
            None if self.verdict == Verdict::Unclear => "cannot tell: the rates are alike".to_owned(),
            None => self.verdict.to_string(),
        }
    }
}

/// Level of the verdict, after adjustment.
const LEVEL: f64 = 0.05;
/// More trials than this are not proposed: the rates are alike.
const MOST: f64 = 1e7;

/// Compares pairs of samples. `paired`: trial k of one belongs to trial k of the other. Pairs without trials are left out. Best difference
/// first.
#[must_use]
pub fn compare(pairs: &[(&Sample, &Sample)], paired: bool) -> Vec<Comparison> {
    let mut all: Vec<Comparison> = pairs.iter().filter_map(|(first, second)| one(first, second, paired)).collect();
    let adjusted = holm(&all.iter().map(|one| one.p).collect::<Vec<f64>>());
    let effects = holm(&all.iter().map(|one| one.effect_p).collect::<Vec<f64>>());
    for ((one, p), effect) in all.iter_mut().zip(adjusted).zip(effects) {
        one.p_adjusted = p;
        one.effect_p_adjusted = effect;
        one.verdict = match one.difference {
            _ if p >= LEVEL => Verdict::Unclear,
            difference if difference > 0.0 => Verdict::Better,
            _ => Verdict::Worse,
        };
        one.needed = (one.verdict == Verdict::Unclear).then(|| more(one)).flatten();
    }
    all.sort_by(|a, b| b.difference.total_cmp(&a.difference));
    all
}

fn one(first: &Sample, second: &Sample, paired: bool) -> Option<Comparison> {
    let counts = |sample: &Sample| (sample.successes(), sample.trials());
    let (difference, difference_interval) = rate_difference(counts(first), counts(second), CONFIDENCE)?;
    let lengths = |sample: &Sample| sample.run_lengths.values().copied().collect::<Vec<f64>>();
    let (ours, theirs) = (lengths(first), lengths(second));
    // Fewer is better: the second's are to be greater.
    let (effect, effect_interval) = vargha_delaney(&theirs, &ours, CONFIDENCE)?;
    let (p, effect_p) = if paired {
        let both =
            first.run_lengths.iter().filter_map(|(trial, length)| Some((*length, *second.run_lengths.get(trial)?)));
        let both: Vec<(f64, f64)> = both.collect();
        let alone = both.iter().filter(|(length, other)| length.is_finite() && other.is_infinite()).count();
        let other_alone = both.iter().filter(|(length, other)| length.is_infinite() && other.is_finite()).count();
        // Where neither succeeded they are equal; where one did, the difference is greater than any other.
        let differences: Vec<f64> = both.iter().filter(|(a, b)| a != b).map(|(length, other)| length - other).collect();
        (mcnemar(alone as u64, other_alone as u64), wilcoxon(&differences).map_or(1.0, |test| test.p))
    } else {
        (fisher(counts(first), counts(second)), mann_whitney(&ours, &theirs)?.p)
    };
    Some(Comparison {
        first: first.label.clone(),
        second: second.label.clone(),
        trials: (first.trials(), second.trials()),
        rates: (first.rate(), second.rate()),
        difference,
        difference_interval,
        p,
        p_adjusted: p,
        effect,
        effect_interval,
        effect_p,
        effect_p_adjusted: 1.0,
        ert_ratio: first.ert().zip(second.ert()).map(|(one, other)| one / other),
        verdict: Verdict::Unclear,
        needed: None,
    })
}

/// Trials an arm that rates like these need for a test of level 0.05 and power 0.9 (Fleiss, Levin and Paik 2003, "Statistical
/// Methods for Rates and Proportions", section 4.3), less those that there are.
fn more(one: &Comparison) -> Option<u64> {
    let needed = trials_to_tell(one.rates.0, one.rates.1, 0.05, 0.9)?;
    let there = one.trials.0.min(one.trials.1) as f64;
    (needed < MOST).then(|| (needed - there).max(there * 0.1).ceil() as u64)
}

/// Trials an arm that tell two rates apart: level `level` (two-sided), power `power`. None for equal rates.
///
/// n = (z_a sqrt(2 m (1-m)) + z_b sqrt(p(1-p) + q(1-q)))² / (p-q)², m the mean rate, with Casagrande, Pike and Smith's correction for
/// continuity (1978, doi:10.2307/2530613).
#[must_use]
pub fn trials_to_tell(p: f64, q: f64, level: f64, power: f64) -> Option<f64> {
    use crate::stats::normal_quantile;
    let gap = (p - q).abs();
    if gap <= 0.0 {
        return None;
    }
    let (za, zb, mean) = (normal_quantile(1.0 - level / 2.0), normal_quantile(power), f64::midpoint(p, q));
    let n =
        (za * (2.0 * mean * (1.0 - mean)).sqrt() + zb * (p * (1.0 - p) + q * (1.0 - q)).sqrt()).powi(2) / (gap * gap);
    Some((n / 4.0 * (1.0 + (1.0 + 4.0 / (n * gap)).sqrt()).powi(2)).ceil())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(label: &str, lengths: &[Option<u64>]) -> Sample {
        let run_lengths = (0..).zip(lengths).map(|(trial, length)| (trial, length.map_or(f64::INFINITY, |l| l as f64)));
        Sample {
            label: label.to_owned(),
            run_lengths: run_lengths.collect(),
            unsuccessful: lengths.iter().filter(|length| length.is_none()).map(|_| 1000).collect(),
            ..Sample::default()
        }
    }

    #[test]
    fn the_better_arm_is_called_better_and_unclear_ones_unclear() {
        let often: Vec<Option<u64>> = (0..100).map(|k| (k % 10 != 0).then_some(100 + k)).collect();
        let seldom: Vec<Option<u64>> = (0..100).map(|k| (k % 2 == 0).then_some(500 + k)).collect();
        let near: Vec<Option<u64>> = (0..100).map(|k| (k % 10 > 1).then_some(100 + k)).collect();
        let (often, seldom, near) = (sample("often", &often), sample("seldom", &seldom), sample("near", &near));
        let all = compare(&[(&often, &seldom), (&seldom, &often), (&often, &near)], false);
        assert_eq!(
            all.iter().map(|one| one.verdict).collect::<Vec<_>>(),
            [Verdict::Better, Verdict::Unclear, Verdict::Worse]
        );
        assert!((all[0].difference - 0.4).abs() < 1e-12 && all[0].p_adjusted >= all[0].p);
        assert!(all[0].effect > 0.85 && all[2].effect < 0.15 && all[0].ert_ratio.is_some_and(|ratio| ratio < 1.0));
        // 0.9 against 0.8: 286 an arm by the tables of Casagrande, Pike and Smith's formula with power 0.9.
        assert_eq!(all[1].needed, Some(trials_to_tell(0.9, 0.8, 0.05, 0.9).expect("a gap") as u64 - 100));
        assert!(compare(&[(&often, &sample("none", &[]))], false).is_empty());
        // The same starts: pairs that agree do not count.
        let paired = compare(&[(&often, &near)], true);
        assert!((paired[0].p - mcnemar(10, 0)).abs() < 1e-12);
        // The ten differ by more than any number, to one side: 2 / 2^10, or near it with ties.
        assert!((paired[0].effect_p - wilcoxon(&[-f64::INFINITY; 10]).expect("differences").p).abs() < 1e-12);
        assert!(paired[0].effect_p < 0.01);
    }

    #[test]
    fn trials_to_tell_agree_with_the_formula_worked_out_elsewhere() {
        // Worked out in Python with SciPy's normal quantiles.
        assert_eq!(trials_to_tell(0.6, 0.7, 0.05, 0.9), Some(496.0));
        assert_eq!(trials_to_tell(0.5, 0.5, 0.05, 0.9), None);
    }
}
