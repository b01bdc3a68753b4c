//! The times of trials, read from a results folder.

use super::{Results, ResultsError, Rows};
use crate::analysis::ArmTimes;
use crate::analysis::by_trial::ByTrial;
use crate::record::TrialRecord;
use crate::results::schema::row::TimingRow;

/// Returns the times of the trials of each arm, in plan order. Arms without a row in the timings
/// table have no times.
///
/// # Errors
/// Returns an error if the tables cannot be read.
pub fn times(results: &Results) -> Result<Vec<ArmTimes>, ResultsError> {
    let (mut trials, mut timings) = (results.rows()?.figures(), results.rows()?);
    let of_arm = |arm| {
        let mut stopwatch = Stopwatch::default();
        trials.of_arm(arm, |trial| stopwatch.add(&trial))?;
        stopwatch.read(arm, &mut timings)
    };
    (0..results.arms().len()).map(of_arm).collect()
}

/// An arm's trials, whose times are to be read.
#[derive(Default)]
pub struct Stopwatch {
    /// Numbers of evaluations of the trials that did not fail.
    evaluations: ByTrial,
}

impl Stopwatch {
    /// Adds a trial.
    pub fn add(&mut self, trial: &TrialRecord) {
        if !trial.outcome.is_failure() {
            self.evaluations.insert(trial.trial, trial.evaluations as f64);
        }
    }

    /// Reads the times of the added trials.
    ///
    /// # Errors
    /// Returns an error if the table cannot be read.
    pub fn read(self, arm: usize, timings: &mut Rows<TimingRow>) -> Result<ArmTimes, ResultsError> {
        let mut trials = Vec::with_capacity(self.evaluations.len());
        timings.of_arm(arm, |row: TimingRow| {
            let evaluations = self.evaluations.get(row.trial);
            trials.extend(evaluations.map(|evaluations| (row.timing.seconds, evaluations)));
        })?;
        Ok(ArmTimes::of(&trials))
    }
}
