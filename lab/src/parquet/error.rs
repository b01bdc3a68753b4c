//! Faults of tables, in words.

use std::fmt::Display;
use std::io;

/// A column that is missing, of another type, or with a value that may not be.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct FrameError(String);

impl FrameError {
    /// With these words.
    pub(crate) fn new(words: impl Display) -> Self {
        FrameError(words.to_string())
    }
}

/// Why rows of a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Error of the system.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The bytes are no Parquet, or hold what is not supported: in words.
    #[error("{0}")]
    Damaged(String),
}
