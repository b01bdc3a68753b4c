//! Notices: what a user should read, before it is known how it is shown.

use std::fmt;

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// What goes on; readers see it without a word before it.
    Info,
    /// Worth knowing; nothing is wrong.
    Note,
    /// Something may be wrong; it goes on.
    Warning,
    /// Something is wrong, and what was asked for is not done.
    Error,
}

/// Something that a user should read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How serious it is.
    pub level: Level,
    /// The text, without its level.
    pub message: String,
}

impl Notice {
    /// A text of this level.
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
