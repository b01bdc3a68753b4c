//! Errors between the runner and a batch system.

use crate::results::ResultsError;
use crate::system::shell::shell_path;
use std::path::PathBuf;

/// A batch system that cannot be used, or a submission that cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClusterError {
    /// A program of the batch system does not exist.
    #[error("`{program}` cannot be started: {source}; {way_out}")]
    NoProgram { program: &'static str, source: std::io::Error, way_out: &'static str },
    /// The batch system rejects the job.
    #[error("{program} refused the {what}: {said}; nothing of `{experiment}` is in the queue")]
    Refused { program: &'static str, what: &'static str, experiment: String, said: String },
    /// The output of a program of the batch system cannot be parsed.
    #[error("{program} answered `{said}`, which is not {expected}")]
    Answer { program: &'static str, said: String, expected: &'static str },
    /// The batch system does not answer.
    #[error("{program} does not answer: {said}; try again once the batch system does")]
    Silent { program: &'static str, said: String },
    /// Jobs of the experiment are in the queue.
    #[error(
        "`{experiment}` still has {tasks} in the queue; wait for them (runner status {folder} \
        --watch), or cancel them first: scancel {jobs}"
    )]
    Queued { experiment: String, tasks: String, folder: String, jobs: String },
    /// Shards of the experiment run on this machine.
    #[error(
        "`{experiment}` has tasks that run on this machine (shards {shards}); wait for them \
        (runner status {folder} --watch), or end them first"
    )]
    Running { experiment: String, shards: String, folder: String },
    /// The file that describes a submission is invalid.
    #[error("{}: this is not a submission that this version of the runner wrote: {message}; \
        submit the experiment again", path.display())]
    Unreadable { path: PathBuf, message: String },
    /// The folder has no submission.
    #[error("{}: the experiment was not submitted: there is no {}; name a folder such as \
        results/NAME whose experiment `runner submit` submitted, or look at how far a run here has \
        come: runner show {}", path.display(), file.display(), shell_path(path))]
    None { path: PathBuf, file: PathBuf },
    /// A word cannot be written into a script.
    #[error(
        "{what} cannot stand in a script: {word:?} is not valid UTF-8, or has a line break or \
        another control character; use another name"
    )]
    Word { what: &'static str, word: String },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] ResultsError),
}
