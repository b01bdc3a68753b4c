//! Trials whose records are collected, and go to no results folder.

use super::channel::Intake;
use super::isolation::Isolation;
use super::pool::{RunError, Sink, run_trials};
use super::time_limit::TimeLimit;
use crate::plan::Plan;
use crate::record::TrialRecord;
use crate::system::interrupt::Interrupt;
use std::convert::Infallible;
use std::ops::Range;

/// No worker is available, for this reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoWorker(pub String);

/// Runs trials of a plan, each given by its arm and number, on `jobs` workers. Their records, in
/// any order; fewer than were asked for once `interrupt` is raised.
///
/// # Errors
/// Returns an error if no worker can be had.
pub fn collect_trials(
    plan: &Plan,
    trials: impl IntoIterator<Item = (usize, u64)>,
    jobs: usize,
    isolation: &Isolation,
    interrupt: &Interrupt,
) -> Result<Vec<TrialRecord>, NoWorker> {
    let mut missing: Vec<Vec<Range<u64>>> = vec![Vec::new(); plan.arms.len()];
    trials.into_iter().for_each(|(arm, trial)| missing[arm].push(trial..trial + 1));
    let mut collected = Collected(Vec::new());
    match run_trials(
        plan,
        &missing,
        jobs,
        isolation,
        interrupt,
        TimeLimit::default(),
        &mut collected,
    ) {
        Ok(_) => Ok(collected.0),
        Err(RunError::Worker(message)) => Err(NoWorker(message)),
        Err(RunError::Sink(never)) => match never {},
    }
}

struct Collected(Vec<TrialRecord>);

impl Sink for Collected {
    type Error = Infallible;
    type Batch = Vec<TrialRecord>;

    fn intake(&self) -> Intake<Vec<TrialRecord>> {
        Box::new(|records| records)
    }

    fn running(&mut self, _: usize) {}

    fn records(&mut self, batches: Vec<Vec<TrialRecord>>) -> Result<(), Infallible> {
        self.0.extend(batches.into_iter().flatten());
        Ok(())
    }
}
