//! Exit codes: the contract with scripts.

use std::process::ExitCode;

/// Reason why the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All requested work was done.
    Done,
    /// Done, but some trials failed.
    SomeFailed,
    /// Bad usage or a config that breaks a rule.
    Usage,
    /// A plugin could not be used.
    Plugin,
    /// Results could not be read or written.
    Results,
    /// Not complete yet: tasks of a batch system are waiting or running.
    Underway,
    /// Undecided: a gate cannot tell from so few trials.
    Undecided,
    /// Interrupted; finished trials are saved.
    Interrupted,
}

impl Exit {
    /// Returns the exit code of the process.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::SomeFailed => 1,
            Exit::Usage => 2,
            Exit::Plugin => 3,
            Exit::Results => 4,
            Exit::Underway => 5,
            Exit::Undecided => 6,
            Exit::Interrupted => 130,
        }
    }

    /// Returns the more severe of two ends: an interruption, otherwise the one with the greater
    /// code.
    #[must_use]
    pub fn worse(self, other: Exit) -> Exit {
        if self.code() >= other.code() { self } else { other }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}
