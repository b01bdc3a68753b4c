//! Failures: reasons why a command fails, with their exit codes. Only this file prints errors.

use crate::cli::{Faults, message};
use crate::cluster::ClusterError;
use crate::exit::Exit;
use crate::problem::{CallError, PluginError};
use crate::results::ResultsError;
use crate::run::SessionError;
use crate::system::notice::{Level, Notice};
use crate::system::shell::shell_path;
use crate::words::{counted, nearest};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Reason why a command ends without its result.
#[derive(Debug)]
pub(crate) struct Failure {
    pub exit: Exit,
    /// Faults of configs and flags, each shown at its position.
    pub faults: Faults,
    /// Message below the faults.
    pub message: Message,
}

/// Message of a failure, in addition to its faults.
#[derive(Debug)]
pub(crate) enum Message {
    /// Text with the subject, the value, the rule and the way out.
    Error(String),
    /// Number of errors among the faults, and the note that nothing was run.
    NothingRun,
    /// No message: the faults explain the failure.
    None,
}

impl Failure {
    /// Creates a failure with a message.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Failure { exit, faults: Faults::default(), message: Message::Error(message.into()) }
    }

    /// Creates a failure of wrong usage.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure::new(Exit::Usage, message)
    }

    /// Creates a failure of a plugin that cannot be used.
    pub(crate) fn plugin(message: impl Into<String>) -> Self {
        Failure::new(Exit::Plugin, message)
    }

    /// Creates a failure of results that cannot be read or written.
    pub(crate) fn results(message: impl Into<String>) -> Self {
        Failure::new(Exit::Results, message)
    }

    /// Creates a failure of experiments that are not run because of these faults.
    pub(crate) fn nothing_run(exit: Exit, faults: Faults) -> Self {
        Failure { exit, faults, message: Message::NothingRun }
    }

    /// Adds faults above the message.
    #[must_use]
    pub(crate) fn below(self, faults: Faults) -> Self {
        Failure { faults, ..self }
    }

    /// Adds another way out to the message.
    #[must_use]
    pub(crate) fn also(mut self, words: &str) -> Self {
        if let Message::Error(message) = &mut self.message {
            message.push_str("; ");
            message.push_str(words);
        }
        self
    }

    /// Prints the failure to standard error. Returns the exit code.
    pub(crate) fn print(&self) -> Exit {
        self.faults.print();
        match &self.message {
            Message::Error(words) => message::show(&Notice::new(Level::Error, words)),
            Message::NothingRun => {
                let errors = self.faults.errors() as u64;
                let words = format!("{}; nothing was run", counted(errors, "error"));
                message::show_count(&Notice::new(Level::Error, words), errors);
            }
            Message::None => {}
        }
        self.exit
    }
}

impl From<ResultsError> for Failure {
    fn from(error: ResultsError) -> Self {
        Failure::results(with_nearest(&error))
    }
}

/// Returns the error as text. If the folder does not exist, suggests a results folder with a
/// similar name; if it has results folders inside, suggests one of these.
pub(crate) fn with_nearest(error: &ResultsError) -> String {
    if let Some(file) = file_in_place(error) {
        return file_words(file);
    }
    let near = match error {
        ResultsError::None { path, .. } if path.exists() => {
            let names = results_in(path);
            // The comparison at the end of a tuning.
            let test = names.iter().find(|name| *name == "test");
            test.or(names.first()).map(|name| path.join(name))
        }
        ResultsError::None { path, .. } => nearest_results(path),
        _ => None,
    };
    match near {
        Some(near) => format!("{error}; did you mean {}?", shell_path(&near)),
        None => error.to_string(),
    }
}

/// Returns the file that is in place of a folder which the error is of.
fn file_in_place(error: &ResultsError) -> Option<&Path> {
    match error {
        ResultsError::None { path, .. } if path.is_file() => Some(path),
        ResultsError::File { path, source, action, .. }
            if source.kind() == ErrorKind::NotADirectory && !action.starts_with("create") =>
        {
            path.ancestors().find(|above| above.is_file())
        }
        _ => None,
    }
}

/// Returns the error of a file that was given as `--out`.
fn out_words(file: &Path) -> String {
    format!(
        "{}: --out takes the folder in which each experiment gets one of its own, and this is a \
        file; name a folder, such as --out results",
        file.display()
    )
}

/// Returns the error of a file that was given in place of a results folder. Suggests the results of
/// an experiment file.
fn file_words(file: &Path) -> String {
    let results = Path::new("results").join(file.file_stem().unwrap_or_default());
    let near = match results.is_dir() {
        true => Some(results),
        false => file.with_extension("").to_str().and_then(|path| nearest_results(Path::new(path))),
    };
    let words = format!("{}: this is a file, and results are in a folder", file.display());
    match near {
        Some(near) => format!("{words}; did you mean {}?", shell_path(&near)),
        None => format!("{words}; name a folder that a run created, for example results/NAME"),
    }
}

/// Returns the results folder with the most similar name, next to the path or in `results`.
fn nearest_results(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let beside = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    [beside.unwrap_or(Path::new(".")), Path::new("results")].into_iter().find_map(|parent| {
        let names = results_in(parent);
        let near = nearest(name, names.iter().map(String::as_str))?;
        Some(parent.strip_prefix(".").unwrap_or(parent).join(near))
    })
}

/// Returns whether a folder is that of an experiment's results.
pub(crate) fn has_results(folder: &Path) -> bool {
    folder.join("summary.parquet").is_file() || folder.join("parts").is_dir()
}

/// Returns the names of the results folders in a folder, sorted.
fn results_in(parent: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let folders = entries.map(|entry| entry.path()).filter(|folder| has_results(folder));
    let mut names: Vec<String> =
        folders.filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned())).collect();
    names.sort();
    names
}

impl From<ClusterError> for Failure {
    fn from(error: ClusterError) -> Self {
        let exit = match error {
            ClusterError::File(_) | ClusterError::Unreadable { .. } => Exit::Results,
            _ => Exit::Usage,
        };
        Failure::new(exit, error.to_string())
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        let exit = match error {
            SessionError::PluginChanged { .. }
            | SessionError::PluginOverwritten { .. }
            | SessionError::PluginEdited { .. }
            | SessionError::Worker { .. } => Exit::Plugin,
            SessionError::Results(_) => Exit::Results,
        };
        let words = match &error {
            SessionError::Results(error) => {
                file_in_place(error).map_or_else(|| with_nearest(error), out_words)
            }
            error => error.to_string(),
        };
        Failure::new(exit, words)
    }
}

impl From<PluginError> for Failure {
    fn from(error: PluginError) -> Self {
        Failure::plugin(error.to_string())
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Failure::plugin(error.to_string())
    }
}
