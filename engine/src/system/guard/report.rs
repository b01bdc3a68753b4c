//! How the guard's words reach the user.

use crate::system::notice::{Level, Notice};
use std::sync::OnceLock;

/// What shows notices.
#[derive(Clone, Copy, Debug)]
pub struct Reporter {
    /// Shows one.
    pub show: fn(&Notice),
    /// What showing it would write: for a copy of the process, in which no lock may be taken.
    pub line: fn(&Notice) -> String,
}

static REPORTER: OnceLock<Reporter> = OnceLock::new();

/// Sets what shows the guard's notices; without it, they are dropped. To be called once, before the
/// guard.
pub fn report_with(reporter: Reporter) {
    // Who came first stays.
    _ = REPORTER.set(reporter);
}

/// Shows a notice.
pub fn report(level: Level, message: impl Into<String>) {
    if let Some(reporter) = REPORTER.get() {
        (reporter.show)(&Notice::new(level, message));
    }
}

/// What [`report`] would write.
pub(super) fn line(level: Level, message: impl Into<String>) -> String {
    REPORTER.get().map_or_else(String::new, |one| (one.line)(&Notice::new(level, message)))
}
