//! How long the calls of a thread may wait: what a call does that waits for another process.

use super::interrupt::Interrupt;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// When a call gives up.
#[derive(Clone, Debug, Default)]
pub struct CallLimit {
    /// None: never.
    pub deadline: Option<Instant>,
    /// How long that is, as the user set it.
    pub seconds: Option<f64>,
    /// Raised: at once.
    pub interrupt: Interrupt,
    /// How many processes of a program may be asked at once. None: one per caller.
    pub processes: Option<usize>,
    /// How long calls have waited for a process that served others: that much later is the
    /// deadline.
    pub waited: Duration,
}

/// Why a call has no answer of the plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
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
        let is_late = |deadline| Instant::now() >= deadline + self.waited;
        self.deadline.is_some_and(is_late).then_some(Loss::Late)
    }
}

thread_local! {
    static LIMIT: RefCell<CallLimit> = RefCell::default();
    static LOSS: Cell<Option<Loss>> = const { Cell::new(None) };
    static ANSWERED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Sets the limit of this thread's calls, from now on.
pub fn set(limit: CallLimit) {
    LOSS.set(None);
    ANSWERED.set(None);
    LIMIT.with_borrow_mut(|held| *held = limit);
}

/// That of this thread.
pub(crate) fn current() -> CallLimit {
    LIMIT.with_borrow(Clone::clone)
}

/// Whether the interrupt of this thread's calls was raised.
pub(crate) fn is_interrupted() -> bool {
    LIMIT.with_borrow(|held| held.interrupt.is_raised())
}

/// How many processes of a program this thread may ask at once; None: it may always have one more.
pub(crate) fn processes() -> Option<usize> {
    LIMIT.with_borrow(|held| held.processes)
}

/// Takes note that a call of this thread has waited so long for a process that served others.
pub(crate) fn wait(time: Duration) {
    LIMIT.with_borrow_mut(|held| held.waited += time);
}

/// How long this thread's calls have waited like that, since the limit was set.
pub fn waited() -> Duration {
    LIMIT.with_borrow(|held| held.waited)
}

/// Takes note that a call of this thread was answered at this time.
pub(crate) fn answered(time: Instant) {
    ANSWERED.set(Some(time));
}

/// When the last one was, since the limit was set.
pub(crate) fn last_answer() -> Option<Instant> {
    ANSWERED.get()
}

/// Takes note that a call of this thread has no answer.
pub(crate) fn lose(loss: Loss) {
    LOSS.set(Some(loss));
}

/// Why the last call without an answer has none, since the limit was set.
pub fn loss() -> Option<Loss> {
    LOSS.get()
}
