//! The pool: worker threads that take chunks, search, and send records to the one thread that keeps
//! them.

use super::channel::{Channel, Intake, Received};
use super::worker::{Work, Worker};
use super::{GenerationProgress, Isolation, Queue, TimeLimit};
use crate::plan::Plan;
use crate::results::CheckpointFolder;
use crate::system::interrupt::Interrupt;
use crate::system::notice::{Level, Notice};
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::LazyLock;
use std::time::Duration;

/// Maximum interval at which the thread that keeps the records looks for new ones.
const HEARTBEAT: Duration = Duration::from_millis(50);

/// Returns the number of trials at once if none is given: one per core that this process may use.
#[must_use]
pub fn default_jobs() -> usize {
    // The answer takes some ten system calls.
    static CORES: LazyLock<usize> =
        LazyLock::new(|| std::thread::available_parallelism().map_or(1, Into::into));
    *CORES
}

/// Receiver of the workers' records, on the caller's thread.
pub trait Sink {
    /// Error that ends the run.
    type Error;
    /// Finished trials that are ready to be kept.
    type Batch: Send;
    /// Makes finished trials ready. Workers do that with their own.
    fn intake(&self) -> Intake<Self::Batch>;
    /// Notes that a worker took up trials of this arm.
    fn running(&mut self, arm: usize);
    /// Takes finished trials of any arms, in any order. Called at least every 50 ms, even without
    /// trials.
    ///
    /// # Errors
    /// Returns an error if the records cannot be kept. The run then ends.
    fn records(&mut self, batches: Vec<Self::Batch>) -> Result<(), Self::Error>;
    /// Returns the interval of the generations of each trial that it receives; `None` for none.
    fn generations(&self) -> Option<NonZeroU64> {
        None
    }
    /// Returns the folder of the checkpoints of running trials; `None` if they have none.
    fn checkpoints(&self) -> Option<CheckpointFolder> {
        None
    }
    /// Takes a generation that a trial completed. It comes before the trial's record.
    fn generation(&mut self, _progress: &GenerationProgress) {}
    /// Takes a notice that the user should read now.
    fn notice(&mut self, _notice: &Notice) {}
}

/// Reason why a run ended early.
#[derive(Debug)]
pub enum RunError<E> {
    /// The sink's.
    Sink(E),
    /// No worker is available, for this reason.
    Worker(String),
}

/// Numbers of trials of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolCounts {
    /// Trials that were missing.
    pub missing: u64,
    /// Trials that workers took up.
    pub handed_out: u64,
    /// Records that went to the sink.
    pub received: u64,
}

impl PoolCounts {
    /// Returns whether every trial that was missing has its record.
    pub(crate) fn is_complete(self) -> bool {
        self.received == self.missing
    }
}

/// Runs the missing trials of a plan on `jobs` workers. Ends when all are done, when `interrupt` is
/// raised (trials in flight are dropped), when a round ends after the time limit, or when the sink
/// fails.
///
/// # Errors
/// Returns the sink's error, and an error if no worker can be started.
///
/// # Panics
/// Panics if the sink or a worker panics, but never before all workers have ended.
pub fn run_trials<S: Sink>(
    plan: &Plan,
    missing: &[Vec<Range<u64>>],
    jobs: usize,
    isolation: &Isolation,
    interrupt: &Interrupt,
    limit: TimeLimit,
    sink: &mut S,
) -> Result<PoolCounts, RunError<S::Error>> {
    let trials: u64 = missing.iter().flatten().map(|run| run.end - run.start).sum();
    let jobs = jobs.max(1);
    // The others have no trial: they help from the beginning, as many as were asked for, since a
    // fitness that waits needs no core.
    let workers = jobs.min(usize::try_from(trials).unwrap_or(usize::MAX)).max(1);
    // A failing sink stops the workers without marking the whole run as interrupted.
    let channel = Channel::new(workers, sink.intake());
    let queue = Queue::new(missing, workers).within(limit);
    let checkpoints = sink.checkpoints();
    let (queues, stop) = ((queue, channel), interrupt.child());
    let work =
        &Work::new(plan, isolation, queues, jobs, stop, checkpoints).telling(sink.generations());
    let missing = work.queue.trials_left();
    (workers..jobs).for_each(|number| work.has_no_trials(number));
    std::thread::scope(|scope| {
        // Whatever becomes of this thread, the workers do not wait for it.
        let _closing = Closing(work);
        for number in 0..workers {
            let worker = Worker { number, work };
            let named = std::thread::Builder::new().name(format!("search-{number}"));
            // A worker that cannot be started says so as it is dropped here.
            if let Err(error) = named.spawn_scoped(scope, move || worker.run()) {
                let number = number + 1;
                work.faults.add(format!("worker {number} of {workers} cannot be started: {error}"));
            }
        }
        let (received, told) = receive(work, sink).map_err(RunError::Sink)?;
        let counts =
            PoolCounts { missing, handed_out: missing - work.queue.trials_left(), received };
        match work.faults.take().pop().or(told) {
            // The rest of the trials was left to another run.
            Some(_) if work.queue.is_cut() => Ok(counts),
            Some(fault) if !counts.is_complete() && !interrupt.is_raised() => {
                Err(RunError::Worker(fault))
            }
            _ => Ok(counts),
        }
    })
}

/// Hands the workers' batches to the sink until all workers have ended. Returns the number of
/// records, and the last reported fault.
fn receive<S: Sink>(
    work: &Work<'_, S::Batch>,
    sink: &mut S,
) -> Result<(u64, Option<String>), S::Error> {
    let (mut received, mut told) = (0, None);
    loop {
        let Received { running, generations, batches, records, last } =
            work.channel.receive(HEARTBEAT);
        running.into_iter().for_each(|arm| sink.running(arm));
        generations.iter().for_each(|progress| sink.generation(progress));
        received += records;
        sink.records(batches)?;
        if last {
            return Ok((received, told));
        }
        // The others go on without it.
        for fault in work.faults.take() {
            let words = format!("{fault}; the run continues with fewer workers");
            sink.notice(&Notice::new(Level::Warning, words));
            told = Some(fault);
        }
    }
}

/// Lets the workers end when it is dropped.
struct Closing<'run, T>(&'run Work<'run, T>);

impl<T> Drop for Closing<'_, T> {
    fn drop(&mut self) {
        self.0.interrupt.raise();
        self.0.channel.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Catalogue, Overrides, load_text};
    use crate::problem::{Library, SearchPath};
    use crate::record::TrialRecord;
    use crate::test_size::is_full;
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

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

    /// Sink that keeps `records` records, then does something else.
    struct Keeps {
        records: u64,
        most: u64,
        then: fn() -> Result<(), String>,
    }

    impl Sink for Keeps {
        type Error = String;
        type Batch = Vec<TrialRecord>;
        fn intake(&self) -> Intake<Vec<TrialRecord>> {
            Box::new(|records| records)
        }
        fn running(&mut self, _: usize) {}
        fn records(&mut self, batches: Vec<Vec<TrialRecord>>) -> Result<(), String> {
            self.records += batches.iter().flatten().count() as u64;
            if self.records > self.most { (self.then)() } else { Ok(()) }
        }
    }

    fn run(trials: u64, sink: &mut Keeps) -> Result<PoolCounts, RunError<String>> {
        let missing = [std::iter::once(0..trials).collect()];
        run_trials(
            &plan(trials),
            &missing,
            3,
            &Isolation::Threads,
            &Interrupt::default(),
            TimeLimit::default(),
            sink,
        )
    }

    #[test]
    fn every_trial_is_counted() {
        let counts =
            run(500, &mut Keeps { records: 0, most: u64::MAX, then: || Ok(()) }).expect("no fault");
        assert_eq!(counts, PoolCounts { missing: 500, handed_out: 500, received: 500 });
        assert!(counts.is_complete() && !PoolCounts { received: 499, ..counts }.is_complete());
    }

    /// Without it, workers whose channel is full would wait for ever, and the panic for them.
    #[test]
    fn a_panic_of_the_sink_ends_the_run() {
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

    /// As slow as a disk can be, next to trials of some microseconds.
    #[derive(Default)]
    struct Slow {
        /// Finished trials that were not kept yet.
        held: Arc<AtomicUsize>,
        most: usize,
    }

    impl Sink for Slow {
        type Error = String;
        type Batch = Vec<TrialRecord>;
        fn intake(&self) -> Intake<Vec<TrialRecord>> {
            let held = Arc::clone(&self.held);
            Box::new(move |records| {
                held.fetch_add(records.len(), Relaxed);
                records
            })
        }
        fn running(&mut self, _: usize) {}
        fn records(&mut self, batches: Vec<Vec<TrialRecord>>) -> Result<(), String> {
            std::thread::sleep(Duration::from_millis(5 * batches.len() as u64));
            self.most = self.most.max(self.held.load(Relaxed));
            self.held.fetch_sub(batches.iter().flatten().count(), Relaxed);
            Ok(())
        }
    }

    /// With a channel that has no bound, some hundred thousand would wait at the end.
    #[test]
    fn a_slow_disk_does_not_make_finished_trials_pile_up() {
        let (trials, workers) = (if is_full() { 200_000 } else { 50_000 }, 3);
        let (plan, missing) = (plan(trials), [std::iter::once(0..trials).collect()]);
        let mut sink = Slow::default();
        let threads = Isolation::Threads;
        let ran = run_trials(
            &plan,
            &missing,
            workers,
            &threads,
            &Interrupt::default(),
            TimeLimit::default(),
            &mut sink,
        );
        assert!(ran.expect("no fault").is_complete());
        // What is being kept, what fills the channel anew meanwhile, and a slot of each worker.
        let bound = 2 * (super::super::channel::FULL + workers * super::super::channel::SLOT);
        assert!(sink.most > 0 && sink.most <= bound, "{} > {bound}", sink.most);
    }
}
