//! Files of a pack.

use crate::results::ResultsError;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::PathBuf;

/// A file of a pack.
#[derive(Clone, Debug)]
pub struct Part {
    /// Path in the pack, with `/` between its components.
    pub name: String,
    /// Contents, in words.
    pub description: String,
    /// Origin of the contents.
    pub source: Source,
}

/// Origin of a file's contents.
#[derive(Clone, Debug)]
pub enum Source {
    /// A text that was made for the pack.
    Text(String),
    /// A file that is copied.
    File(PathBuf),
}

/// Size and hash of a file's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Measured {
    /// Bytes.
    pub size: u64,
    pub blake3: blake3::Hash,
}

impl Part {
    /// Returns a file with this text.
    pub fn of_text(name: &str, description: &str, text: String) -> Self {
        let source = Source::Text(text);
        Part { name: name.to_owned(), description: description.to_owned(), source }
    }

    /// Returns a reader of the contents.
    pub(super) fn open(&self) -> Result<Box<dyn Read + '_>, ResultsError> {
        match &self.source {
            Source::Text(text) => Ok(Box::new(Cursor::new(text.as_bytes()))),
            Source::File(path) => {
                let file: File = crate::system::regular::open_linked(path)
                    .map_err(ResultsError::reading(path, "open the file"))?;
                Ok(Box::new(file))
            }
        }
    }

    /// Returns the size and the hash of the contents.
    pub(super) fn measure(&self) -> Result<Measured, ResultsError> {
        let mut hasher = blake3::Hasher::new();
        hasher
            .update_reader(self.open()?)
            .map_err(ResultsError::reading(self.path().as_ref(), "read the file"))?;
        Ok(Measured { size: hasher.count(), blake3: hasher.finalize() })
    }

    /// Returns the path of the file, or the name of the text.
    pub(super) fn path(&self) -> PathBuf {
        match &self.source {
            Source::Text(_) => PathBuf::from(&self.name),
            Source::File(path) => path.clone(),
        }
    }

    /// Returns the format of the contents (IANA media types).
    pub(super) fn media_type(&self) -> &'static str {
        match self.name.rsplit('/').next().and_then(|name| name.rsplit_once('.')) {
            Some((_, "parquet")) => "application/vnd.apache.parquet",
            Some((_, "toml")) => "application/toml",
            Some((_, "html")) => "text/html",
            Some((_, "md")) => "text/markdown",
            Some((_, "csv")) => "text/csv",
            Some((_, "cff")) => "application/yaml",
            Some((_, "py")) => "text/x-python",
            _ => "application/octet-stream",
        }
    }
}
