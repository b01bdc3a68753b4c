//! The spread of a batch over spare workers: where evaluations are slow and cores idle, the rows of
//! one batch are evaluated side by side. A row's fitness follows from the row alone, so results are
//! the same.

use super::population::Population;
use crate::problem::{CallError, Gene, Problem};
use crate::system::call_limit::{self, CallLimit};
use crate::system::guard;
use crate::system::spare_workers::SpareWorkers;
use std::cell::Cell;
use std::mem::take;
use std::ops::Range;
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

/// Rows to evaluate, and where their figures go.
pub(super) struct Batch<'rows, G> {
    pub genes: &'rows [G],
    pub fitness: &'rows mut [f64],
    /// Empty where the problem has no constraints.
    pub violations: &'rows mut [f64],
}

impl<'rows, G: Gene> Batch<'rows, G> {
    /// The first rows of a population.
    #[inline]
    pub(super) fn first(population: &'rows mut Population<G>, rows: usize) -> Self {
        let length = population.length();
        let (genes, fitness, violations) = population.parts_mut();
        let violated = rows.min(violations.len());
        Batch {
            genes: &genes[..rows * length],
            fitness: &mut fitness[..rows],
            violations: &mut violations[..violated],
        }
    }

    fn rows(&self) -> usize {
        self.fitness.len()
    }

    /// # Errors
    /// Those of [`Problem::evaluate`], or with constraints of [`Problem::evaluate_constrained`].
    #[inline]
    fn evaluate(&mut self, problem: &Problem) -> Result<(), CallError> {
        // Not by the violations that there is room for: a spent budget leaves none of any problem.
        if problem.description().has_violations {
            problem.evaluate_constrained(self.genes, self.fitness, self.violations)
        } else {
            problem.evaluate(self.genes, self.fitness)
        }
    }

    /// Some of the rows.
    pub(super) fn range(&mut self, rows: Range<usize>) -> Batch<'_, G> {
        let length = self.genes.len() / self.rows().max(1);
        let genes = &self.genes[rows.start * length..rows.end * length];
        let violations = if self.violations.is_empty() { 0..0 } else { rows.clone() };
        let (fitness, violations) = (&mut self.fitness[rows], &mut self.violations[violations]);
        Batch { genes, fitness, violations }
    }

    /// The same rows.
    fn again(&mut self) -> Batch<'_, G> {
        Batch { genes: self.genes, fitness: self.fitness, violations: self.violations }
    }

    /// The first rows, at most so many, which it then has no longer.
    fn take(&mut self, rows: usize) -> Batch<'rows, G> {
        let rows = rows.min(self.rows());
        let length = self.genes.len() / self.rows().max(1);
        let (genes, rest) = self.genes.split_at(rows * length);
        self.genes = rest;
        let first = |figures: &mut &'rows mut [f64]| {
            let there = rows.min(figures.len());
            let (first, rest) = take(figures).split_at_mut(there);
            *figures = rest;
            first
        };
        Batch { genes, fitness: first(&mut self.fitness), violations: first(&mut self.violations) }
    }
}

/// Evaluates a batch, over spare workers where there are any.
///
/// # Errors
/// Those of [`Batch::evaluate`].
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
    /// Those of [`Batch::evaluate`] for the whole batch.
    #[inline]
    fn evaluate<G: Gene>(
        &self,
        problem: &Problem,
        batch: &mut Batch<'_, G>,
    ) -> Result<(), CallError> {
        if batch.rows() < 2 || !self.spare.any() {
            return batch.evaluate(problem);
        }
        self.evaluate_shared(problem, batch)
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
        // It fails as it does without help: the same row, the same words.
        call_limit::set(call_limit::current());
        batch.evaluate(problem)
    }

    /// False if a row could not be evaluated.
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

    /// Evaluates rows in this thread: the seconds of one, also for the next batch. None if they
    /// fail.
    fn timed<G: Gene>(&self, problem: &Problem, mut batch: Batch<'_, G>) -> Option<f64> {
        let start = Instant::now();
        batch.evaluate(problem).ok()?;
        self.row_seconds.set(Some(start.elapsed().as_secs_f64() / batch.rows() as f64));
        self.row_seconds.get()
    }

    /// Evaluates a batch in this thread and one at each of `places`, block by block. False if a
    /// block failed.
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
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
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
