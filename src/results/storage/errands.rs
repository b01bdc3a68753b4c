//! Errands: work of a store that whoever has time may do, such as encoding a part. Workers do it
//! between their trials, and the store itself what nobody took.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

type Errand = Box<dyn FnOnce() + Send>;

/// Errands that nobody has taken yet.
#[derive(Default)]
pub(crate) struct Errands {
    waiting: Mutex<VecDeque<Errand>>,
    /// How many: workers ask after every chunk of trials.
    count: AtomicUsize,
}

impl fmt::Debug for Errands {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Errands").field("count", &self.count).finish_non_exhaustive()
    }
}

impl Errands {
    /// Leaves work for whoever has time.
    pub(crate) fn leave<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Awaited<T> {
        let (sender, outcome) = channel();
        // Nobody waits for it any more where the store has gone.
        let errand = Box::new(move || _ = sender.send(work()));
        self.waiting().push_back(errand);
        self.count.fetch_add(1, Relaxed);
        Awaited { outcome, taken: None }
    }

    /// Whether some wait. Takes no lock.
    pub(crate) fn any(&self) -> bool {
        self.count.load(Relaxed) > 0
    }

    /// Does the errand that waits longest; false if there is none.
    pub(crate) fn run_one(&self) -> bool {
        if !self.any() {
            return false;
        }
        let Some(errand) = self.waiting().pop_front() else { return false };
        self.count.fetch_sub(1, Relaxed);
        errand();
        true
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Errand>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What becomes of an errand.
#[derive(Debug)]
pub(crate) struct Awaited<T> {
    outcome: Receiver<T>,
    /// It has arrived.
    taken: Option<T>,
}

impl<T> Awaited<T> {
    /// Whether it is done.
    ///
    /// # Panics
    /// If whoever did it panicked.
    pub(crate) fn is_done(&mut self) -> bool {
        if self.taken.is_none() {
            match self.outcome.try_recv() {
                Ok(outcome) => self.taken = Some(outcome),
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => panic!("an errand of the store panicked"),
            }
        }
        self.taken.is_some()
    }

    /// Its outcome; until then, does what nobody has taken.
    ///
    /// # Panics
    /// If whoever did it panicked.
    pub(crate) fn wait(mut self, errands: &Errands) -> T {
        while !self.is_done() && errands.run_one() {}
        let outcome = self.taken.or_else(|| self.outcome.recv().ok());
        outcome.expect("an errand of the store panicked")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn whoever_waits_does_what_nobody_took() {
        let errands = Errands::default();
        assert!(!errands.run_one());
        let (mut first, second) = (errands.leave(|| 1), errands.leave(|| 2));
        assert!(!first.is_done());
        assert_eq!((second.wait(&errands), first.is_done(), first.wait(&errands)), (2, true, 1));
        assert!(!errands.run_one());
    }

    #[test]
    fn what_others_took_is_waited_for() {
        let errands = Arc::new(Errands::default());
        let awaited: Vec<_> = (0..100).map(|number| errands.leave(move || number)).collect();
        let helpers: Vec<_> = (0..3)
            .map(|_| Arc::clone(&errands))
            .map(|errands| std::thread::spawn(move || while errands.run_one() {}))
            .collect();
        let outcomes: Vec<i32> = awaited.into_iter().map(|one| one.wait(&errands)).collect();
        assert_eq!(outcomes, (0..100).collect::<Vec<_>>());
        helpers.into_iter().for_each(|helper| helper.join().expect("it ends"));
    }

    #[test]
    #[should_panic(expected = "an errand of the store panicked")]
    fn a_panic_is_not_waited_for_in_vain() {
        let errands = Arc::new(Errands::default());
        let awaited = errands.leave(|| panic!("as asked"));
        let helper = Arc::clone(&errands);
        assert!(std::thread::spawn(move || helper.run_one()).join().is_err());
        awaited.wait(&errands)
    }
}
