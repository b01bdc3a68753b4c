//! Errors of tunings.

use crate::config::Outcome;
use crate::results::ResultsError;
use crate::run::{Ended, SessionError};
use std::path::PathBuf;

/// Reason why a tuning has no result.
#[derive(Debug)]
pub enum TuningError {
    /// An experiment of the tuning cannot be run.
    Session(SessionError),
    /// A file cannot be read or written.
    Results(ResultsError),
    /// The plan of an iteration cannot be made any more, such as if a plugin is gone.
    Config(Box<Outcome>),
    /// The folder has another tuning, whose experiment of this path has other settings.
    Other(PathBuf),
    /// An experiment of the tuning is in a round of this number of shards, and not of that asked.
    Shards {
        /// Name of the experiment.
        experiment: String,
        /// Number of shards of the round.
        of: u64,
    },
    /// An experiment of the tuning, by its name, ended before its end: it was interrupted, or every
    /// trial failed.
    Stopped(String, Box<Ended>),
}

impl From<SessionError> for TuningError {
    fn from(error: SessionError) -> Self {
        TuningError::Session(error)
    }
}

impl From<ResultsError> for TuningError {
    fn from(error: ResultsError) -> Self {
        TuningError::Results(error)
    }
}

impl From<Box<Outcome>> for TuningError {
    fn from(outcome: Box<Outcome>) -> Self {
        TuningError::Config(outcome)
    }
}
