//! Reporting of the guard's notices to the user.

use crate::system::notice::{Level, Notice};
use std::sync::OnceLock;

/// Functions that show notices.
#[derive(Clone, Copy, Debug)]
pub struct Reporter {
    /// Function that shows a notice.
    pub show: fn(&Notice),
    /// Function that returns the text that showing a notice would write. It is for a copy of the
    /// process, in which no lock may be taken.
    pub line: fn(&Notice) -> String,
}

static REPORTER: OnceLock<Reporter> = OnceLock::new();

/// Sets the reporter of the guard's notices; without one, they are dropped. Must be called once,
/// before the guard starts.
pub fn report_with(reporter: Reporter) {
    // If there are several calls, the first reporter stays.
    _ = REPORTER.set(reporter);
}

/// Shows a notice.
pub fn report(level: Level, message: impl Into<String>) {
    if let Some(reporter) = REPORTER.get() {
        (reporter.show)(&Notice::new(level, message));
    }
}

/// Returns the text that [`report`] would write.
pub(super) fn line(level: Level, message: impl Into<String>) -> String {
    REPORTER.get().map_or_else(String::new, |one| (one.line)(&Notice::new(level, message)))
}
