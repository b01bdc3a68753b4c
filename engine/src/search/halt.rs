//! Reasons to stop in the middle of a generation.

use crate::problem::CallError;

/// Reason why a generation was not completed. Such a generation does not count, and has no row in
/// the trace.
#[derive(Debug)]
pub(crate) enum Halt {
    /// Stopped by a budget, the deadline, an interrupt, or the search's own stop rule.
    Stopped,
    /// The plugin failed. The error is boxed because every evaluation returns this type, and small
    /// types cost less.
    Failed(Box<CallError>),
}

impl From<CallError> for Halt {
    fn from(error: CallError) -> Self {
        Halt::Failed(error.into())
    }
}
