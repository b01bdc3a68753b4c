//! The spread of a batch over spare workers: where evaluations are slow and cores idle, the rows of
//! one batch are evaluated side by side. A row's fitness follows from the row alone, so results are
//! the same.

use crate::problem::{CallError, Gene, Problem};
use crate::system::call_limit::{self, CallLimit};
use crate::system::guard;
use crate::system::spare_workers::SpareWorkers;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// Seconds of work that are worth a thread of their own: to start one takes some 50 microseconds.
const LEAST_SHARE: f64 = 1e-3;
/// Seconds of work that are worth a call of their own.
const LEAST_BLOCK: f64 = 2e-4;
/// Blocks per thread: rows take unequal times, and threads should end together.
const BLOCKS: usize = 4;

/// Spreads the batches of one arm's trials.
#[derive(Debug)]
pub(super) struct Spread {
    spare: Arc<SpareWorkers>,
    /// What a row took lately; None: not known yet.
    row_seconds: Cell<Option<f64>>,
}

impl Spread {
    pub(super) fn new(spare: Arc<SpareWorkers>) -> Self {
        Spread { spare, row_seconds: Cell::new(None) }
    }

    /// Evaluates a batch, with the help of spare workers where that is faster.
    ///
    /// # Errors
    /// Those of [`Problem::evaluate`] for the whole batch.
    #[inline]
    pub(super) fn evaluate<G: Gene>(
        &self,
        problem: &Problem,
        genes: &[G],
        fitness: &mut [f64],
    ) -> Result<(), CallError> {
        if fitness.len() < 2 || !self.spare.any() {
            return problem.evaluate(genes, fitness);
        }
        self.evaluate_shared(problem, genes, fitness)
    }

    #[cold]
    fn evaluate_shared<G: Gene>(
        &self,
        problem: &Problem,
        genes: &[G],
        fitness: &mut [f64],
    ) -> Result<(), CallError> {
        if self.try_shared(problem, genes, fitness) {
            return Ok(());
        }
        // It fails as it does without help: the same row, the same words.
        call_limit::set(call_limit::current());
        problem.evaluate(genes, fitness)
    }

    /// False if a row could not be evaluated.
    fn try_shared<G: Gene>(
        &self,
        problem: &Problem,
        mut genes: &[G],
        mut fitness: &mut [f64],
    ) -> bool {
        let seconds = match self.row_seconds.get() {
            Some(seconds) => seconds,
            None => {
                let first = fitness.split_off_first_mut();
                let row = genes.split_off(..genes.len() / (fitness.len() + 1));
                let (Some(first), Some(row)) = (first, row) else { return false };
                let Some(seconds) = self.timed(problem, row, std::slice::from_mut(first)) else {
                    return false;
                };
                seconds
            }
        };
        let threads = (fitness.len() as f64 * seconds / LEAST_SHARE) as usize;
        let claim = self.spare.claim(threads.min(fitness.len()).saturating_sub(1));
        if claim.places.is_empty() {
            return self.timed(problem, genes, fitness).is_some();
        }
        self.side_by_side(problem, (genes, fitness), &claim.places, seconds)
    }

    /// Evaluates rows in this thread: the seconds of one, also for the next batch. None if they
    /// fail.
    fn timed<G: Gene>(&self, problem: &Problem, genes: &[G], fitness: &mut [f64]) -> Option<f64> {
        let start = Instant::now();
        problem.evaluate(genes, fitness).ok()?;
        self.row_seconds.set(Some(start.elapsed().as_secs_f64() / fitness.len() as f64));
        self.row_seconds.get()
    }

    /// Evaluates a batch in this thread and one at each of `places`, block by block. False if a
    /// block failed.
    fn side_by_side<G: Gene>(
        &self,
        problem: &Problem,
        (genes, fitness): (&[G], &mut [f64]),
        places: &[usize],
        seconds: f64,
    ) -> bool {
        let (rows, threads) = (fitness.len(), places.len() + 1);
        let block = rows.div_ceil(threads * BLOCKS).max((LEAST_BLOCK / seconds) as usize);
        let genes = genes.chunks(block * (genes.len() / rows));
        let blocks = Mutex::new(genes.zip(fitness.chunks_mut(block)));
        let failed = AtomicBool::new(false);
        let next = || blocks.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while !failed.load(Relaxed)
                && let Some((genes, fitness)) = next()
            {
                if problem.evaluate(genes, fitness).is_err() {
                    failed.store(true, Relaxed);
                }
            }
        };
        let (trial, limit) = (guard::trial_here(), call_limit::current());
        let start = Instant::now();
        thread::scope(|scope| {
            for place in places {
                let (trial, limit) = (&trial, limit.clone());
                let named = thread::Builder::new().name(format!("search-{place}"));
                // Where no thread can be had, the others do the work.
                _ = named.spawn_scoped(scope, move || helping(*place, trial, limit, work));
            }
            work();
        });
        let seconds = start.elapsed().as_secs_f64() * threads as f64;
        self.row_seconds.set(Some(seconds / rows as f64));
        !failed.load(Relaxed)
    }
}

/// Works at a place of its own on another thread's trial.
fn helping(place: usize, trial: &guard::TrialHere, limit: CallLimit, work: impl Fn()) {
    guard::own_surroundings();
    let _place = guard::Place::take(place);
    trial.take_over();
    call_limit::set(limit);
    work();
}
