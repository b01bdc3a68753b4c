//! The bounded channel of records, from all workers to the one thread that keeps them.
//!
//! It is not that of the standard library, nor crossbeam's, for three reasons. Their bound is a
//! number of messages: here a record weighs as much as its trace is long, so that memory stays flat
//! however slow the disk is. They wake a waiting receiver for each message: here it is woken for
//! thousands of records at once, or when its patience ends, which takes a third off the time of
//! trials that last a microsecond. And what a worker tells besides (that it took up an arm, that it
//! ended) must not wait for room.

use crate::record::TrialRecord;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// From this weight on, the receiver is woken.
const WAKE: usize = 2_048;
/// At this weight, workers wait for the receiver.
const FULL: usize = 16_384;
/// So many trace rows weigh as much as a record.
const ROWS_PER_WEIGHT: usize = 8;

/// What all workers have finished and the receiver has not taken yet. A trial is in here the moment
/// it ends, so that a long trial never holds back a finished one.
#[derive(Debug, Default)]
pub(super) struct Channel {
    state: Mutex<State>,
    /// Signals the receiver.
    filled: Condvar,
    /// Signals the workers.
    emptied: Condvar,
}

#[derive(Debug, Default)]
struct State {
    records: Vec<TrialRecord>,
    /// Arms that workers took up since the last batch.
    running: Vec<usize>,
    weight: usize,
    workers_left: usize,
    /// The receiver is gone; workers should end.
    closed: bool,
}

/// What the receiver takes at a time.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Arms that workers took up.
    pub running: Vec<usize>,
    pub records: Vec<TrialRecord>,
    /// All workers have ended; this is the last batch.
    pub last: bool,
}

impl Channel {
    /// For so many workers.
    #[must_use]
    pub(super) fn new(workers: usize) -> Self {
        Channel {
            state: Mutex::new(State { workers_left: workers, ..State::default() }),
            ..Channel::default()
        }
    }

    /// Sends a finished trial; waits while the channel is full. False: nobody will receive it, the
    /// worker should end.
    pub(super) fn send(&self, record: TrialRecord) -> bool {
        let mut state = self.lock();
        while state.weight >= FULL && !state.closed {
            state = self.emptied.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.weight += 1 + record.trace.len() / ROWS_PER_WEIGHT;
        state.records.push(record);
        if state.weight >= WAKE {
            self.filled.notify_one();
        }
        !state.closed
    }

    /// Tells that a worker took up trials of `arm`.
    pub(super) fn running(&self, arm: usize) {
        self.lock().running.push(arm);
    }

    /// Tells that a worker has ended, in whatever way.
    pub(super) fn worker_ended(&self) {
        self.lock().workers_left -= 1;
        self.filled.notify_one();
    }

    /// Waits until there is much to take, all workers ended, or `patience` is over; then takes all.
    pub(super) fn receive(&self, patience: Duration) -> Batch {
        let waiting = |state: &mut State| state.weight < WAKE && state.workers_left > 0;
        let (mut state, _) = self
            .filled
            .wait_timeout_while(self.lock(), patience, waiting)
            .unwrap_or_else(PoisonError::into_inner);
        state.weight = 0;
        let batch = Batch {
            running: std::mem::take(&mut state.running),
            records: std::mem::take(&mut state.records),
            last: state.workers_left == 0,
        };
        self.emptied.notify_all();
        batch
    }

    /// Lets the workers end: nothing will be received any more.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.emptied.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole between statements: a panicking worker leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
