//! Errors of replays.

use super::PluginNotFound;
use crate::config::Outcome;
use crate::problem::PluginError;
use crate::results::ResultsError;
use std::path::PathBuf;

/// Why trials of a results folder cannot be run again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error(transparent)]
    Results(#[from] ResultsError),
    #[error("{}: its run.toml does not record a run", folder.display())]
    NoRun { folder: PathBuf },
    #[error(transparent)]
    NotFound(#[from] PluginNotFound),
    #[error(transparent)]
    Plugin(#[from] PluginError),
    /// With what is wrong with it.
    #[error("{}: the config of its last run is not valid here", folder.display())]
    Config { folder: PathBuf, outcome: Outcome },
}
