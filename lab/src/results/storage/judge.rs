//! Judge of finished trials: which of them a config asks for.

use crate::plan::ResultsSpec;
use crate::plan::budget::Budget;
use crate::plan::fingerprint::ArmId;
use crate::plan::settings::Trace;
use crate::record::Outcome;
use crate::results::schema::entry_format::{EntryHead, record};
use std::collections::BTreeMap;

/// Treatment of trials that failed, crashed or timed out in an earlier run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FailedTrials {
    /// Failed trials count as finished.
    #[default]
    Keep,
    /// Their rows move to `superseded/`, and they are run again.
    RunAgain,
}

/// Reason why the config does not ask for a trial.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// The config has no such arm.
    Arm,
    /// The trial has another seed than the config gives it.
    Seed,
    /// The trial's number is not below `repeats`.
    Repeats,
    /// The trial ran without the trace that the config asks for.
    Trace,
    /// Within the budget of the config, the trial would be another.
    Budget,
    /// The trial failed, crashed or timed out, and is to be run again.
    Retried,
}

/// A finished trial, as far as it decides whether a config asks for it.
pub(crate) struct Ran {
    pub arm: ArmId,
    pub trial: u64,
    pub seed: u64,
    pub outcome: Outcome,
    /// The trial has the trace that the config asks for.
    pub is_traced: bool,
}

/// Judge of finished trials: it decides which ones a config asks for.
pub(crate) struct Judge<'a> {
    spec: &'a ResultsSpec,
    arms: BTreeMap<ArmId, usize>,
    failed: FailedTrials,
}

/// Result of judging a trial.
pub(crate) enum Judgement {
    /// The config asks for the trial.
    Asked {
        /// Index of the arm.
        arm: usize,
        trial: u64,
        /// The trial ran within another budget, and is the same in both.
        kept: bool,
    },
    /// The config does not ask for the trial.
    Stale { arm: ArmId, trial: u64, reason: Reason },
}

impl<'a> Judge<'a> {
    pub(crate) fn new(spec: &'a ResultsSpec, failed: FailedTrials) -> Self {
        let arms = spec.arms.iter().enumerate().map(|(arm, row)| (row.id, arm)).collect();
        Judge { spec, arms, failed }
    }

    /// Judges an entry; `None` if another version of the runner wrote it.
    pub(crate) fn judge(&self, entry: &[u8]) -> Option<Judgement> {
        let head = EntryHead::read(entry)?;
        let (trace, budget) = head.ran_with.split_once('\n').unwrap_or((head.ran_with, ""));
        let ran = Ran {
            arm: ArmId(head.arm),
            trial: head.trial,
            seed: head.seed,
            outcome: head.outcome,
            is_traced: self.spec.trace == Trace::None || trace == self.spec.trace.as_str(),
        };
        Some(self.judge_trial(&ran, |asked| {
            let ran: Option<Budget> = serde_json::from_str(budget).ok();
            if ran == Some(*asked) {
                return Some(false);
            }
            ran.zip(record(entry, 0)).filter(|(ran, record)| ran.keeps(record.end(), asked))?;
            Some(true)
        }))
    }

    /// Judges a trial. `within` is asked for a budget whether the trial ran within another one;
    /// `None` if it would be another trial in the two.
    pub(crate) fn judge_trial(
        &self,
        ran: &Ran,
        within: impl FnOnce(&Budget) -> Option<bool>,
    ) -> Judgement {
        let Ran { arm: id, trial, seed, outcome, is_traced } = *ran;
        let stale = |reason| Judgement::Stale { arm: id, trial, reason };
        let Some(&arm) = self.arms.get(&id) else { return stale(Reason::Arm) };
        if self.spec.trial_seed(arm, trial) != seed {
            return stale(Reason::Seed);
        }
        if trial >= self.spec.limit(arm) {
            return stale(Reason::Repeats);
        }
        if !is_traced {
            return stale(Reason::Trace);
        }
        let asked = Budget::of(&self.spec.arms[arm].settings);
        let Some(kept) = asked.map_or(Some(false), |asked| within(&asked)) else {
            return stale(Reason::Budget);
        };
        if self.failed == FailedTrials::RunAgain && outcome.may_be_retried() {
            return stale(Reason::Retried);
        }
        Judgement::Asked { arm, trial, kept }
    }
}
