//! Judge of finished trials: which of them a config asks for.

use crate::plan::ResultsSpec;
use crate::plan::budget::Budget;
use crate::plan::fingerprint::ArmId;
use crate::plan::settings::Trace;
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

/// Judge of the entries: it decides which ones a config asks for.
pub(crate) struct Judge<'a> {
    spec: &'a ResultsSpec,
    arms: BTreeMap<ArmId, usize>,
    failed: FailedTrials,
}

/// Result of judging an entry.
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
        let (id, trial) = (ArmId(head.arm), head.trial);
        let stale = |reason| Some(Judgement::Stale { arm: id, trial, reason });
        let Some(&arm) = self.arms.get(&id) else { return stale(Reason::Arm) };
        let (trace, budget) = head.ran_with.split_once('\n').unwrap_or((head.ran_with, ""));
        let (asked, own) = (self.spec.trace, &self.spec.arms[arm]);
        if self.spec.trial_seed(arm, trial) != head.seed {
            return stale(Reason::Seed);
        }
        if trial >= self.spec.limit(arm) {
            return stale(Reason::Repeats);
        }
        if asked != Trace::None && trace != asked.as_str() {
            return stale(Reason::Trace);
        }
        let mut kept = false;
        if let Some(asked) = Budget::of(&own.settings) {
            let ran: Option<Budget> = serde_json::from_str(budget).ok();
            if ran != Some(asked) {
                if !is_within(ran, entry, &asked) {
                    return stale(Reason::Budget);
                }
                kept = true;
            }
        }
        if self.failed == FailedTrials::RunAgain && head.outcome.may_be_retried() {
            return stale(Reason::Retried);
        }
        Some(Judgement::Asked { arm, trial, kept })
    }
}

/// Returns whether a trial that ran within one budget is what another one asks for.
fn is_within(ran: Option<Budget>, entry: &[u8], asked: &Budget) -> bool {
    ran.zip(record(entry, 0)).is_some_and(|(ran, record)| ran.keeps(record.end(), asked))
}
