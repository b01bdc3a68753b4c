//! Errors of results folders.

use crate::words::count;
use rustix::io::Errno;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A results folder could not be read or written. The program then ends with
/// [`ResultsError::EXIT_CODE`].
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ResultsError {
    /// A file or folder cannot be opened, read, written or moved.
    #[error("{}: cannot {action}: {source}; {way_out}", path.display())]
    File { path: PathBuf, action: &'static str, source: io::Error, way_out: &'static str },
    /// The file is damaged, or no table of a runner.
    #[error("{}: this file cannot be read: {message}; run the experiment again: it moves a damaged \
        file to quarantine and keeps the finished trials of the others", path.display())]
    Unreadable { path: PathBuf, message: String },
    /// A file of a finished tuning is damaged.
    #[error("{}: this file cannot be read: {message}; give the command that tuned again: it runs \
        no finished trial again, and writes the file anew", path.display())]
    UnreadableTuning { path: PathBuf, message: String },
    /// A table cannot be written to the end.
    #[error("{}: this table cannot be written: {message}; check the disk's free space, then run \
        the same command again: finished trials are kept", path.display())]
    Unwritable { path: PathBuf, message: String },
    /// Another process holds the folder's lock.
    #[error("{}: another run is writing to this folder ({holder}); wait for it or stop it, or \
        choose another folder with --out", folder.display())]
    Locked { folder: PathBuf, holder: String },
    /// A run's folder is no longer where the run found it.
    #[error("{}: the folder was renamed or deleted while a run wrote to it, and what the run finds \
        would be lost; if it was renamed, the trials so far are in it: put it back, and run the \
        same command again", folder.display())]
    Moved { folder: PathBuf },
    /// A symbolic link is in place of a file or folder.
    #[error("{}: this is a symbolic link, and results are only written inside the results \
        directory; remove the link, or name the directory that it leads to with --out",
        path.display())]
    Link { path: PathBuf },
    /// The folder has no results.
    #[error("{}: there are no results here: {missing}; name a folder that a run created, for \
        example results/NAME", path.display())]
    None { path: PathBuf, missing: &'static str },
    /// The folder is none that a run with `--shard` made.
    #[error("{}: this is not a shard: no run with --shard made it, and what a run without it made \
        needs no merge; name the folders of all shards", path.display())]
    NoShard { path: PathBuf },
    /// The table's format is not that of this runner.
    #[error("{}: written in table format {found} by another version of the runner, and this \
        version reads format {known}; use the runner that wrote it, or choose another folder with \
        --out", path.display())]
    Format { path: PathBuf, found: String, known: u32 },
    /// Trials that finished are in no segment yet, and the bytes that have them are not those that
    /// were written.
    #[error("{}: this journal is damaged: {bytes} bytes from byte {first} on belong to no sound \
        entry (a checksum does not match), and finished trials are missing without them; run the \
        experiment again: it keeps a copy of the journal in damaged/, keeps the other trials, and \
        runs the missing ones again", path.display())]
    DamagedJournal {
        path: PathBuf,
        /// Bytes that belong to no sound entry.
        bytes: usize,
        /// Position of the first damaged byte.
        first: usize,
    },
    /// The journal's format is not that of this runner.
    #[error("{}: another version of the runner wrote this journal ({found}), and its trials cannot \
        be read here; go on with that version, or move this file away: its trials are then run \
        again", path.display())]
    JournalFormat { path: PathBuf, found: String },
    /// A shard that an earlier version of the runner began.
    #[error("{}: an earlier version of the runner wrote this part of a shard; finish and merge the \
        shards with that version, or remove this shard's folder: its trials are then run again",
        path.display())]
    OldPart { path: PathBuf },
    /// A file belongs to other results.
    #[error("{}: it belongs to {is}, not to {should}; put the right file back, or run the \
        experiment again: it moves aside what does not belong there", path.display())]
    Foreign { path: PathBuf, is: String, should: String },
    /// The folder of an experiment has a tuning, or the other way round.
    #[error("{}: this folder has {has}, and an experiment and a tuning in one folder could not be \
        told apart; give one of them another `name`, or choose another folder with --out",
        folder.display())]
    OtherKind { folder: PathBuf, has: &'static str },
    /// The trials were not run by a runner.
    #[error("{}: these trials were imported from {file}: runner did not run them, so it cannot \
        continue, merge, verify or replay them; choose another folder with --out, or run that \
        program again", folder.display())]
    Imported { folder: PathBuf, file: String },
    /// Trials that should be there are not, when tables are to be written.
    #[error("{}: {} of {} trials are missing at the end, such as {example}; no table \
        was written, and finished trials are kept: run the same command again; if this happens \
        again, the plugin, the disk or the runner is at fault", folder.display(), count(*lacking),
        count(*wanted))]
    MissingTrials { folder: PathBuf, lacking: u64, wanted: u64, example: String },
    /// A row of a table breaks a rule.
    #[error("{}: {message}", path.display())]
    Record { path: PathBuf, message: String },
    /// Shards do not fit together.
    #[error("{}: this has {what} than {}; merge only shards of the same config, plugin and runner, \
        into a folder without other trials (--out); --accept-plugin-change merges other builds \
        too", path.display(), other.display())]
    Mixed { path: PathBuf, other: PathBuf, what: &'static str },
    /// Two shards have the same trial with different results.
    #[error("{}: trial {trial} of `{arm}` has a different result than in {}; one of the two ran on \
        a machine or with a plugin that is not reliable: run that shard again elsewhere, and check \
        both with `runner verify`", path.display(), other.display())]
    Disagree { path: PathBuf, other: PathBuf, arm: String, trial: u64 },
    /// A run is to go on from tables in pieces.
    #[error("{}: its tables are in pieces (`runner merge --partitioned`), and such an experiment \
        cannot be gone on with; choose another folder (--out), or move this one away",
        folder.display())]
    InPieces { folder: PathBuf },
    /// Tables in pieces are to be written next to tables that are not.
    #[error("{}: the folder has trials of its own, so the shards cannot be its pieces; merge them \
        without --partitioned, or into another folder (--out)", folder.display())]
    NotInPieces { folder: PathBuf },
    /// Shards of an experiment, or trials of them, are missing.
    #[error("the shards of `{experiment}` are not complete: {missing}")]
    Incomplete { experiment: String, missing: String },
    /// A swept key has the name of a column that every table has.
    #[error("{}: the swept key `{key}` has the name of a fixed column of the table; sweep it under \
        its full key, for example `problem.{key}`", path.display())]
    Column { path: PathBuf, key: String },
}

/// Returns the way out of an error of a file: `usual`, unless the program's file was closed, which
/// it never does itself while it uses it.
fn way_out(error: &io::Error, usual: &'static str) -> &'static str {
    match error.raw_os_error() == Some(Errno::BADF.raw_os_error()) {
        true => {
            "a plugin closed a file of the program: with --isolation process, the plugin and its \
            call are named"
        }
        false => usual,
    }
}

impl ResultsError {
    /// The program's exit code for these errors.
    pub const EXIT_CODE: u8 = 4;

    /// Returns the error of a file that is damaged, or none that a runner writes.
    pub fn unreadable(path: &Path, message: impl ToString) -> Self {
        ResultsError::Unreadable { path: path.to_owned(), message: message.to_string() }
    }

    /// Returns the error of a table that cannot be written to the end.
    pub fn unwritable(path: &Path, message: impl ToString) -> Self {
        ResultsError::Unwritable { path: path.to_owned(), message: message.to_string() }
    }

    /// Returns the error about a file of a tuning, which no experiment would write anew.
    pub(crate) fn of_tuning(self) -> Self {
        match self {
            ResultsError::Unreadable { path, message } => {
                ResultsError::UnreadableTuning { path, message }
            }
            other => other,
        }
    }

    /// Returns whether the file is not there.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, ResultsError::File { source, .. } if source.kind() == ErrorKind::NotFound)
    }

    /// Returns a function that wraps an error of reading the file.
    pub fn reading(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| ResultsError::File {
            path,
            action,
            way_out: way_out(&source, "check that it exists and may be read"),
            source,
        }
    }

    /// Returns a function that wraps an error of writing the file.
    pub fn writing(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| ResultsError::File {
            path,
            action,
            way_out: way_out(
                &source,
                match source.kind() {
                    ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
                        "a file is where a folder should be: choose another folder"
                    }
                    _ => {
                        "check the permissions and the disk's free space, or choose another folder"
                    }
                },
            ),
            source,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_a_plugin_closed_is_not_blamed_on_the_disk() {
        let words = |code: Errno| {
            let source = io::Error::from_raw_os_error(code.raw_os_error());
            ResultsError::writing(Path::new("parts/journal"), "write the journal")(source)
                .to_string()
        };
        assert!(words(Errno::BADF).contains("a plugin closed a file of the program"));
        assert!(words(Errno::NOSPC).contains("the disk's free space"));
        assert!(
            words(Errno::EXIST)
                .ends_with("a file is where a folder should be: choose another folder")
        );
    }
}
