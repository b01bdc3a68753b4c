//! Errors of replays.

use super::PluginNotFound;
use crate::config::Outcome;
use crate::problem::PluginError;
use crate::results::ResultsError;
use std::path::PathBuf;

/// Reason why trials of a results folder cannot be run again.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ReplayError {
    /// The results cannot be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The results do not say which run made them.
    #[error("{}: its run.toml does not record a run", folder.display())]
    NoRun { folder: PathBuf },
    /// The plugin is not there.
    #[error(transparent)]
    NotFound(#[from] PluginNotFound),
    /// The plugin cannot be loaded.
    #[error(transparent)]
    Plugin(#[from] PluginError),
    /// With what is wrong with it.
    #[error("{}: the config of its last run is not valid here", folder.display())]
    Config { folder: PathBuf, outcome: Outcome },
}
