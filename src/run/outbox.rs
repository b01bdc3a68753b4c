//! Outboxes: where workers leave finished trials, and the keeper fetches them.

use crate::record::TrialRecord;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// From this weight on, the keeper is woken.
const WAKE: usize = 2_048;
/// At this weight, workers wait for the keeper: memory stays flat however slow the disk is.
const FULL: usize = 16_384;
/// So many trace rows weigh as much as a record.
const ROWS_PER_WEIGHT: usize = 8;

/// What all workers have finished and the keeper has not fetched yet. A trial is in here the moment
/// it ends, so that a long trial never holds back a finished one.
#[derive(Debug, Default)]
pub struct Outbox {
    state: Mutex<State>,
    /// Signals the keeper.
    filled: Condvar,
    /// Signals the workers.
    fetched: Condvar,
}

#[derive(Debug, Default)]
struct State {
    records: Vec<TrialRecord>,
    /// Arms that workers took up since the last fetch.
    running: Vec<usize>,
    weight: usize,
    workers_left: usize,
    /// The keeper is gone; workers should end.
    closed: bool,
}

/// What the keeper fetches at a time.
#[derive(Debug, Default)]
pub struct Delivery {
    pub running: Vec<usize>,
    pub records: Vec<TrialRecord>,
    /// All workers have ended; this is the last delivery.
    pub last: bool,
}

impl Outbox {
    #[must_use]
    pub fn new(workers: usize) -> Self {
        Outbox {
            state: Mutex::new(State { workers_left: workers, ..State::default() }),
            ..Outbox::default()
        }
    }

    /// Leaves a finished trial. False: nobody will fetch it, the worker should end.
    pub fn leave(&self, record: TrialRecord) -> bool {
        let mut state = self.lock();
        while state.weight >= FULL && !state.closed {
            state = self.fetched.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.weight += 1 + record.trace.len() / ROWS_PER_WEIGHT;
        state.records.push(record);
        if state.weight >= WAKE {
            self.filled.notify_one();
        }
        !state.closed
    }

    /// Tells that a worker took up trials of `arm`.
    pub fn running(&self, arm: usize) {
        self.lock().running.push(arm);
    }

    /// Tells that a worker has ended, in whatever way.
    pub fn worker_ended(&self) {
        self.lock().workers_left -= 1;
        self.filled.notify_one();
    }

    /// Waits until there is much to fetch, all workers ended, or `patience` is over; then fetches
    /// all.
    pub fn fetch(&self, patience: Duration) -> Delivery {
        let waiting = |state: &mut State| state.weight < WAKE && state.workers_left > 0;
        let (mut state, _) = self
            .filled
            .wait_timeout_while(self.lock(), patience, waiting)
            .unwrap_or_else(PoisonError::into_inner);
        state.weight = 0;
        let delivery = Delivery {
            running: std::mem::take(&mut state.running),
            records: std::mem::take(&mut state.records),
            last: state.workers_left == 0,
        };
        self.fetched.notify_all();
        delivery
    }

    /// Lets the workers end: nothing will be fetched any more.
    pub fn close(&self) {
        self.lock().closed = true;
        self.fetched.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole between statements: a panicking worker leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
