//! The errors that trials ended with, each once.

use crate::record::Outcome;
use crate::results::{Results, ResultsError};
use std::collections::BTreeSet;

/// Different errors that are kept.
const KEPT: usize = 10;

/// The errors of an experiment's trials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TrialErrors {
    /// In the order of the first trial of each; the first ten.
    pub errors: Vec<TrialError>,
    /// Trials with other errors.
    pub others: u64,
}

/// An error, and the trials that ended with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TrialError {
    pub outcome: Outcome,
    pub error: String,
    pub trials: u64,
    /// How many arms they are of.
    pub arms: usize,
    /// The first trial: its arm's label and its number.
    pub first: (String, u64),
}

/// Reads the errors of all trials.
///
/// # Errors
/// If a table cannot be read.
pub(crate) fn trial_errors(results: &Results) -> Result<TrialErrors, ResultsError> {
    let mut found = TrialErrors::default();
    // Of each error the arms.
    let mut arms: Vec<BTreeSet<usize>> = Vec::new();
    results.trials(|record| -> Result<(), ResultsError> {
        let Some(error) = &record.error else { return Ok(()) };
        let is_same = |one: &TrialError| (one.outcome, &one.error) == (record.outcome, error);
        match found.errors.iter().position(is_same) {
            Some(place) => {
                found.errors[place].trials += 1;
                arms[place].insert(record.arm);
            }
            None if found.errors.len() == KEPT => found.others += 1,
            None => {
                found.errors.push(TrialError {
                    outcome: record.outcome,
                    error: error.clone(),
                    trials: 1,
                    arms: 1,
                    first: (results.arms()[record.arm].label.clone(), record.trial),
                });
                arms.push(BTreeSet::from([record.arm]));
            }
        }
        Ok(())
    })?;
    for (error, arms) in found.errors.iter_mut().zip(arms) {
        error.arms = arms.len();
    }
    Ok(found)
}
