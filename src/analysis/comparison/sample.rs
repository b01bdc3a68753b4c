//! Samples: what a comparison needs to know of an arm.

use crate::analysis::Counts;
use crate::plan::resolved::Settings;
use crate::plan::stopping::StoppingRule;
use crate::problem::parameter::Value;
use crate::stats::{TrialCounts, ert};
use std::collections::{BTreeMap, BTreeSet};
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
    pub run_lengths: BTreeMap<u64, f64>,
    /// Evaluations of the trials without success.
    pub(crate) unsuccessful: Vec<u64>,
    /// Failed and crashed trials.
    pub failures: u64,
    /// Their numbers.
    pub failed: BTreeSet<u64>,
}

impl Sample {
    #[must_use]
    pub(crate) fn trials(&self) -> u64 {
        self.run_lengths.len() as u64
    }

    #[must_use]
    pub(crate) fn successes(&self) -> u64 {
        self.run_lengths.values().filter(|length| length.is_finite()).count() as u64
    }

    /// Its trials in three numbers, the failed ones among them.
    #[must_use]
    pub(crate) fn counts(&self) -> TrialCounts {
        TrialCounts { successes: self.successes(), trials: self.trials(), failures: self.failures }
    }

    /// Whether trial `trial` succeeded; `failed` for one that failed, none for one that is missing.
    fn settled(&self, trial: u64, failed: bool) -> Option<bool> {
        match self.run_lengths.get(&trial) {
            Some(length) => Some(length.is_finite()),
            None => self.failed.contains(&trial).then_some(failed),
        }
    }

    /// Successes over trials; 0 without trials.
    #[must_use]
    pub(crate) fn rate(&self) -> f64 {
        self.successes() as f64 / self.trials().max(1) as f64
    }

    /// Evaluations to success of the trials that succeeded.
    #[must_use]
    pub(crate) fn to_success(&self) -> Vec<u64> {
        self.run_lengths
            .values()
            .filter(|length| length.is_finite())
            .map(|length| *length as u64)
            .collect()
    }

    /// Evaluations of the trials that did not.
    #[must_use]
    pub(crate) fn unsuccessful(&self) -> &[u64] {
        &self.unsuccessful
    }

    /// The expected running time.
    #[must_use]
    pub(crate) fn ert(&self) -> Option<f64> {
        ert(&self.to_success(), &self.unsuccessful)
    }
}

/// Pairs of trials of the same number, both of which count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pairs {
    pub all: u64,
    pub successes: (u64, u64),
    /// The first alone succeeded, the second alone did.
    pub alone: (u64, u64),
    /// The first needed fewer evaluations, the second did; a trial without success needs the most.
    pub faster: (u64, u64),
}

impl Pairs {
    pub(super) fn of(first: &Sample, second: &Sample) -> Self {
        let mut pairs = Pairs::default();
        for (trial, length) in &first.run_lengths {
            let Some(other) = second.run_lengths.get(trial) else { continue };
            let (one, two) = (length.is_finite(), other.is_finite());
            pairs.all += 1;
            pairs.successes =
                (pairs.successes.0 + u64::from(one), pairs.successes.1 + u64::from(two));
            pairs.alone =
                (pairs.alone.0 + u64::from(one && !two), pairs.alone.1 + u64::from(two && !one));
            pairs.faster = (
                pairs.faster.0 + u64::from(length < other),
                pairs.faster.1 + u64::from(other < length),
            );
        }
        pairs
    }

    /// The pairs if every failure counted against the first sample, and if every one counted for
    /// it.
    pub(super) fn extremes(first: &Sample, second: &Sample) -> [Counts; 2] {
        [false, true].map(|success| {
            let (mut alone, mut other, mut all) = (0, 0, 0);
            for trial in first.run_lengths.keys().chain(&first.failed) {
                let settled = first.settled(*trial, success).zip(second.settled(*trial, !success));
                all += u64::from(settled.is_some());
                alone += u64::from(settled == Some((true, false)));
                other += u64::from(settled == Some((false, true)));
            }
            Counts::Pairs { first: alone, second: other, all }
        })
    }

    pub(super) fn counts(&self) -> Counts {
        Counts::Pairs { first: self.alone.0, second: self.alone.1, all: self.all }
    }
}
