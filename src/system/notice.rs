//! Notices: what a user should read, before it is known how it is shown.

use std::fmt;

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// What goes on; readers see it without a word before it.
    Info,
    Note,
    Warning,
    Error,
}

/// Something that a user should read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub level: Level,
    pub message: String,
}

impl Notice {
    #[must_use]
    pub fn new(level: Level, message: impl Into<String>) -> Self {
        Notice { level, message: message.into() }
    }
}

/// As readers see it: "warning: …".
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
