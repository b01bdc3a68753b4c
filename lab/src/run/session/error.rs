//! Errors of sessions.

use crate::results::ResultsError;
use crate::system::shell::shell_path;
use std::path::PathBuf;

/// Reason why a session cannot continue. Each message names the thing, the value, the rule and the
/// way out. Finished trials are saved.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum SessionError {
    /// The results folder cannot be read or written.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// No worker can be had any more.
    #[error("{message}; finished trials are saved")]
    Worker { message: String },
    /// The file of a plugin was written to while its trials ran.
    #[error("{}: the file was overwritten while its trials ran, so some of them may be of its new \
        bytes; remove {} and run it again, and let a new file take the place of a library that is \
        in use, as `mv` and cargo do", path.display(), shell_path(folder))]
    PluginOverwritten { path: PathBuf, folder: PathBuf },
    /// A program had to be started anew, and its file is another one now.
    #[error(
        "{message}; finished trials are saved: undo the change and run the same command again, \
        or run the changed file with another --out"
    )]
    PluginEdited { message: String },
    /// The trials that are there were made by another build of the same plugin version.
    #[error("{}: it has trials from another build of the plugin {plugins} (the bytes of its \
        file changed, its version did not); continue with --accept-plugin-change if the change \
        cannot affect results, or change the plugin's version, or remove the folder and run it \
        again", folder.display())]
    PluginChanged { folder: PathBuf, plugins: String },
}
