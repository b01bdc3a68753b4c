//! The time limit of a run.

use std::time::{Duration, Instant};

/// Moment from which on a run begins no further round of trials. The default is never.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeLimit(Option<Instant>);

impl TimeLimit {
    /// Returns the limit so long after a moment; never, if a clock cannot hold that.
    #[must_use]
    pub fn after(start: Instant, time: Duration) -> Self {
        TimeLimit(start.checked_add(time))
    }

    /// Returns whether the moment has come.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.0.is_some_and(|moment| Instant::now() >= moment)
    }
}
