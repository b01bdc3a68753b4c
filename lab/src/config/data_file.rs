//! Files of data that a config names: opened, or why not.

use super::file_access::{FileAccess, NotOpened, Refusal};
use super::keys::Key;
use std::fmt::Display;
use std::fs::File;
use std::path::Path;

/// Reason why a file gives no data.
#[derive(Debug)]
pub(super) struct NoData {
    /// Description of the fault, without the file's name.
    pub message: String,
    pub help: String,
    /// Key whose value is at fault; `None` for the one that names the file.
    pub key: Option<&'static Key>,
}

impl NoData {
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        NoData { message: message.into(), help: help.into(), key: None }
    }

    /// Says that the value of this key is at fault, if the table has it.
    pub(super) fn of(self, key: &'static Key) -> Self {
        NoData { key: Some(key), ..self }
    }
}

/// Returns whether a path is that of a Parquet file.
pub(super) fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"))
}

/// Opens a file to read `what` from it. `instead`: what to give where this is no file.
pub(super) fn open(
    path: &Path,
    files: FileAccess,
    what: &str,
    instead: &str,
) -> Result<File, NoData> {
    // A pipe must not be waited for.
    let is_no_file = || std::fs::metadata(path).is_ok_and(|found| !found.is_file());
    if files == FileAccess::Any && is_no_file() {
        return Err(NoData::new("it is no file", instead));
    }
    files.open(path).map_err(|error| match error {
        NotOpened::Refused(Refusal { who, help }) => {
            NoData::new(format!("{who} cannot read {what}"), help)
        }
        NotOpened::System(error) => unreadable(&error),
    })
}

pub(super) fn unreadable(error: &std::io::Error) -> NoData {
    let help = "check the path, which is relative to the file that says it, or, of an option, to \
        the current folder";
    match error.kind() {
        std::io::ErrorKind::NotFound => NoData::new("there is no such file", help),
        _ => NoData::new(error.to_string(), help),
    }
}

pub(super) fn damaged(error: impl Display) -> NoData {
    NoData::new(format!("it cannot be read: {error}"), "check the file")
}
