//! The pool: worker threads that take chunks, search, and leave records to the one thread that keeps them.

use super::outbox::{Delivery, Outbox};
use super::process::{Process, Watchdog, WorkerCommand};
use super::{Chunk, Queue};
use crate::interrupt::Interrupt;
use crate::plan::{Arm, Plan};
use crate::record::{Timing, TrialRecord};
use crate::search::{Search, searcher};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the keeper of the records looks for new ones, at least.
const HEARTBEAT: Duration = Duration::from_millis(50);

/// Takes what the workers leave, on the caller's thread.
pub trait Sink {
    type Error;
    /// A worker took up trials of this arm.
    fn running(&mut self, arm: usize);
    /// Finished trials of any arms, in any order; called every 50 ms at least, if need be with none.
    ///
    /// # Errors
    /// When the records cannot be kept; the run then ends.
    fn records(&mut self, records: Vec<TrialRecord>) -> Result<(), Self::Error>;
}

/// Where trials run.
#[derive(Clone, Debug)]
pub enum Isolation {
    /// In threads of this process.
    Threads,
    /// In a process a worker.
    Processes(WorkerCommand),
}

/// Why a run ended early.
#[derive(Debug)]
pub enum RunError<E> {
    /// The sink's.
    Sink(E),
    /// No worker process can be had: why.
    Worker(String),
}

/// Runs the missing trials of a plan on `jobs` workers. Ends when all are done, when `interrupt` is raised (trials in
/// flight are dropped), or when the sink fails.
///
/// # Errors
/// The sink's, and if worker processes cannot be started.
pub fn run_trials<S: Sink>(
    plan: &Plan,
    missing: &[Vec<Range<u64>>],
    jobs: usize,
    isolation: &Isolation,
    interrupt: &Interrupt,
    sink: &mut S,
) -> Result<(), RunError<S::Error>> {
    // A worker without a trial would be idle.
    let trials: u64 = missing.iter().flatten().map(|run| run.end - run.start).sum();
    let jobs = jobs.min(usize::try_from(trials).unwrap_or(usize::MAX)).max(1);
    let queue = Queue::new(missing, jobs);
    let outbox = Outbox::new(jobs);
    let watchdog = &Watchdog::new(jobs);
    let fault = &Mutex::new(None);
    let working = &AtomicUsize::new(jobs);
    // A failing sink stops the workers without marking the whole run as interrupted.
    let stop = &interrupt.child();
    std::thread::scope(|scope| {
        for number in 0..jobs {
            let worker =
                Worker { number: number as u32, plan, queue: &queue, outbox: &outbox, interrupt: stop, working };
            let named = std::thread::Builder::new().name(format!("search-{number}"));
            let work = move || match isolation {
                Isolation::Threads => worker.work(),
                Isolation::Processes(command) => {
                    if let Err(error) = worker.work_outside(&mut Process::new(plan, command, watchdog, number)) {
                        fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                        stop.raise();
                    }
                }
            };
            named.spawn_scoped(scope, work).expect("a thread can be started");
        }
        if matches!(isolation, Isolation::Processes(_)) {
            scope.spawn(|| watchdog.watch(|| working.load(Ordering::SeqCst) == 0));
        }
        loop {
            let Delivery { running, records, last } = outbox.fetch(HEARTBEAT);
            running.into_iter().for_each(|arm| sink.running(arm));
            if let Err(error) = sink.records(records) {
                stop.raise();
                outbox.close();
                return Err(RunError::Sink(error));
            }
            if last {
                break;
            }
        }
        match fault.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(RunError::Worker(error)),
            None => Ok(()),
        }
    })
}

struct Worker<'run> {
    number: u32,
    plan: &'run Plan,
    queue: &'run Queue,
    outbox: &'run Outbox,
    interrupt: &'run Interrupt,
    working: &'run AtomicUsize,
}

impl Drop for Worker<'_> {
    /// On a panic too, so that the keeper does not wait for ever; the scope then passes the panic on.
    fn drop(&mut self) {
        self.working.fetch_sub(1, Ordering::SeqCst);
        self.outbox.worker_ended();
    }
}

impl Worker<'_> {
    fn work(&self) {
        let mut current: Option<(usize, Box<dyn Search + '_>)> = None;
        while let Some(chunk) = self.queue.take() {
            let arm = chunk.arm;
            let search = match &mut current {
                Some((index, search)) if *index == arm => search,
                _ => {
                    self.outbox.running(arm);
                    let Arm { problem, settings, .. } = &self.plan.arms[arm];
                    let search = searcher(problem, &settings.operators, &settings.stop, self.plan.trace);
                    &mut current.insert((arm, search)).1
                }
            };
            if !self.run_chunk(search.as_mut(), chunk) {
                return;
            }
        }
    }

    /// False when the run is over before the chunk is.
    fn run_chunk(&self, search: &mut (dyn Search + '_), Chunk { arm, trials }: Chunk) -> bool {
        let count = trials.end - trials.start;
        let start = Instant::now();
        let mut started = start;
        for trial in trials {
            let seeds = self.plan.arms[arm].seeds(self.plan.seed, trial);
            let Some(mut record) = search.run(seeds, self.interrupt) else { return false };
            let ended = Instant::now();
            record.arm = arm;
            record.trial = trial;
            record.timing = Timing { seconds: (ended - started).as_secs_f64(), worker: self.number };
            started = ended;
            if !self.outbox.leave(record) || self.interrupt.is_raised() {
                return false;
            }
        }
        self.queue.learn(arm, (started - start).as_secs_f64() / count as f64);
        true
    }

    /// As [`work`](Self::work), by a process.
    fn work_outside(&self, process: &mut Process<'_>) -> Result<(), String> {
        let mut current = None;
        while let Some(Chunk { arm, trials }) = self.queue.take() {
            if current.replace(arm) != Some(arm) {
                self.outbox.running(arm);
            }
            let (start, count) = (Instant::now(), trials.end - trials.start);
            let goes_on = process.run(arm, trials, |mut record| {
                record.timing.worker = self.number;
                self.outbox.leave(record) && !self.interrupt.is_raised()
            })?;
            if !goes_on {
                return Ok(());
            }
            self.queue.learn(arm, start.elapsed().as_secs_f64() / count as f64);
        }
        Ok(())
    }
}
