//! Progress of an experiment, and the decisions of its stopping rule.

use crate::plan::Plan;
use crate::plan::round::Share;
use crate::record::TrialRecord;
use crate::results::{Finished, Results, ResultsError};
use crate::run::ArmProgress;
use crate::sequential::{Outcomes, SequentialState};
use std::path::Path;

/// The trials that finished, counted.
pub(super) struct Progress {
    /// One entry per arm.
    pub arms: Vec<ArmProgress>,
    /// Number of trials that each arm is to have so far.
    pub state: SequentialState,
    /// Trials of earlier runs that failed, crashed or timed out.
    pub failed_before: u64,
    /// Each outcome, if they decide how many trials there are.
    outcomes: Option<Outcomes>,
}

impl Progress {
    /// Reads the results of earlier runs from the results folder.
    pub(super) fn read(
        plan: &Plan,
        share: Option<&Share>,
        finished: &Finished,
        folder: &Path,
    ) -> Result<Self, ResultsError> {
        let arms = plan.arms.len();
        let shared = |arm: usize| share.map(|share| share.trials(arm, plan.repeats));
        let target = |arm: usize| shared(arm).map_or(plan.repeats, |own| own.end - own.start);
        let state = SequentialState {
            target_trials: (0..arms).map(target).collect(),
            settled: true,
            better: None,
            open: 0,
            standings: Vec::new(),
        };
        // A share's trials are given: it does not know the others' outcomes.
        let rule = plan.stopping_rule.as_ref().filter(|_| share.is_none());
        let outcomes = rule.map(|rule| Outcomes::of(rule, arms));
        let mut progress = Progress {
            arms: vec![ArmProgress::default(); arms],
            state,
            failed_before: 0,
            outcomes,
        };
        if finished.total() > 0 {
            Results::open(folder)?.kept(|record| {
                // The folder of a share may have trials of an earlier run with more repeats.
                if shared(record.arm).is_none_or(|own| own.contains(&record.trial)) {
                    progress.failed_before += u64::from(record.outcome.may_be_retried());
                    progress.add(&record);
                }
            })?;
        }
        progress.decide(plan);
        Ok(progress)
    }

    /// Returns the number of trials that each arm is to have after this run. Arms that are not run
    /// keep their number.
    pub(super) fn targets(&self, chosen: &[bool]) -> Vec<u64> {
        let targets = self.state.target_trials.iter().zip(&self.arms).zip(chosen);
        targets.map(|((target, arm), chosen)| if *chosen { *target } else { arm.trials }).collect()
    }

    /// Counts a trial in.
    pub(super) fn add(&mut self, record: &TrialRecord) {
        self.arms[record.arm].count(std::slice::from_ref(record));
        self.outcomes.iter_mut().for_each(|outcomes| outcomes.add(record));
    }

    /// Returns the number of trials, if every one failed or crashed.
    pub(super) fn all_failed(&self) -> Option<u64> {
        let have_failed = self.arms.iter().all(|arm| arm.ran() == 0);
        have_failed.then(|| self.arms.iter().map(|arm| arm.failures).sum())
    }

    /// Asks the stopping rule how many trials each arm is to have.
    pub(super) fn decide(&mut self, plan: &Plan) {
        if let Some((rule, outcomes)) = plan.stopping_rule.as_ref().zip(self.outcomes.as_ref()) {
            self.state = rule.state(outcomes, plan.repeats);
        }
    }
}
