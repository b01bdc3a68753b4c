//! Clock of a trial: its deadline and its interrupt.

use super::halt::Halt;
use crate::system::call_limit;
use crate::system::interrupt::Interrupt;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Number of evaluations of single genomes between two checks of the deadline and the interrupt.
const CHECK_INTERVAL: usize = 1024;

/// Number of comparisons of two genomes between two checks.
const COMPARED: usize = 10_000;

/// Deadline and interrupt of a trial.
pub(crate) struct Clock<'trial> {
    interrupt: &'trial Interrupt,
    deadline: Option<Instant>,
    /// Time that this thread's calls had already waited for others when the trial began.
    waited: Duration,
}

impl<'trial> Clock<'trial> {
    /// Starts the clock of a trial that may take this long; any time if `limit` is `None`.
    pub(crate) fn start(interrupt: &'trial Interrupt, limit: Option<Duration>) -> Self {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        Clock { interrupt, deadline, waited: call_limit::waited() }
    }

    /// Returns whether there is a deadline.
    #[inline]
    pub(super) fn has_deadline(&self) -> bool {
        self.deadline.is_some()
    }

    /// Returns whether the deadline has passed. Time that the trial's calls wait for others does
    /// not count as the trial's own.
    pub(super) fn is_late(&self) -> bool {
        let waited = || call_limit::waited().saturating_sub(self.waited);
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline + waited())
    }

    /// Returns whether the trial is interrupted.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.is_raised()
    }

    /// Checks the deadline and the interrupt during a generation.
    pub(super) fn check(&self) -> Result<(), Halt> {
        if self.is_interrupted() || self.is_late() { Err(Halt::Stopped) } else { Ok(()) }
    }

    /// Calls [`check`](Self::check) once per [`COMPARED`] comparisons of genomes. `done` is the
    /// number since the last check.
    pub(super) fn check_comparisons(&self, done: &mut usize, more: usize) -> Result<(), Halt> {
        *done = done.saturating_add(more);
        if *done < COMPARED {
            return Ok(());
        }
        *done = 0;
        self.check()
    }

    /// Calls [`check`](Self::check) once per [`CHECK_INTERVAL`] evaluations of a generation.
    /// `evaluation` is the number of the evaluation in the generation, from 0.
    pub(super) fn check_periodically(&self, evaluation: usize) -> Result<(), Halt> {
        if evaluation % CHECK_INTERVAL == CHECK_INTERVAL - 1 { self.check() } else { Ok(()) }
    }

    /// Calls [`check`](Self::check) if evaluations of a generation end an interval of
    /// [`check_periodically`](Self::check_periodically).
    pub(super) fn check_within(&self, evaluations: Range<usize>) -> Result<(), Halt> {
        let intervals = |evaluations: usize| evaluations / CHECK_INTERVAL;
        let ends = intervals(evaluations.start) != intervals(evaluations.end);
        if ends { self.check() } else { Ok(()) }
    }
}
