//! The errors that trials ended with, each kind once.

use crate::record::Outcome;
use crate::results::{Results, ResultsError};
use std::collections::BTreeSet;

/// Number of kinds of errors that are kept.
const KEPT: usize = 10;

/// The errors of an experiment's trials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrialErrors {
    /// The first of each kind, in the order of its trials; the first ten kinds.
    pub errors: Vec<TrialError>,
    /// Number of trials with other errors.
    pub others: u64,
}

/// An error, and the trials that ended with one of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialError {
    /// Outcome of the trials.
    pub outcome: Outcome,
    /// Message of the error.
    pub error: String,
    /// Number of trials that ended with it.
    pub trials: u64,
    /// Number of arms with such trials.
    pub arms: usize,
    /// Label of the first trial's arm, and the trial's number.
    pub first: (String, u64),
}

/// Reads the errors of all trials.
///
/// # Errors
/// Returns an error if a table cannot be read.
pub fn trial_errors(results: &Results) -> Result<TrialErrors, ResultsError> {
    let mut found = TrialErrors::default();
    // Of each error the arms.
    let mut arms: Vec<BTreeSet<usize>> = Vec::new();
    results.trials(|record| {
        let Some(error) = &record.error else { return };
        let own = kind(error);
        let is_same =
            |one: &TrialError| one.outcome == record.outcome && kind(&one.error).eq(own.clone());
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
    })?;
    for (error, arms) in found.errors.iter_mut().zip(arms) {
        error.arms = arms.len();
    }
    Ok(found)
}

/// Returns an error without its digits and without the genome: errors with the same rest are of one
/// kind.
fn kind(error: &str) -> impl Iterator<Item = char> + Clone + '_ {
    let rest = error.split("; genome ").next().unwrap_or_default();
    rest.chars().filter(|letter| !letter.is_ascii_digit() && !['.', '-'].contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_differ_in_numbers_or_genomes_are_of_one_kind() {
        let same = |one: &str, other: &str| kind(one).eq(kind(other));
        assert!(same(
            "the fitness of row 0 is -10, below 0",
            "the fitness of row 12 is -5.5, below 0"
        ));
        assert!(same("no (a.py, line 9: `x`; genome 01)", "no (a.py, line 9: `x`; genome 11)"));
        assert!(!same("no items", "no weights"));
    }
}
