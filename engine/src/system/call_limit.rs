//! Limits on how long the calls of a thread may wait for another process.

use super::interrupt::Interrupt;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// Conditions under which a call gives up.
#[derive(Clone, Debug, Default)]
pub struct CallLimit {
    /// Deadline of the call; `None` if there is none.
    pub deadline: Option<Instant>,
    /// Time limit in seconds, as the user set it; `None` if there is none.
    pub seconds: Option<f64>,
    /// Interrupt that makes the call give up at once.
    pub interrupt: Interrupt,
    /// Time that calls have waited for a process to be started and prepared. It extends the
    /// deadline.
    pub waited: Duration,
}

/// Reason why a call has no answer from the plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The deadline has passed.
    Late,
    /// The interrupt was raised.
    Interrupted,
    /// The other process ended, or sent an invalid answer.
    Gone,
}

impl CallLimit {
    /// Returns the reason to give up; `None` if the call may continue.
    pub(crate) fn expired(&self) -> Option<Loss> {
        if self.interrupt.is_raised() {
            return Some(Loss::Interrupted);
        }
        let is_late = |deadline| Instant::now() >= deadline + self.waited;
        self.deadline.is_some_and(is_late).then_some(Loss::Late)
    }
}

thread_local! {
    static LIMIT: RefCell<CallLimit> = RefCell::default();
    static LOSS: Cell<Option<Loss>> = const { Cell::new(None) };
}

/// Sets the limit of this thread's calls, from now on.
pub fn set(limit: CallLimit) {
    LOSS.set(None);
    LIMIT.with_borrow_mut(|held| *held = limit);
}

/// Returns the limit of this thread's calls.
pub(crate) fn current() -> CallLimit {
    LIMIT.with_borrow(Clone::clone)
}

/// Returns whether the interrupt of this thread's calls was raised.
pub(crate) fn is_interrupted() -> bool {
    LIMIT.with_borrow(|held| held.interrupt.is_raised())
}

/// Records that a call of this thread has waited this long for a process to be ready.
pub(crate) fn wait(time: Duration) {
    LIMIT.with_borrow_mut(|held| held.waited += time);
}

/// Returns how long this thread's calls have waited for processes to be ready, since the limit was
/// set.
pub fn waited() -> Duration {
    LIMIT.with_borrow(|held| held.waited)
}

/// Records that a call of this thread has no answer, and why.
pub(crate) fn lose(loss: Loss) {
    LOSS.set(Some(loss));
}

/// Returns why the last call without an answer has none. `None` if there was no such call since the
/// limit was set.
pub fn loss() -> Option<Loss> {
    LOSS.get()
}
