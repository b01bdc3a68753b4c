//! Files of data that are values of parameters.

use crate::system::regular;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// File whose contents are the value of a parameter. Its path affects no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFile {
    /// Path as the config has it.
    pub named: String,
    /// Absolute path.
    pub path: String,
    /// BLAKE3 hash of the contents, in hexadecimal.
    pub blake3: String,
}

impl DataFile {
    /// Checks that the file still has the contents that were read with the config.
    ///
    /// # Errors
    /// Returns an error, in words, if the file has other contents or cannot be read.
    pub fn check(&self) -> Result<(), String> {
        let DataFile { path, blake3, .. } = self;
        match regular::hash(Path::new(path)) {
            Ok(hash) if hash.to_hex().as_str() == blake3 => Ok(()),
            Ok(_) => Err(format!(
                "the file {path} changed after the experiment was read; start the command again, \
                and leave the file as it is meanwhile"
            )),
            Err(error) => Err(format!("the file {path} cannot be read any more: {error}")),
        }
    }
}

impl fmt::Display for DataFile {
    /// Writes the identity of the file, as fingerprints cover it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "blake3:{}", self.blake3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_that_changed_or_is_gone_is_no_value_any_more() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("data.txt");
        fs::write(&path, "1 2 3\n").expect("a file");
        let blake3 = blake3::hash(b"1 2 3\n").to_hex().to_string();
        let (named, path_text) = ("data.txt".to_owned(), path.display().to_string());
        let file = DataFile { named, path: path_text, blake3 };
        assert_eq!(file.check(), Ok(()));
        fs::write(&path, "1 2 4\n").expect("a file");
        let changed = file.check().expect_err("it changed");
        assert!(changed.contains("changed after the experiment was read"), "{changed}");
        fs::remove_file(&path).expect("removed");
        let gone = file.check().expect_err("it is gone");
        assert!(gone.contains("cannot be read any more"), "{gone}");
    }
}
