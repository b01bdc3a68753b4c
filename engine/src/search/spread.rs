//! Spread of a batch over spare workers. If evaluations are slow and cores are idle, the rows of
//! one batch are evaluated in parallel. The fitness of a row follows from the row alone, and with
//! noise from the number of the evaluation, so the results are the same.

use super::batch::Batch;
use super::evaluation_log::{EvaluationLog, Speed};
use super::logged::{CallSize, Logged, SharedLog};
use crate::problem::{CallError, Gene, Problem};
use crate::system::call_limit::{self, CallLimit};
use crate::system::guard;
use crate::system::spare_workers::SpareWorkers;
use parking_lot::Mutex;
use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// Minimum seconds of work per thread. Starting a thread takes about 50 microseconds.
const LEAST_SHARE: f64 = 1e-3;
/// Minimum seconds of work per call.
const LEAST_BLOCK: f64 = 2e-4;
/// Number of blocks per thread. Rows take unequal times, and threads should end together.
const BLOCKS: usize = 4;

/// Minimum number of rows that are shared with other workers.
const LEAST_SHARED: usize = 2;

/// Evaluates a batch, over spare workers if `spread` is given.
#[inline]
pub(super) fn evaluate_batch<G: Gene>(
    problem: &Problem,
    spread: Option<&Spread>,
    batch: &mut Batch<'_, G>,
) -> Result<(), CallError> {
    match spread {
        None => batch.evaluate(problem),
        Some(spread) => spread.evaluate(problem, batch),
    }
}

/// Distribution of the batches of one arm's trials over spare workers, and the log of their results
/// while one is kept.
#[derive(Debug)]
pub(super) struct Spread {
    spare: Arc<SpareWorkers>,
    /// Recent seconds per row; `None` if they are not known yet.
    row_seconds: Cell<Option<f64>>,
    /// Number of rows below which a batch is evaluated in one call, with no further question; 0
    /// while a log is kept. A log thus costs nothing where there is none.
    least: Cell<usize>,
    log: SharedLog,
    /// Number of rows per call while a log is kept, from trial to trial.
    call_size: Cell<CallSize>,
}

impl Spread {
    pub(super) fn new(spare: Arc<SpareWorkers>) -> Self {
        Spread {
            spare,
            row_seconds: Cell::new(None),
            least: Cell::new(LEAST_SHARED),
            log: SharedLog::default(),
            call_size: Cell::default(),
        }
    }

    /// Keeps a log of all evaluations from now on, and takes results from it as long as it has
    /// some.
    pub(super) fn begin_log(&self, log: Box<dyn EvaluationLog>, speed: Speed) {
        self.log.begin(Logged::new(log, speed, self.call_size.get()));
        self.least.set(0);
    }

    /// Ends the log and returns it; `None` if there is none, or if evaluations were so fast that it
    /// was given up.
    pub(super) fn end_log(&self) -> Option<(Box<dyn EvaluationLog>, Speed)> {
        self.least.set(LEAST_SHARED);
        let logged = self.log.end()?;
        self.call_size.set(logged.call_size);
        Some((logged.log, logged.speed))
    }

    /// Returns the time that the trial took before it was interrupted, by its log.
    pub(super) fn spent(&self) -> Duration {
        self.log.spent()
    }

    /// Returns the log of the trial; `None` if none is kept.
    pub(super) fn log(&self) -> Option<SharedLog> {
        self.log.is_kept().then(|| self.log.clone())
    }

    /// Evaluates a batch, with the help of spare workers if that is faster.
    #[inline]
    fn evaluate<G: Gene>(
        &self,
        problem: &Problem,
        batch: &mut Batch<'_, G>,
    ) -> Result<(), CallError> {
        let least = self.least.get();
        if batch.rows() < least || (least > 0 && !self.spare.any()) {
            return batch.evaluate(problem);
        }
        if least > 0 {
            return self.evaluate_shared(problem, batch);
        }
        self.evaluate_logged(problem, batch)
    }

    /// Takes the results of a batch from the log, as far as it has them. Evaluates the other rows
    /// and logs their results.
    #[cold]
    fn evaluate_logged<G: Gene>(
        &self,
        problem: &Problem,
        batch: &mut Batch<'_, G>,
    ) -> Result<(), CallError> {
        let evaluate = |rows: &mut Batch<'_, G>| match rows.rows() {
            some if some >= LEAST_SHARED && self.spare.any() => self.evaluate_shared(problem, rows),
            _ => rows.evaluate(problem),
        };
        // Enough for every worker.
        let least = match self.spare.number() {
            0 => 1,
            spare => BLOCKS * (spare + 1),
        };
        self.log.evaluate(batch, least, evaluate).unwrap_or_else(|| {
            // The log was given up.
            self.least.set(LEAST_SHARED);
            evaluate(batch)
        })
    }

    #[cold]
    fn evaluate_shared<G: Gene>(
        &self,
        problem: &Problem,
        batch: &mut Batch<'_, G>,
    ) -> Result<(), CallError> {
        if self.try_shared(problem, batch.again()) {
            return Ok(());
        }
        // Evaluating the whole batch gives the same error as without help: the same row, the same
        // message.
        call_limit::set(call_limit::current());
        batch.evaluate(problem)
    }

    /// Evaluates a batch with the help of spare workers. Returns false if a row cannot be
    /// evaluated.
    fn try_shared<G: Gene>(&self, problem: &Problem, mut batch: Batch<'_, G>) -> bool {
        let seconds = match self.row_seconds.get() {
            Some(seconds) => seconds,
            None => {
                let Some(seconds) = self.timed(problem, batch.take(1)) else { return false };
                seconds
            }
        };
        let threads = (batch.rows() as f64 * seconds / LEAST_SHARE) as usize;
        let claim = self.spare.claim(threads.min(batch.rows()).saturating_sub(1));
        if claim.places.is_empty() {
            return self.timed(problem, batch).is_some();
        }
        self.side_by_side(problem, batch, &claim.places, seconds)
    }

    /// Evaluates rows in this thread. Returns the seconds per row, and stores them for the next
    /// batch. Returns `None` if the rows fail.
    fn timed<G: Gene>(&self, problem: &Problem, mut batch: Batch<'_, G>) -> Option<f64> {
        let start = Instant::now();
        batch.evaluate(problem).ok()?;
        self.row_seconds.set(Some(start.elapsed().as_secs_f64() / batch.rows() as f64));
        self.row_seconds.get()
    }

    /// Evaluates a batch block by block, in this thread and in one thread at each of `places`.
    /// Returns false if a block fails.
    fn side_by_side<G: Gene>(
        &self,
        problem: &Problem,
        batch: Batch<'_, G>,
        places: &[usize],
        seconds: f64,
    ) -> bool {
        let (rows, threads) = (batch.rows(), places.len() + 1);
        let block = rows.div_ceil(threads * BLOCKS).max((LEAST_BLOCK / seconds) as usize);
        let left = Mutex::new(batch);
        let failed = AtomicBool::new(false);
        let next = || {
            let mut left = left.lock();
            (left.rows() > 0).then(|| left.take(block))
        };
        let work = || {
            while !failed.load(Relaxed)
                && let Some(mut block) = next()
            {
                if block.evaluate(problem).is_err() {
                    failed.store(true, Relaxed);
                }
            }
        };
        let (trial, limit) = (guard::trial_here(), call_limit::current());
        let start = Instant::now();
        thread::scope(|scope| {
            let helper = |place: &usize| {
                let (place, trial, limit) = (*place, &trial, limit.clone());
                let named = thread::Builder::new().name(format!("search-{place}"));
                // If a thread cannot be started, the others do its work.
                named.spawn_scoped(scope, move || helping(place, trial, limit, work)).ok()
            };
            let helpers: Vec<_> = places.iter().filter_map(helper).collect();
            work();
            let done = Instant::now();
            let joined =
                helpers.into_iter().map(|one| one.join().unwrap_or_else(|e| resume_unwind(e)));
            let waited = joined.max().unwrap_or_default();
            // This thread waited for helpers whose processes were starting.
            call_limit::wait(waited.min(done.elapsed()));
        });
        let seconds = start.elapsed().as_secs_f64() * threads as f64;
        self.row_seconds.set(Some(seconds / rows as f64));
        !failed.load(Relaxed)
    }
}

/// Works on another thread's trial, at a separate place. Returns how long its calls waited for a
/// process to be ready.
fn helping(place: usize, trial: &guard::TrialHere, limit: CallLimit, work: impl Fn()) -> Duration {
    let before = limit.waited;
    guard::own_surroundings();
    let _place = guard::Place::take(place);
    trial.take_over();
    call_limit::set(limit);
    work();
    call_limit::waited().saturating_sub(before)
}
