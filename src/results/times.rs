//! The times of trials, read from a results folder.

use super::{Results, ResultsError};
use crate::analysis::ArmTimes;
use crate::record::TrialRecord;
use crate::results::schema::row::TimingRow;
use std::collections::HashMap;

/// How long the trials of each arm took, in plan order; arms without a row in the timings table
/// have none.
///
/// # Errors
/// If the tables cannot be read.
pub(crate) fn times(results: &Results) -> Result<Vec<ArmTimes>, ResultsError> {
    let mut evaluations: Vec<HashMap<u64, u64>> = vec![HashMap::new(); results.arms().len()];
    results.figures(|trial: TrialRecord| -> Result<(), ResultsError> {
        if !trial.outcome.is_failure() {
            evaluations[trial.arm].insert(trial.trial, trial.evaluations);
        }
        Ok(())
    })?;
    let mut found: Vec<Vec<(f64, u64)>> = vec![Vec::new(); evaluations.len()];
    results.timings(|row: TimingRow| -> Result<(), ResultsError> {
        if let Some(evaluations) = evaluations[row.arm].get(&row.trial) {
            found[row.arm].push((row.timing.seconds, *evaluations));
        }
        Ok(())
    })?;
    Ok(found.iter().map(|trials| ArmTimes::of(trials)).collect())
}
