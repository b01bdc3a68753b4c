//! Files and folders of a results folder that may be missing, and folders that are made.

use crate::results::error::ResultsError;
use crate::system::regular::{self, MOST_OF_TEXT};
use serde::de::DeserializeOwned;
use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Reads a file of at most `most` bytes; `None` if there is none.
pub(crate) fn read_if_there(path: &Path, most: u64) -> Result<Option<Vec<u8>>, ResultsError> {
    if_there(regular::read(path, most).map_err(ResultsError::reading(path, "read the file")))
}

/// Reads a file of TOML that a runner wrote; `None` if there is none.
pub(crate) fn read_toml_if_there<T: DeserializeOwned>(
    path: &Path,
) -> Result<Option<T>, ResultsError> {
    let Some(bytes) = read_if_there(path, MOST_OF_TEXT)? else { return Ok(None) };
    let text = std::str::from_utf8(&bytes);
    let text = text.map_err(|error| ResultsError::unreadable(path, error))?;
    let read = toml::from_str(text);
    read.map(Some).map_err(|error| ResultsError::unreadable(path, error.message()))
}

/// Returns what was opened; `None` if the file is not there.
pub(crate) fn if_there<T>(opened: Result<T, ResultsError>) -> Result<Option<T>, ResultsError> {
    match opened {
        Err(error) if error.is_missing() => Ok(None),
        opened => opened.map(Some),
    }
}

/// Lists a folder; empty if there is none.
pub(crate) fn list(folder: &Path) -> Result<Vec<DirEntry>, ResultsError> {
    match fs::read_dir(folder).and_then(Iterator::collect::<io::Result<_>>) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        listed => listed.map_err(ResultsError::reading(folder, "list the folder")),
    }
}

/// Returns the name of a file that is kept by the BLAKE3 of its contents. Whatever `run.toml` says,
/// it is a name.
pub(crate) fn kept_name(blake3: &str) -> String {
    blake3.chars().filter(char::is_ascii_hexdigit).take(16).collect()
}

/// Makes a folder, and those above it, unless they are there.
pub(crate) fn make_folder(folder: &Path) -> Result<(), ResultsError> {
    fs::create_dir_all(folder).map_err(ResultsError::writing(folder, "create the folder"))
}
