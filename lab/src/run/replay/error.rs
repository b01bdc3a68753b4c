//! Errors of replays.

use super::PluginNotFound;
use crate::config::Outcome;
use crate::problem::PluginError;
use crate::results::ResultsError;
use std::path::PathBuf;

/// Reason why trials of a results folder cannot be run again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The results cannot be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The results do not say which run made them.
    #[error("{}: its run.toml does not record a run", folder.display())]
    NoRun {
        /// The results folder.
        folder: PathBuf,
    },
    /// The plugin is not there.
    #[error(transparent)]
    NotFound(#[from] PluginNotFound),
    /// The plugin cannot be loaded.
    #[error(transparent)]
    Plugin(#[from] PluginError),
    /// With what is wrong with it.
    #[error("{}: the config of its last run is not valid here", folder.display())]
    Config {
        /// The results folder.
        folder: PathBuf,
        /// The config, and what is wrong with it.
        outcome: Outcome,
    },
}
