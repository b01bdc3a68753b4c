//! Errors of sessions.

use crate::results::ResultsError;
use std::path::PathBuf;

/// Why a session cannot go on. Each message names the thing, the value, the rule and the way out;
/// the trials that finished are saved.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error(transparent)]
    Results(#[from] ResultsError),
    #[error("{message}; what finished is saved")]
    Worker { message: String },
    #[error("{}: it has trials that were made by another build of the plugin {name} {version} (the \
        library's bytes changed, its version did not); go on with --accept-plugin-change if the \
        change cannot matter, or give the plugin another version, or remove the folder and run it \
        again", folder.display())]
    PluginChanged { folder: PathBuf, name: String, version: String },
}
