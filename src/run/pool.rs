//! The pool: worker threads that take chunks, search, and leave records to the one thread that
//! keeps them.

use super::outbox::{Delivery, Outbox};
#[cfg(unix)]
use super::process::{Process, Unavailable, plan_text};
use super::{Chunk, Isolation, Queue, TrialRunner};
use crate::plan::{Arm, Plan};
use crate::record::TrialRecord;
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the keeper of the records looks for new ones, at least.
const HEARTBEAT: Duration = Duration::from_millis(50);

/// How many trials run at once where nobody says: one per core that this process may use.
#[must_use]
pub fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

/// Takes what the workers leave, on the caller's thread.
pub trait Sink {
    type Error;
    /// A worker took up trials of this arm.
    fn running(&mut self, arm: usize);
    /// Finished trials of any arms, in any order; called every 50 ms at least, if need be with
    /// none.
    ///
    /// # Errors
    /// When the records cannot be kept; the run then ends.
    fn records(&mut self, records: Vec<TrialRecord>) -> Result<(), Self::Error>;
    /// Something that the user should read now.
    fn notice(&mut self, _message: &str) {}
}

/// Why a run ended early.
#[derive(Debug)]
pub enum RunError<E> {
    /// The sink's.
    Sink(E),
    /// No worker can be had: why.
    Worker(String),
}

/// How many trials there were to run, and what became of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolCounts {
    /// Trials that were missing.
    pub wanted: u64,
    /// Those that workers took up.
    pub handed_out: u64,
    /// Records that went to the sink.
    pub received: u64,
}

impl PoolCounts {
    /// Whether every trial that was missing has its record.
    #[must_use]
    pub fn is_complete(self) -> bool {
        self.received == self.wanted
    }
}

/// Runs the missing trials of a plan on `jobs` workers. Ends when all are done, when `interrupt` is
/// raised (trials in flight are dropped), or when the sink fails.
///
/// # Errors
/// The sink's, and if no worker can be started.
///
/// # Panics
/// If the sink or a worker does; never before all workers have ended.
pub fn run_trials<S: Sink>(
    plan: &Plan,
    missing: &[Vec<Range<u64>>],
    jobs: usize,
    isolation: &Isolation,
    interrupt: &Interrupt,
    sink: &mut S,
) -> Result<PoolCounts, RunError<S::Error>> {
    // A worker without a trial would be idle.
    let trials: u64 = missing.iter().flatten().map(|run| run.end - run.start).sum();
    let jobs = jobs.min(usize::try_from(trials).unwrap_or(usize::MAX)).max(1);
    // A failing sink stops the workers without marking the whole run as interrupted.
    let (asked, interrupt) = (interrupt, &interrupt.child());
    let (queue, outbox) = (&Queue::new(missing, jobs), &Outbox::new(jobs));
    let faults = &Mutex::new(Vec::new());
    let wanted = queue.trials_left();
    #[cfg(unix)]
    let plan_request = &match isolation {
        Isolation::Threads => None,
        Isolation::Processes(command) => {
            Some(super::message::Request::Plan(Box::new(plan_text(plan, command))))
        }
    };
    std::thread::scope(|scope| {
        // Whatever becomes of this thread, the workers do not wait for it.
        let _closing = Closing { outbox, interrupt };
        for number in 0..jobs {
            let worker = Worker { number, plan, queue, outbox, interrupt, faults };
            let named = std::thread::Builder::new().name(format!("search-{number}"));
            let work = move || match isolation {
                Isolation::Threads => worker.work(),
                #[cfg(unix)]
                Isolation::Processes(command) => {
                    let Some(request) = plan_request else { return };
                    worker.work_outside(Process::new(
                        plan,
                        command,
                        request,
                        interrupt,
                        number as u32,
                    ));
                }
            };
            // A worker that cannot be started says so as it is dropped here.
            if let Err(error) = named.spawn_scoped(scope, work) {
                lock(faults)
                    .push(format!("worker {} of {jobs} cannot be started: {error}", number + 1));
            }
        }
        let (mut received, mut told) = (0, None);
        loop {
            let Delivery { running, records, last } = outbox.fetch(HEARTBEAT);
            running.into_iter().for_each(|arm| sink.running(arm));
            received += records.len() as u64;
            sink.records(records).map_err(RunError::Sink)?;
            if last {
                break;
            }
            // The others go on without it.
            for fault in std::mem::take(&mut *lock(faults)) {
                sink.notice(&format!("{fault}; the run continues with fewer workers"));
                told = Some(fault);
            }
        }
        let counts = PoolCounts { wanted, handed_out: wanted - queue.trials_left(), received };
        match lock(faults).pop().or(told) {
            Some(fault) if !counts.is_complete() && !asked.is_raised() => {
                Err(RunError::Worker(fault))
            }
            _ => Ok(counts),
        }
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets the workers end when it is dropped.
struct Closing<'run> {
    outbox: &'run Outbox,
    interrupt: &'run Interrupt,
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.interrupt.raise();
        self.outbox.close();
    }
}

struct Worker<'run> {
    number: usize,
    plan: &'run Plan,
    queue: &'run Queue,
    outbox: &'run Outbox,
    /// Of this run alone; raised when it ends, for whatever reason.
    interrupt: &'run Interrupt,
    /// What kept workers from their work.
    faults: &'run Mutex<Vec<String>>,
}

impl Drop for Worker<'_> {
    /// On a panic too, so that the keeper does not wait for ever; the scope then passes the panic
    /// on.
    fn drop(&mut self) {
        self.outbox.worker_ended();
    }
}

impl Worker<'_> {
    fn work(&self) {
        guard::own_surroundings();
        // Place 0 is that of the main thread.
        let _place = guard::Place::take(self.number + 1);
        let mut runner = TrialRunner::new(self.plan, self.plan.trace, self.number as u32);
        while let Some(chunk) = self.queue.take() {
            let arm = chunk.arm;
            if runner.arm() != Some(arm) {
                self.outbox.running(arm);
                let Arm { settings, label, .. } = &self.plan.arms[arm];
                guard::arm(label, settings.stop.trial_seconds);
            }
            if !self.run_chunk(&mut runner, chunk) {
                return;
            }
        }
    }

    /// False when the run is over before the chunk is.
    fn run_chunk(&self, runner: &mut TrialRunner<'_>, Chunk { arm, trials }: Chunk) -> bool {
        let count = trials.end - trials.start;
        let start = Instant::now();
        for trial in trials {
            let Some(record) = runner.run(arm, trial, self.interrupt) else { return false };
            if !self.outbox.leave(record) || self.interrupt.is_raised() {
                return false;
            }
        }
        self.queue.learn(arm, start.elapsed().as_secs_f64() / count as f64);
        true
    }

    /// As [`work`](Self::work), by a process.
    #[cfg(unix)]
    fn work_outside(&self, mut process: Process<'_>) {
        let mut current = None;
        while let Some(Chunk { arm, trials }) = self.queue.take() {
            if current.replace(arm) != Some(arm) {
                self.outbox.running(arm);
            }
            let (start, count, end) = (Instant::now(), trials.end - trials.start, trials.end);
            let ran = process.run(arm, trials, |record| {
                self.outbox.leave(record) && !self.interrupt.is_raised()
            });
            match ran {
                Ok(()) => self.queue.learn(arm, start.elapsed().as_secs_f64() / count as f64),
                Err((next, why)) => {
                    self.queue.give_back(Chunk { arm, trials: next..end });
                    match why {
                        Unavailable::Interrupted => {}
                        // The others may go on: there are fewer processes to be had than were asked
                        // for.
                        Unavailable::System(words) => lock(self.faults).push(words),
                        Unavailable::Plugin(words) => {
                            lock(self.faults).push(words);
                            self.interrupt.raise();
                        }
                    }
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Catalogue, Overrides, load_text};
    use crate::problem::{Library, SearchPath};
    use std::path::Path;

    fn plan(repeats: u64) -> Plan {
        let mut catalogue = Catalogue::new(SearchPath::of(Vec::new()));
        catalogue.add(Library::linked::<faulty::Faulty>("1").expect("its table is sound"));
        let text = format!(
            "repeats = {repeats}\n[problem]\nplugin = \"faulty\"\n[[operators]]\npopulation = \
            4\nselection = \"uniform\"\nmutation = \"bit-flip\"\n[stop]\ngenerations = 3\nfitness \
            = -1\n"
        );
        let outcome =
            load_text(Path::new("pool.toml"), &text, &Overrides::default(), &mut catalogue);
        outcome.plans.into_iter().next().expect("a sound config")
    }

    /// Keeps so many records, then does something else.
    struct Keeps {
        records: u64,
        most: u64,
        then: fn() -> Result<(), String>,
    }

    impl Sink for Keeps {
        type Error = String;
        fn running(&mut self, _: usize) {}
        fn records(&mut self, records: Vec<TrialRecord>) -> Result<(), String> {
            self.records += records.len() as u64;
            if self.records > self.most { (self.then)() } else { Ok(()) }
        }
    }

    fn run(trials: u64, sink: &mut Keeps) -> Result<PoolCounts, RunError<String>> {
        let missing = [std::iter::once(0..trials).collect()];
        run_trials(&plan(trials), &missing, 3, &Isolation::Threads, &Interrupt::default(), sink)
    }

    #[test]
    fn every_trial_is_counted() {
        let counts =
            run(500, &mut Keeps { records: 0, most: u64::MAX, then: || Ok(()) }).expect("no fault");
        assert_eq!(counts, PoolCounts { wanted: 500, handed_out: 500, received: 500 });
        assert!(counts.is_complete() && !PoolCounts { received: 499, ..counts }.is_complete());
    }

    /// Without it, workers whose outbox is full would wait for ever, and the panic for them.
    #[test]
    fn a_panic_of_the_keeper_ends_the_run() {
        let mut sink = Keeps { records: 0, most: 100, then: || panic!("as asked") };
        let ended =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(200_000, &mut sink)));
        assert!(ended.is_err());
        assert!(sink.records < 200_000);
    }

    #[test]
    fn an_error_of_the_sink_ends_the_run() {
        let mut sink = Keeps { records: 0, most: 100, then: || Err("full".to_owned()) };
        assert!(matches!(run(200_000, &mut sink), Err(RunError::Sink(words)) if words == "full"));
    }
}
