//! The summary: one row per arm.

use super::baseline::{
    BaselineComparison, Counts, Difference, DifferenceMethod, OutcomeList, extremes, paired_counts,
    paired_extremes,
};
use super::interval::{RateInterval, RateMethod};
use super::race::Standing;
use crate::plan::stopping::StoppingRule;
use crate::plan::{ArmId, ArmSpec};
use crate::record::{Outcome, TrialRecord};
use crate::stats::{Ert, TrialCounts, ert_interval, mean, median, quantile, wilson};
use std::collections::BTreeMap;

/// Of the intervals in the summary, where the experiment does not give another.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// Least, median, mean and greatest of the trials' best fitness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The least, so the best: lower fitness is better.
    pub min: f64,
    /// The median (type 7).
    pub median: f64,
    /// The arithmetic mean.
    pub mean: f64,
    /// The greatest, so the worst.
    pub max: f64,
}

/// How far trials of a problem with constraints came in keeping them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feasibility {
    /// Share of the trials whose best genome is feasible.
    pub rate: f64,
    /// Median violation of the best genomes (type 7).
    pub violation_median: f64,
    /// The greatest violation of a best genome.
    pub violation_max: f64,
}

/// Quartiles (type 7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartiles {
    /// The first quartile.
    pub q25: f64,
    /// The second quartile.
    pub median: f64,
    /// The third quartile.
    pub q75: f64,
}

/// The figures of one arm.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmSummary {
    /// Trials that count: all but failed and crashed ones.
    pub trials: u64,
    /// Trials that reached the target.
    pub successes: u64,
    /// Failed and crashed trials.
    pub failures: u64,
    /// Trials, among those that count, that ran into the limit of seconds.
    pub timed_out: u64,
    /// None without trials; so are the interval and the fitness.
    pub success_rate: Option<f64>,
    /// Right for how the number of trials came about: Wilson's where it was fixed beforehand, a
    /// confidence sequence where outcomes ended them.
    pub success_interval: Option<RateInterval>,
    /// Of the trials that count and whose best genome is feasible; none without one.
    pub best_fitness: Option<Spread>,
    /// Of the trials that count; none without one, or if the problem has no constraints.
    pub feasibility: Option<Feasibility>,
    /// Evaluations of all trials that count.
    pub evaluations_total: u64,
    /// Of the successes alone; none without one, like the ERT.
    pub evaluations_to_success: Option<Quartiles>,
    /// Expected running time, in evaluations.
    pub ert: Option<Ert>,
    /// Of the trials that count; none without one.
    pub generations_median: Option<f64>,
}

impl ArmSummary {
    /// Its trials in three numbers.
    #[must_use]
    pub fn counts(&self) -> TrialCounts {
        TrialCounts { successes: self.successes, trials: self.trials, failures: self.failures }
    }
}

/// The summary of an experiment: arms in plan order, each with its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryTable {
    /// The experiment's name.
    pub experiment: String,
    /// Keys of `[sweep]`, in the order of the file.
    pub swept_keys: Vec<String>,
    /// One per arm.
    pub rows: Vec<SummaryRow>,
}

/// A row of the summary: an arm with its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRow {
    /// What the tables say of the arm.
    pub arm: ArmSpec,
    /// What its trials came to.
    pub figures: ArmSummary,
    /// Against its baseline, where it has one.
    pub baseline_comparison: Option<BaselineComparison>,
    /// What became of it in its race; none where arms do not race, or the races are not over.
    pub standing: Option<Standing>,
}

impl SummaryRow {
    /// The success rate minus the baseline's.
    #[must_use]
    pub fn difference(&self) -> Option<Difference> {
        self.baseline_comparison?.difference
    }
}

/// Adds up one arm's trials.
#[derive(Default)]
pub(crate) struct ArmAccumulator {
    trials: u64,
    failures: u64,
    timed_out: u64,
    evaluations_total: u64,
    best_fitness: Vec<f64>,
    violations: Vec<f64>,
    generations: Vec<f64>,
    to_success: Vec<u64>,
    unsuccessful: Vec<u64>,
    /// Where pairs of trials are looked at: a byte each.
    outcomes: Option<OutcomeList>,
}

/// An arm's figures, and its outcomes where those of other arms are held against them one by one.
pub(crate) struct ArmTotals {
    figures: ArmSummary,
    outcomes: OutcomeList,
}

impl ArmAccumulator {
    /// For an arm of an experiment whose arms are told from their baselines like this.
    pub(crate) fn new(method: DifferenceMethod) -> Self {
        ArmAccumulator { outcomes: method.is_paired().then(Vec::new), ..ArmAccumulator::default() }
    }

    pub(crate) fn add(&mut self, trial: &TrialRecord) {
        if let Some(outcomes) = &mut self.outcomes {
            let place = trial.trial as usize;
            outcomes.resize(outcomes.len().max(place + 1), None);
            outcomes[place] = (!trial.outcome.is_failure()).then_some(trial.success);
        }
        if trial.outcome.is_failure() {
            self.failures += 1;
            return;
        }
        self.trials += 1;
        self.timed_out += u64::from(trial.outcome == Outcome::TimedOut);
        self.evaluations_total += trial.evaluations;
        self.best_fitness.extend(trial.feasible_fitness());
        self.violations.extend(trial.best_violation);
        self.generations.push(trial.generations as f64);
        if trial.success {
            self.to_success.push(trial.evaluations_to_success.unwrap_or(trial.evaluations));
        } else {
            self.unsuccessful.push(trial.evaluations);
        }
    }

    /// `arm`: its id seeds the ERT's bootstrap, so that the interval depends on the arm and its
    /// trials alone. `enough`: what ended the trials.
    pub(crate) fn finish(mut self, arm: ArmId, stopping_rule: Option<&StoppingRule>) -> ArmTotals {
        let outcomes = self.outcomes.take().unwrap_or_default();
        let successes = self.to_success.len() as u64;
        let fitness_mean = mean(&self.best_fitness);
        self.best_fitness.sort_unstable_by(f64::total_cmp);
        self.generations.sort_unstable_by(f64::total_cmp);
        let ert = ert_interval(&self.to_success, &self.unsuccessful, arm.0);
        let mut to_success: Vec<f64> =
            self.to_success.iter().map(|&evaluations| evaluations as f64).collect();
        to_success.sort_unstable_by(f64::total_cmp);
        let quartiles = || {
            let at = |share| quantile(&to_success, share);
            Some(Quartiles { q25: at(0.25)?, median: at(0.5)?, q75: at(0.75)? })
        };
        let spread = || {
            Some(Spread {
                min: *self.best_fitness.first()?,
                median: median(&self.best_fitness)?,
                mean: fitness_mean?,
                max: *self.best_fitness.last()?,
            })
        };
        let counts = TrialCounts { successes, trials: self.trials, failures: self.failures };
        let figures = ArmSummary {
            trials: self.trials,
            successes,
            failures: self.failures,
            timed_out: self.timed_out,
            success_rate: (self.trials > 0).then(|| successes as f64 / self.trials as f64),
            success_interval: success_interval(counts, stopping_rule),
            best_fitness: spread(),
            feasibility: feasibility(self.violations),
            evaluations_total: self.evaluations_total,
            evaluations_to_success: quartiles(),
            ert,
            generations_median: median(&self.generations),
        };
        ArmTotals { figures, outcomes }
    }
}

/// What the violations of the trials' best genomes come to; none without one.
fn feasibility(mut violations: Vec<f64>) -> Option<Feasibility> {
    violations.sort_unstable_by(f64::total_cmp);
    let feasible = violations.partition_point(|violation| *violation == 0.0);
    Some(Feasibility {
        rate: feasible as f64 / violations.len() as f64,
        violation_median: median(&violations)?,
        violation_max: *violations.last()?,
    })
}

/// The interval of a success rate: a confidence sequence where outcomes ended the trials, whatever
/// failed trials would have come to.
fn success_interval(
    counts: TrialCounts,
    stopping_rule: Option<&StoppingRule>,
) -> Option<RateInterval> {
    let (interval, method, confidence) = match stopping_rule {
        _ if counts.trials == 0 => return None,
        None => {
            (wilson(counts.successes, counts.trials, CONFIDENCE)?, RateMethod::Wilson, CONFIDENCE)
        }
        Some(stopping_rule) => {
            (stopping_rule.open_interval(counts)?, RateMethod::Sequence, stopping_rule.confidence)
        }
    };
    Some(RateInterval { low: interval.low, high: interval.high, method, confidence })
}

impl SummaryTable {
    /// Method and level of the success rates' intervals, alike for all arms; Wilson's where no arm
    /// has trials.
    #[must_use]
    pub fn rate_interval(&self) -> RateInterval {
        let none = RateInterval {
            low: 0.0,
            high: 1.0,
            method: RateMethod::Wilson,
            confidence: CONFIDENCE,
        };
        self.rows.iter().find_map(|row| row.figures.success_interval).unwrap_or(none)
    }

    /// `arms` in plan order, each with its trials; `rule`: what ended the trials.
    pub(crate) fn new(
        experiment: &str,
        swept_keys: &[String],
        arms: &[ArmSpec],
        rule: Option<&StoppingRule>,
        totals: Vec<ArmTotals>,
    ) -> Self {
        let paired =
            DifferenceMethod::of(rule, arms.first().is_some_and(ArmSpec::common)).is_paired();
        let places: BTreeMap<ArmId, usize> =
            arms.iter().enumerate().map(|(place, arm)| (arm.id, place)).collect();
        let baseline_comparison = |arm: &ArmSpec, own: &ArmTotals| {
            let place = *places.get(&arm.baseline?)?;
            let (baseline, rate) = (&totals[place], |arm: &ArmSummary| (arm.successes, arm.trials));
            let (counts, extremes) = match paired {
                true => (
                    paired_counts(&own.outcomes, &baseline.outcomes),
                    paired_extremes(&own.outcomes, &baseline.outcomes),
                ),
                false => (
                    Counts::Arms(rate(&own.figures), rate(&baseline.figures)),
                    extremes(own.figures.counts(), baseline.figures.counts()),
                ),
            };
            let failures = own.figures.failures + baseline.figures.failures;
            Some(BaselineComparison::new(arms[place].id, counts, extremes, failures, rule))
        };
        let baseline_comparison: Vec<_> =
            arms.iter().zip(&totals).map(|(arm, own)| baseline_comparison(arm, own)).collect();
        let outcomes: Vec<&[Option<bool>]> =
            totals.iter().map(|arm| arm.outcomes.as_slice()).collect();
        let mut standings =
            rule.map_or_else(Vec::new, |rule| rule.standings(&outcomes)).into_iter();
        let rows = arms
            .iter()
            .cloned()
            .zip(totals.into_iter().map(|arm| arm.figures))
            .zip(baseline_comparison);
        let rows = rows
            .map(|((arm, figures), baseline_comparison)| SummaryRow {
                arm,
                figures,
                baseline_comparison,
                standing: standings.next().flatten(),
            })
            .collect();
        SummaryTable { experiment: experiment.to_owned(), swept_keys: swept_keys.to_vec(), rows }
    }
}
