//! Faults of tables, in words.

use std::fmt::Display;
use std::io;

/// A column that is missing, of another type, or with a value that may not be.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct FrameError(String);

impl FrameError {
    /// Creates the error with this message.
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
    /// The bytes are not Parquet, or have an unsupported feature; with a message.
    #[error("{0}")]
    Damaged(String),
}
