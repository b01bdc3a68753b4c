//! Quarantine: where files go that a run finds in its folder and cannot use. Nothing is deleted.

use crate::results::error::ResultsError;
use crate::results::storage::atomic::sync_folder;
use crate::results::storage::files::{list, make_folder};
use crate::results::storage::folder::NUMBERS;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A numbered folder in `damaged/` or `superseded/`, made at its first use.
pub(crate) struct Quarantine {
    parent: PathBuf,
    made: Option<PathBuf>,
}

impl Quarantine {
    pub(crate) fn new(folder: &Path, name: &str) -> Self {
        Quarantine { parent: folder.join(name), made: None }
    }

    /// Returns the folder; makes it if need be.
    pub(crate) fn folder(&mut self) -> Result<&Path, ResultsError> {
        if self.made.is_none() {
            make_folder(&self.parent)?;
            let entries = list(&self.parent)?.into_iter();
            let numbers = entries.filter_map(|one| one.file_name().to_str()?.parse::<u64>().ok());
            let mut next = numbers.filter(|number| *number < NUMBERS).max().unwrap_or(0) + 1;
            let path = loop {
                let path = self.parent.join(format!("{next:03}"));
                match fs::create_dir(&path) {
                    Ok(()) => break path,
                    // Another attempt at the shard took the number meanwhile.
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => next += 1,
                    Err(error) => {
                        return Err(ResultsError::writing(&path, "create the folder")(error));
                    }
                }
            };
            sync_folder(&path)?;
            self.made = Some(path);
        }
        Ok(self.made.as_deref().expect("made above"))
    }

    /// Moves a file there, if it exists.
    pub(crate) fn take(&mut self, path: &Path) -> Result<(), ResultsError> {
        let there = match fs::symlink_metadata(path) {
            Ok(_) => true,
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(ResultsError::reading(path, "look at the file")(error)),
        };
        if there {
            let name = path.file_name().unwrap_or_default().to_owned();
            let target = self.folder()?.join(name);
            fs::rename(path, &target).map_err(ResultsError::writing(path, "move the file"))?;
            sync_folder(&target)?;
            sync_folder(path)?;
        }
        Ok(())
    }

    /// Returns the folder of the moved things; `None` if nothing was moved.
    pub(crate) fn made(&self) -> Option<&Path> {
        self.made.as_deref()
    }
}
