//! What can go wrong with a results folder.

use std::io;
use std::path::{Path, PathBuf};

/// A results folder could not be read or written. The program then ends with
/// [`ResultsError::EXIT_CODE`].
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    #[error("{}: cannot {action}: {source}; {way_out}", path.display())]
    File { path: PathBuf, action: &'static str, source: io::Error, way_out: &'static str },
    #[error("{}: this file cannot be read: {message}; run the experiment again: it moves a damaged \
        file to quarantine and keeps the finished trials of the others", path.display())]
    Unreadable { path: PathBuf, message: String },
    #[error("{}: this table cannot be written: {message}; check the disk's free space, then run \
        the same command again: finished trials are kept", path.display())]
    Unwritable { path: PathBuf, message: String },
    #[error("{}: another run is writing to this folder ({holder}); wait for it or stop it, or \
        choose another folder with --out", folder.display())]
    Locked { folder: PathBuf, holder: String },
    #[error("{}: this is a symbolic link, and results are only written inside the results \
        directory; remove the link, or name the directory that it leads to with --out", path.display())]
    Link { path: PathBuf },
    #[error("{}: there are no results here: {missing}; name a folder that a run created, for \
        example results/NAME", path.display())]
    None { path: PathBuf, missing: &'static str },
    #[error("{}: written in table format {found} by another version of the runner, and this \
        version reads format {known}; use the runner that wrote it, or choose another folder with \
        --out", path.display())]
    Format { path: PathBuf, found: String, known: u32 },
    #[error("{}: it belongs to {is}, not to {should}; put the right file back, or run the \
        experiment again: it moves aside what does not belong there", path.display())]
    Foreign { path: PathBuf, is: String, should: String },
    #[error("{}: {lacking} of {wanted} trials are missing at the end, such as {example}; no table \
        was written, and finished trials are kept: run the same command again; if this happens \
        again, the plugin, the disk or the runner is at fault", folder.display())]
    MissingTrials { folder: PathBuf, lacking: u64, wanted: u64, example: String },
    #[error("{}: {message}", path.display())]
    Record { path: PathBuf, message: String },
    #[error("{}: this has {what} than {}; merge only shards of the same config, plugin and runner, \
        into a folder without other trials (--out); --accept-plugin-change merges other builds too", path.display(), other.display())]
    Mixed { path: PathBuf, other: PathBuf, what: &'static str },
    #[error("{}: trial {trial} of `{arm}` has a different result than in {}; one of the two ran on \
        a machine or with a plugin that is not reliable: run that shard again elsewhere, and check \
        both with `runner verify`", path.display(), other.display())]
    Disagree { path: PathBuf, other: PathBuf, arm: String, trial: u64 },
    #[error("the shards of `{experiment}` are not complete: {missing}")]
    Incomplete { experiment: String, missing: String },
    #[error("{}: the swept key `{key}` has the name of a fixed column of the table; sweep it under \
        its full key, for example `problem.{key}`", path.display())]
    Column { path: PathBuf, key: String },
}

impl ResultsError {
    /// The program's exit code for these errors.
    pub const EXIT_CODE: u8 = 4;

    pub(crate) fn reading(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| ResultsError::File {
            path,
            action,
            source,
            way_out: "check that it exists and may be read",
        }
    }

    pub(crate) fn writing(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| ResultsError::File {
            path,
            action,
            source,
            way_out: "check the permissions and the disk's free space, or choose another folder \
                with --out",
        }
    }
}
