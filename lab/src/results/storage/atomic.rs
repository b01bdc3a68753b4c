//! Files that appear whole or not at all: written under a name that is not theirs, then renamed.

use crate::results::error::ResultsError;
use crate::system::host::unique;
use crate::system::regular;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Files that start so are unfinished: a run that was killed left them, and the next one removes
/// them.
pub(crate) const UNFINISHED: &str = ".unfinished-";

/// Returns a name next to `path` that no other process uses, on any machine. Two processes may
/// write the same file at the same time if the file system has no locks.
fn unfinished(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{UNFINISHED}{:016x}-{name}", unique()))
}

/// Makes the file of this name that is to be renamed to `path`, anew.
///
/// # Errors
/// Returns an error if it cannot be made, or if a device or a pipe is at `path`.
pub(crate) fn create(path: &Path) -> Result<(PathBuf, File), ResultsError> {
    regular::check_replaceable(path).map_err(ResultsError::writing(path, "replace this"))?;
    let unfinished = unfinished(path);
    let file = regular::open_with(&unfinished, File::options().write(true).create_new(true));
    let file = file.map_err(ResultsError::writing(&unfinished, "create the file"))?;
    Ok((unfinished, file))
}

/// Gives an unfinished file its name, in place of what had it before.
pub(crate) fn rename(unfinished: &Path, path: &Path) -> Result<(), ResultsError> {
    fs::rename(unfinished, path)
        .map_err(ResultsError::writing(path, "rename the finished file"))?;
    sync_folder(path)
}

/// Puts the names in the folder of `path` on the disk.
pub(crate) fn sync_folder(path: &Path) -> Result<(), ResultsError> {
    // The parent of a bare name is empty.
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    let folder = above.unwrap_or(Path::new("."));
    // Windows has no such call, and keeps names safe by itself.
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(ResultsError::writing(folder, "flush the folder"))?;
    }
    Ok(())
}

/// Writes `bytes` to `path` atomically.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), ResultsError> {
    let (unfinished, mut file) = create(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if let Err(error) = written {
        _ = fs::remove_file(&unfinished);
        return Err(ResultsError::writing(path, "write the file")(error));
    }
    rename(&unfinished, path)
}

/// Writes a value to `path` as TOML, atomically.
pub(crate) fn write_toml(path: &Path, value: &impl Serialize) -> Result<(), ResultsError> {
    let text = toml::to_string_pretty(value);
    let text = text.map_err(|error| ResultsError::unwritable(path, error))?;
    write_atomically(path, text.as_bytes())
}

/// Copies a file atomically, and replaces a file at the target.
///
/// # Errors
/// Returns the system's error; `NotFound` if there is no such file.
pub(crate) fn copy_atomically(from: &Path, to: &Path) -> io::Result<()> {
    let unfinished = unfinished(to);
    io::copy(&mut regular::open(from)?, &mut File::create_new(&unfinished)?)?;
    fs::rename(&unfinished, to)
}

/// Removes a file; one that is not there is no error.
pub(crate) fn remove_if_there(path: &Path) -> Result<(), ResultsError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(ResultsError::writing(path, "remove the file")(error))
        }
        _ => Ok(()),
    }
}

/// Removes a folder with all that is in it; one that is not there is no error.
pub(crate) fn remove_folder_if_there(folder: &Path) -> Result<(), ResultsError> {
    removed(folder, fs::remove_dir_all(folder), &[ErrorKind::NotFound])
}

/// Removes a folder that another process, on any machine, may also remove or still write to. A
/// folder that is still written to may remain in part.
pub(crate) fn remove_shared_folder(folder: &Path) -> Result<(), ResultsError> {
    let harmless = [ErrorKind::NotFound, ErrorKind::DirectoryNotEmpty];
    removed(folder, fs::remove_dir_all(folder), &harmless)
}

fn removed(
    folder: &Path,
    removed: io::Result<()>,
    harmless: &[ErrorKind],
) -> Result<(), ResultsError> {
    match removed {
        Err(error) if !harmless.contains(&error.kind()) => {
            Err(ResultsError::writing(folder, "remove the folder")(error))
        }
        _ => Ok(()),
    }
}
