//! Errors of sessions.

use crate::results::ResultsError;
use std::path::PathBuf;

/// Reason why a session cannot continue. Each message names the thing, the value, the rule and the
/// way out. Finished trials are saved.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The results folder cannot be read or written.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// No worker can be had any more.
    #[error("{message}; finished trials are saved")]
    Worker {
        /// Reason for the error.
        message: String,
    },
    /// The trials that are there were made by another build of the same plugin version.
    #[error("{}: it has trials from another build of the plugin {plugins} (the bytes of its \
        file changed, its version did not); continue with --accept-plugin-change if the change \
        cannot affect results, or change the plugin's version, or remove the folder and run it \
        again", folder.display())]
    PluginChanged {
        /// The results folder.
        folder: PathBuf,
        /// Name and version of each plugin that changed.
        plugins: String,
    },
}
