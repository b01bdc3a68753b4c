//! Samples: what a comparison needs to know of an arm.

use crate::analysis::Counts;
use crate::analysis::by_trial::ByTrial;
use crate::plan::resolved::Settings;
use crate::plan::stopping::StoppingRule;
use crate::problem::parameter::Value;
use crate::record::TrialRecord;
use crate::stats::{per_success, quantiles};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// An arm's trials, and how they came about.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    pub label: String,
    /// The operator set's name.
    pub operators: String,
    /// Swept keys with the arm's values.
    pub swept: Vec<(String, Value)>,
    /// The results folder: arms of one experiment have one.
    pub folder: PathBuf,
    /// The problem's settings: arms of different problems are not compared.
    pub problem: String,
    /// Every default written out.
    pub settings: Settings,
    /// Trial k of every arm of a problem starts from the same genomes.
    pub common: bool,
    /// What ended the trials; none where their number was fixed beforehand.
    pub stopping_rule: Option<StoppingRule>,
    /// One of the two arms between which `repeats` asks to decide.
    pub asked: bool,
    /// Random search that other arms are measured against.
    pub baseline: bool,
    /// By trial: evaluations to success, infinite without; failed trials are left out.
    pub run_lengths: ByTrial,
    /// By trial: the least fitness that it saw (with constraints: of feasible genomes), infinite
    /// where it saw none; failed trials are left out.
    pub(crate) fitness: ByTrial,
    /// The trials without success.
    pub(crate) unsuccessful: Unsuccessful,
    /// The fewest evaluations after which a budget ended a trial without success; none where none
    /// was ended so.
    pub(crate) cut: Option<u64>,
    /// Failed and crashed trials.
    pub failures: u64,
    /// Their numbers.
    pub failed: BTreeSet<u64>,
}

/// What trials without success spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unsuccessful {
    /// Evaluations of all of them.
    pub spent: u128,
    /// Of the longest; none without any.
    pub longest: Option<u64>,
}

impl Unsuccessful {
    pub(crate) fn add(&mut self, evaluations: u64) {
        self.spent += u128::from(evaluations);
        self.longest = self.longest.max(Some(evaluations));
    }
}

impl FromIterator<u64> for Unsuccessful {
    fn from_iter<I: IntoIterator<Item = u64>>(evaluations: I) -> Self {
        let mut all = Unsuccessful::default();
        evaluations.into_iter().for_each(|evaluations| all.add(evaluations));
        all
    }
}

impl Sample {
    /// Counts a trial in.
    pub(crate) fn add(&mut self, trial: &TrialRecord) {
        if trial.outcome.is_failure() {
            self.failures += 1;
            self.failed.insert(trial.trial);
            return;
        }
        let length = if trial.success {
            trial.evaluations_to_success.unwrap_or(trial.evaluations) as f64
        } else {
            self.unsuccessful.add(trial.evaluations);
            if !trial.outcome.is_stuck() {
                let least = self.cut.unwrap_or(u64::MAX).min(trial.evaluations);
                self.cut = Some(least);
            }
            f64::INFINITY
        };
        self.fitness.insert(trial.trial, trial.feasible_fitness().unwrap_or(f64::INFINITY));
        self.run_lengths.insert(trial.trial, length);
    }

    #[must_use]
    pub(crate) fn trials(&self) -> u64 {
        self.run_lengths.len() as u64
    }

    #[must_use]
    pub(crate) fn successes(&self) -> u64 {
        self.run_lengths.values().filter(|length| length.is_finite()).count() as u64
    }

    /// This sample if every failed trial had ended in one way: with a success before its first
    /// evaluation and the least fitness that there could be, or without a success and the greatest.
    pub(super) fn settled(&self, success: bool) -> Sample {
        let (length, fitness) =
            if success { (0.0, f64::NEG_INFINITY) } else { (f64::INFINITY, f64::INFINITY) };
        let mut settled = self.clone();
        settled.run_lengths.extend(self.failed.iter().map(|trial| (*trial, length)));
        settled.fitness.extend(self.failed.iter().map(|trial| (*trial, fitness)));
        settled
    }

    /// The best fitness that each trial saw.
    pub(crate) fn final_fitness(&self) -> impl Iterator<Item = f64> {
        self.fitness.values()
    }

    /// Of each trial the evaluations to success within `horizon` evaluations, infinite without.
    pub(super) fn within(&self, horizon: f64) -> impl Iterator<Item = f64> {
        self.run_lengths.values().map(move |length| within(length, horizon))
    }

    /// The order in which two arms are named, the better one first: a greater success rate, then
    /// fewer evaluations, then a lower fitness, in the middle of the trials. It decides nothing.
    pub(super) fn standing(&self) -> [f64; 3] {
        let middle = |values: &ByTrial| {
            let mut values: Vec<f64> = values.values().collect();
            quantiles(&mut values, [0.5]).map_or(f64::INFINITY, |[middle]| middle)
        };
        [self.rate(), -middle(&self.run_lengths), -middle(&self.fitness)]
    }

    /// Successes over trials; 0 without trials.
    #[must_use]
    pub(crate) fn rate(&self) -> f64 {
        self.successes() as f64 / self.trials().max(1) as f64
    }

    /// The expected running time.
    #[must_use]
    pub(crate) fn ert(&self) -> Option<f64> {
        let lengths = self.run_lengths.values().filter(|length| length.is_finite());
        let (spent, successes) =
            lengths.fold((0, 0), |sum, length| (sum.0 + u128::from(length as u64), sum.1 + 1));
        per_success(spent + self.unsuccessful.spent, successes)
    }
}

/// A success beyond the horizon counts as none.
pub(super) fn within(length: f64, horizon: f64) -> f64 {
    if length <= horizon { length } else { f64::INFINITY }
}

/// Evaluations up to which the trials of two arms are compared: the least budget that ended a trial
/// of either. What the other arm reached later, this one was not let reach.
pub(super) fn horizon(first: &Sample, second: &Sample) -> f64 {
    let cut = [first.cut, second.cut].into_iter().flatten().min();
    cut.map_or(f64::INFINITY, |evaluations| evaluations as f64)
}

/// Budgets this near each other are the same: one may end a trial at the end of a generation.
const SAME_BUDGET: f64 = 0.01;

/// Whether the final fitness of two arms means the same: they had the same termination criteria, or
/// their trials were cut off after as many evaluations.
pub(super) fn same_budget(first: &Sample, second: &Sample) -> bool {
    let near = |(one, other): (u64, u64)| {
        one.abs_diff(other) as f64 <= SAME_BUDGET * one.max(other) as f64
    };
    first.settings.stop == second.settings.stop || first.cut.zip(second.cut).is_some_and(near)
}

/// Pairs of trials of the same number, both of which count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pairs {
    pub all: u64,
    pub successes: (u64, u64),
    /// The first alone succeeded, the second alone did.
    pub alone: (u64, u64),
    /// The first needed fewer evaluations, the second did; a trial without success within the
    /// horizon needs the most.
    pub faster: (u64, u64),
    /// The first ended with the lower fitness, the second did.
    pub lower: (u64, u64),
}

impl Pairs {
    pub(super) fn of(first: &Sample, second: &Sample, horizon: f64) -> Self {
        let mut pairs = Pairs::default();
        let count = |both: &mut (u64, u64), one: bool, two: bool| {
            both.0 += u64::from(one);
            both.1 += u64::from(two);
        };
        for (trial, length) in first.run_lengths.iter() {
            let Some(other) = second.run_lengths.get(trial) else { continue };
            let (one, two) = (length.is_finite(), other.is_finite());
            pairs.all += 1;
            count(&mut pairs.successes, one, two);
            count(&mut pairs.alone, one && !two, two && !one);
            let (ours, theirs) = (within(length, horizon), within(other, horizon));
            count(&mut pairs.faster, ours < theirs, theirs < ours);
            let fitness = first.fitness.get(trial).zip(second.fitness.get(trial));
            let (ours, theirs) = fitness.unwrap_or((0.0, 0.0));
            count(&mut pairs.lower, ours < theirs, theirs < ours);
        }
        pairs
    }

    pub(super) fn counts(&self) -> Counts {
        Counts::Pairs { first: self.alone.0, second: self.alone.1, all: self.all }
    }
}
