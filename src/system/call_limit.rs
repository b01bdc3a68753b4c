//! How long the calls of a thread may wait: what a call does that waits for another process.

use super::interrupt::Interrupt;
use std::cell::{Cell, RefCell};
use std::time::Instant;

/// When a call gives up.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallLimit {
    /// None: never.
    pub deadline: Option<Instant>,
    /// How long that is, as the user set it.
    pub seconds: Option<f64>,
    /// Raised: at once.
    pub interrupt: Interrupt,
}

/// Why a call has no answer of the plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The deadline has passed.
    Late,
    /// The interrupt was raised.
    Interrupted,
    /// The other process ended, or sent what is no answer.
    Gone,
}

impl CallLimit {
    /// Whether it is time to give up.
    pub(crate) fn expired(&self) -> Option<Loss> {
        if self.interrupt.is_raised() {
            return Some(Loss::Interrupted);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Loss::Late)
    }
}

thread_local! {
    static LIMIT: RefCell<CallLimit> = RefCell::default();
    static LOSS: Cell<Option<Loss>> = const { Cell::new(None) };
}

/// Sets the limit of this thread's calls, from now on.
pub(crate) fn set(limit: CallLimit) {
    LOSS.set(None);
    LIMIT.with_borrow_mut(|held| *held = limit);
}

/// That of this thread.
pub(crate) fn current() -> CallLimit {
    LIMIT.with_borrow(Clone::clone)
}

/// Takes note that a call of this thread has no answer.
pub(crate) fn lose(loss: Loss) {
    LOSS.set(Some(loss));
}

/// Why the last call without an answer has none, since the limit was set.
pub(crate) fn loss() -> Option<Loss> {
    LOSS.get()
}
