//! Folders for files that are made of results. The results may come from strangers, so no link in
//! them leads a file elsewhere.

use crate::results::ResultsError;
use crate::results::storage::atomic::{
    create as create_unfinished, remove_if_there, rename, write_atomically,
};
use crate::results::storage::files::make_folder;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Makes a folder that the user named, wherever its path leads; one that is there stays.
///
/// # Errors
/// Returns an error if it cannot be made.
pub fn create(folder: &Path) -> Result<PathBuf, ResultsError> {
    make_folder(folder)?;
    Ok(folder.to_owned())
}

/// Makes the folder `name` in another; one that is there stays.
///
/// # Errors
/// Returns an error if it is a symbolic link, or cannot be made.
///
/// # Panics
/// Panics if `name` is not one component of a path, which is a caller's bug.
pub fn create_below(parent: &Path, name: &str) -> Result<PathBuf, ResultsError> {
    assert!(Path::new(name).file_name() == Some(name.as_ref()), "`{name}` is not a folder name");
    let folder = parent.join(name);
    if fs::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(ResultsError::Link { path: folder });
    }
    create(&folder)
}

/// Writes a file whole or not at all; a link in its place gives way.
///
/// # Errors
/// Returns an error if it cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), ResultsError> {
    write_atomically(path, bytes)
}

/// Writes a file that the user named, whole or not at all. A link to a file is followed, and a
/// device or a pipe takes the bytes.
///
/// # Errors
/// Returns an error if it cannot be written.
pub fn write_named(path: &Path, bytes: &[u8]) -> Result<(), ResultsError> {
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&place).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        true => fs::write(&place, bytes).map_err(ResultsError::writing(path, "write the file")),
        false => write_atomically(&place, bytes),
    }
}

/// Writes a new file whole or not at all.
///
/// # Errors
/// Returns the system's error; `AlreadyExists` if there is a file.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes).inspect_err(|_| _ = fs::remove_file(path))
}

/// Writes a file whole or not at all, by a function that is given the open file. A link in its
/// place gives way.
///
/// # Errors
/// Returns the error of the function, or one of the file.
pub fn write_with(
    path: &Path,
    write: impl FnOnce(File) -> Result<File, ResultsError>,
) -> Result<(), ResultsError> {
    let (unfinished, file) = create_unfinished(path)?;
    let written = write(file).and_then(|file| {
        file.sync_all().map_err(ResultsError::writing(&unfinished, "write the file"))
    });
    match written {
        Ok(()) => rename(&unfinished, path),
        Err(error) => {
            _ = remove_if_there(&unfinished);
            Err(error)
        }
    }
}

/// Suffix of the name of a submission's folder, which is next to the folders of results.
pub const SUBMISSION_SUFFIX: &str = ".submission";

/// Returns whether the folder has the name of a submission.
#[must_use]
pub fn is_submission(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(SUBMISSION_SUFFIX))
}
