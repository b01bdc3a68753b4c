//! Quarantine: where files go that a run finds in its folder and cannot use. Nothing is deleted.

use crate::results::error::ResultsError;
use crate::results::storage::atomic::sync_folder;
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
            fs::create_dir_all(&self.parent)
                .map_err(ResultsError::writing(&self.parent, "create the folder"))?;
            let entries = fs::read_dir(&self.parent)
                .map_err(ResultsError::reading(&self.parent, "list the folder"))?;
            let mut last = 0;
            for entry in entries {
                let entry =
                    entry.map_err(ResultsError::reading(&self.parent, "list the folder"))?;
                let number = entry.file_name().to_string_lossy().parse().unwrap_or(0);
                last = last.max(if number < NUMBERS { number } else { 0 });
            }
            let path = self.parent.join(format!("{:03}", last + 1));
            fs::create_dir(&path).map_err(ResultsError::writing(&path, "create the folder"))?;
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
