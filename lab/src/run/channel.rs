//! The bounded channel of records, from all workers to the one thread that keeps them.
//!
//! It replaces the channels of the standard library and of crossbeam, for three reasons. Their
//! bound is a number of messages. Here the weight of a record depends on the length of its trace,
//! so that memory stays flat however slow the disk is. They wake a waiting receiver for each
//! message. Here each worker has a slot for its finished records, and makes them ready for the
//! receiver once there are many. The receiver empties the slots when its patience ends. Other
//! reports of a worker (that it took up an arm, that it ended) must not wait for room.

use super::generation_progress::GenerationProgress;
use crate::record::TrialRecord;
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Weight from which on a worker makes the records in its slot ready.
pub(super) const SLOT: usize = 1_024;
/// Weight from which on the receiver is woken.
const WAKE: usize = 2_048;
/// Weight at which workers wait for the receiver.
pub(super) const FULL: usize = 16_384;
/// Number of trace rows that weigh as much as a record.
const ROWS_PER_WEIGHT: usize = 8;

/// Function that makes records ready to be kept, on the thread that has them.
pub type Intake<T> = Box<dyn Fn(Vec<TrialRecord>) -> T + Send + Sync>;

/// Buffer of finished records that the receiver has not taken yet. A trial is in it as soon as it
/// ends, so that a long trial never holds back a finished one.
pub(super) struct Channel<T> {
    slots: Vec<Mutex<Slot>>,
    intake: Intake<T>,
    state: Mutex<State<T>>,
    /// The receiver is gone; workers should end.
    closed: AtomicBool,
    /// Signals the receiver.
    filled: Condvar,
    /// Signals the workers.
    emptied: Condvar,
}

/// Recent records of one worker.
#[derive(Debug, Default)]
struct Slot {
    records: Vec<TrialRecord>,
    weight: usize,
}

#[derive(Debug)]
struct State<T> {
    batches: Vec<T>,
    /// Number of records in the batches.
    records: u64,
    /// Arms that workers took up since the last time.
    running: Vec<usize>,
    /// Generations that trials completed since the last time.
    generations: Vec<GenerationProgress>,
    weight: usize,
    workers_left: usize,
    /// Time at which the slots were emptied last.
    emptied: Instant,
}

/// Batches that the receiver takes at a time.
#[derive(Debug)]
pub(super) struct Received<T> {
    /// Arms that workers took up.
    pub running: Vec<usize>,
    /// Generations that trials completed, before the records of these trials.
    pub generations: Vec<GenerationProgress>,
    pub batches: Vec<T>,
    /// Number of records in all batches.
    pub records: u64,
    /// Whether all workers have ended, so that no more records come.
    pub last: bool,
}

impl<T> Channel<T> {
    /// Returns a channel for `workers` workers.
    pub(super) fn new(workers: usize, intake: Intake<T>) -> Self {
        let state = State {
            batches: Vec::new(),
            records: 0,
            running: Vec::new(),
            generations: Vec::new(),
            weight: 0,
            workers_left: workers,
            emptied: Instant::now(),
        };
        Channel {
            slots: (0..workers).map(|_| Mutex::default()).collect(),
            intake,
            state: Mutex::new(state),
            closed: AtomicBool::new(false),
            filled: Condvar::new(),
            emptied: Condvar::new(),
        }
    }

    /// Sends a trial that a worker finished, and waits while the channel is full. Returns false if
    /// the receiver is gone, so that the worker should end.
    pub(crate) fn send(&self, worker: usize, record: TrialRecord) -> bool {
        if let Some(full) = self.put(worker, record) {
            self.hand_over(full);
        }
        !self.closed.load(Relaxed)
    }

    /// Puts a record into a slot. Empties the slot and returns its contents once they are large.
    fn put(&self, worker: usize, record: TrialRecord) -> Option<Slot> {
        let mut slot = self.slots[worker].lock();
        slot.weight += 1 + record.trace.len() / ROWS_PER_WEIGHT;
        slot.records.push(record);
        (slot.weight >= SLOT).then(|| std::mem::take(&mut *slot))
    }

    fn hand_over(&self, Slot { records, weight }: Slot) {
        let count = records.len() as u64;
        let batch = (self.intake)(records);
        let mut state = self.state.lock();
        while state.weight >= FULL && !self.closed.load(Relaxed) {
            self.emptied.wait(&mut state);
        }
        state.weight += weight;
        state.records += count;
        state.batches.push(batch);
        if state.weight >= WAKE {
            self.filled.notify_one();
        }
    }

    /// Reports that a worker took up trials of `arm`.
    pub(super) fn running(&self, arm: usize) {
        self.state.lock().running.push(arm);
    }

    /// Reports that a trial completed a generation, and waits while there are too many. Nothing
    /// waits once the receiver is gone.
    pub(super) fn generation(&self, progress: GenerationProgress) {
        let mut state = self.state.lock();
        while state.generations.len() >= FULL && !self.closed.load(Relaxed) {
            self.emptied.wait(&mut state);
        }
        state.generations.push(progress);
        if state.generations.len() == WAKE {
            self.filled.notify_one();
        }
    }

    /// Reports that a worker has ended, in whatever way.
    pub(super) fn worker_ended(&self) {
        self.state.lock().workers_left -= 1;
        self.filled.notify_one();
    }

    /// Waits until there is much to take, all workers ended, or `patience` is over; then takes all
    /// that is ready and, if the last time was longer ago than `patience`, what is in the slots.
    pub(super) fn receive(&self, patience: Duration) -> Received<T> {
        let waiting = |state: &mut State<T>| {
            state.weight.max(state.generations.len()) < WAKE && state.workers_left > 0
        };
        let mut state = self.state.lock();
        self.filled.wait_while_for(&mut state, waiting, patience);
        let last = state.workers_left == 0;
        let mut received = Received {
            running: std::mem::take(&mut state.running),
            generations: std::mem::take(&mut state.generations),
            batches: std::mem::take(&mut state.batches),
            records: std::mem::take(&mut state.records),
            last,
        };
        state.weight = 0;
        let due = last || state.emptied.elapsed() >= patience;
        if due {
            state.emptied = Instant::now();
        }
        drop(state);
        self.emptied.notify_all();
        if due {
            self.empty_slots(&mut received);
            // Reports of the trials in the slots come with them.
            let mut state = self.state.lock();
            received.running.append(&mut state.running);
            received.generations.append(&mut state.generations);
            drop(state);
            self.emptied.notify_all();
        }
        received
    }

    fn empty_slots(&self, received: &mut Received<T>) {
        for slot in &self.slots {
            let Slot { records, .. } = std::mem::take(&mut *slot.lock());
            if !records.is_empty() {
                received.records += records.len() as u64;
                received.batches.push((self.intake)(records));
            }
        }
    }

    /// Lets the workers end: nothing will be received any more.
    pub(super) fn close(&self) {
        self.closed.store(true, Relaxed);
        // A worker that is about to wait already does so, or sees the flag.
        drop(self.state.lock());
        self.emptied.notify_all();
    }
}
