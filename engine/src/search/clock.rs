//! Clock of a trial: its deadline and its interrupt.

use super::halt::Halt;
use crate::system::call_limit;
use crate::system::interrupt::Interrupt;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Maximum number of evaluations of single genomes between two checks of the deadline and the
/// interrupt.
const CHECK_INTERVAL: usize = 1024;

/// Time between two checks if it allows fewer evaluations.
const PAUSE: Duration = Duration::from_millis(5);

/// Number of comparisons of two genomes between two checks.
const COMPARED: usize = 10_000;

/// Deadline and interrupt of a trial.
pub(crate) struct Clock<'trial> {
    interrupt: &'trial Interrupt,
    deadline: Option<Instant>,
    /// Time that this thread's calls had already waited for others when the trial began.
    waited: Duration,
    /// Number of evaluations between two checks, as suits their speed.
    interval: Cell<usize>,
    /// Evaluations since the last check.
    unchecked: Cell<usize>,
    /// Time of the last check.
    looked: Cell<Instant>,
}

impl<'trial> Clock<'trial> {
    /// Starts the clock of a trial that may take this long; any time if `limit` is `None`.
    pub(crate) fn start(interrupt: &'trial Interrupt, limit: Option<Duration>) -> Self {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        Clock {
            interrupt,
            deadline,
            waited: call_limit::waited(),
            interval: Cell::new(1),
            unchecked: Cell::new(0),
            looked: Cell::new(Instant::now()),
        }
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

    /// Notes evaluations of single genomes during a generation. Calls [`check`](Self::check) as
    /// often as suits their speed: once per [`PAUSE`], or per [`CHECK_INTERVAL`] evaluations.
    #[inline]
    pub(super) fn evaluated(&self, evaluations: usize) -> Result<(), Halt> {
        let unchecked = self.unchecked.get().saturating_add(evaluations);
        self.unchecked.set(unchecked);
        if unchecked < self.interval.get() { Ok(()) } else { self.look() }
    }

    #[cold]
    fn look(&self) -> Result<(), Halt> {
        let now = Instant::now();
        let elapsed = now - self.looked.replace(now);
        let at_this_speed = self.unchecked.replace(0) as f64 * PAUSE.div_duration_f64(elapsed);
        // Without any time elapsed, the quotient is infinite.
        self.interval.set((at_this_speed as usize).clamp(1, CHECK_INTERVAL));
        self.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_evaluations_are_checked_one_by_one_and_fast_ones_now_and_then() {
        let interrupt = Interrupt::default();
        let clock = Clock::start(&interrupt, None);
        assert!(clock.evaluated(1).is_ok());
        clock.looked.set(clock.looked.get() - Duration::from_secs(1));
        clock.unchecked.set(CHECK_INTERVAL);
        assert!(clock.evaluated(1).is_ok());
        assert!(clock.interval.get() <= 6, "1,025 evaluations took a second");
        clock.interval.set(CHECK_INTERVAL);
        interrupt.raise();
        assert!(clock.evaluated(CHECK_INTERVAL - 1).is_ok());
        assert!(clock.evaluated(1).is_err());
    }
}
