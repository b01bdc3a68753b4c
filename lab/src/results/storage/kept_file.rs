//! Files of data that parameters name, which are kept next to the tables. The trials can therefore
//! be run again even if a file is moved or changed.

use crate::problem::DataFile;
use crate::results::error::ResultsError;
use crate::results::storage::atomic::write_atomically;
use crate::results::storage::files::{kept_name, make_folder};
use crate::results::storage::folder::DATA;
use crate::system::regular;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Entry of `run.toml` about a file of data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptFile {
    /// Path as the config has it.
    pub named: String,
    /// BLAKE3 hash of the contents, in hexadecimal; the kept file is named by its start.
    pub blake3: String,
}

impl KeptFile {
    /// Keeps a file in a results folder: `data/<16 digits>`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or written, or has other contents by now.
    pub(crate) fn keep(folder: &Path, file: &DataFile) -> Result<Self, ResultsError> {
        let kept = KeptFile { named: file.named.clone(), blake3: file.blake3.clone() };
        if kept.check(folder).is_ok() {
            return Ok(kept);
        }
        let from = Path::new(&file.path);
        let read = regular::open_linked(from)
            .and_then(|file| regular::bytes(&file, regular::MOST_OF_DATA))
            .map_err(ResultsError::reading(from, "read the file of data"))?;
        if blake3::hash(&read).to_hex().as_str() != kept.blake3 {
            let message = "it changed after the experiment was read; start the command again";
            return Err(ResultsError::unreadable(from, message));
        }
        kept.write(folder, &read)?;
        Ok(kept)
    }

    /// Copies the kept file from one results folder into another.
    pub(crate) fn copy(&self, from: &Path, to: &Path) -> Result<(), ResultsError> {
        match self.check(to) {
            Ok(()) => Ok(()),
            Err(_) => self.write(to, &self.read(from)?),
        }
    }

    fn write(&self, folder: &Path, contents: &[u8]) -> Result<(), ResultsError> {
        make_folder(&folder.join(DATA))?;
        write_atomically(&self.path(folder), contents)
    }

    /// Returns the contents of the kept file.
    fn read(&self, folder: &Path) -> Result<Vec<u8>, ResultsError> {
        let path = self.path(folder);
        let read = regular::open(&path)
            .and_then(|file| regular::bytes(&file, regular::MOST_OF_DATA))
            .map_err(ResultsError::reading(&path, "read the file of data"))?;
        self.must_be(&blake3::hash(&read), &path).map(|()| read)
    }

    /// Checks that the kept file is there, with its contents.
    pub(crate) fn check(&self, folder: &Path) -> Result<(), ResultsError> {
        let path = self.path(folder);
        let hash = regular::open(&path).and_then(|_| regular::hash(&path));
        let hash = hash.map_err(ResultsError::reading(&path, "read the file of data"))?;
        self.must_be(&hash, &path)
    }

    fn must_be(&self, hash: &blake3::Hash, path: &Path) -> Result<(), ResultsError> {
        match hash.to_hex().as_str() == self.blake3 {
            true => Ok(()),
            false => {
                let other = "it is not the file that the trials ran with";
                Err(ResultsError::unreadable(path, other))
            }
        }
    }

    /// Returns the file as it was kept, for a plugin.
    pub(crate) fn find(&self, folder: &Path) -> Result<DataFile, ResultsError> {
        self.check(folder)?;
        let path = self.path(folder);
        let absolute = std::path::absolute(&path)
            .map_err(ResultsError::reading(&path, "read the file of data"))?;
        let utf8 = absolute.into_os_string().into_string();
        let path = utf8.map_err(|_| ResultsError::Record {
            path,
            message: "a plugin gets the paths of its files as UTF-8, and this path is not: \
                rename the folders above"
                .to_owned(),
        })?;
        Ok(DataFile { named: self.named.clone(), path, blake3: self.blake3.clone() })
    }

    /// Returns the path of the kept file.
    pub(crate) fn path(&self, folder: &Path) -> PathBuf {
        folder.join(DATA).join(kept_name(&self.blake3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_kept_and_changed_ones_are_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let source = folder.path().join("mine.txt");
        fs::write(&source, "1 2\n").expect("a file");
        let file = DataFile {
            named: "mine.txt".to_owned(),
            path: source.display().to_string(),
            blake3: blake3::hash(b"1 2\n").to_hex().to_string(),
        };
        let kept = KeptFile::keep(folder.path(), &file).expect("written");
        let found = kept.find(folder.path()).expect("kept");
        assert_eq!(fs::read(&found.path).expect("readable"), b"1 2\n");
        fs::write(&found.path, "1 3\n").expect("a file");
        let error = kept.find(folder.path()).expect_err("changed").to_string();
        assert!(error.contains("not the file that the trials ran with"), "{error}");
        // The next run puts it back, unless the source changed too.
        KeptFile::keep(folder.path(), &file).expect("written");
        assert!(kept.find(folder.path()).is_ok());
        fs::remove_file(&found.path).expect("removed");
        fs::write(&source, "1 4\n").expect("a file");
        let error = KeptFile::keep(folder.path(), &file).expect_err("changed").to_string();
        assert!(error.contains("changed after the experiment was read"), "{error}");
    }
}
