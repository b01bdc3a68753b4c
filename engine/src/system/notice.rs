//! Notices: messages for the user, independent of how they are shown.

use std::fmt;

/// Severity of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Progress of the program; shown without a prefix.
    Info,
    /// Useful information; nothing is wrong.
    Note,
    /// Possible problem; the program continues.
    Warning,
    /// Error: the requested work is not done.
    Error,
}

/// Message for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Severity of the notice.
    pub level: Level,
    /// Text without the prefix of its level.
    pub message: String,
}

impl Notice {
    /// Creates a notice of this level.
    #[must_use]
    pub fn new(level: Level, message: impl Into<String>) -> Self {
        Notice { level, message: message.into() }
    }
}

/// Formats a notice for readers, such as "warning: …".
impl fmt::Display for Notice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.level {
            Level::Info => "",
            Level::Note => "note: ",
            Level::Warning => "warning: ",
            Level::Error => "error: ",
        };
        write!(out, "{word}{}", self.message)
    }
}
