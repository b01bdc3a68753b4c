//! Spread of a batch over spare workers. If evaluations are slow and cores are idle, the rows of
//! one batch are evaluated in parallel. The fitness of a row follows from the row alone, and with
//! noise from the number of the evaluation, so the results are the same.

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

/// Minimum seconds of work per thread. Starting a thread takes about 50 microseconds.
const LEAST_SHARE: f64 = 1e-3;
/// Minimum seconds of work per call.
const LEAST_BLOCK: f64 = 2e-4;
/// Number of blocks per thread. Rows take unequal times, and threads should end together.
const BLOCKS: usize = 4;

/// Rows to evaluate, and the destination of their fitness and violations.
pub(super) struct Batch<'rows, G> {
    pub genes: &'rows [G],
    pub fitness: &'rows mut [f64],
    /// Empty if the problem has no constraints.
    pub violations: &'rows mut [f64],
    /// Seed of the noise and number of the first row's evaluation; `None` if the fitness is to have
    /// no noise.
    draws: Option<(&'rows [u8; 32], u64)>,
}

impl<'rows, G: Gene> Batch<'rows, G> {
    /// Returns the first rows of a population.
    #[inline]
    pub(super) fn first(population: &'rows mut Population<G>, rows: usize) -> Self {
        let length = population.length();
        let (genes, fitness, violations) = population.parts_mut();
        let violated = rows.min(violations.len());
        Batch {
            genes: &genes[..rows * length],
            fitness: &mut fitness[..rows],
            violations: &mut violations[..violated],
            draws: None,
        }
    }

    /// Creates a batch of a problem without constraints.
    pub(super) fn new(
        genes: &'rows [G],
        fitness: &'rows mut [f64],
        draws: Option<(&'rows [u8; 32], u64)>,
    ) -> Self {
        Batch { genes, fitness, violations: &mut [], draws }
    }

    fn rows(&self) -> usize {
        self.fitness.len()
    }

    /// Evaluates all rows in one call of the plugin.
    ///
    /// # Errors
    /// If [`Problem::evaluate`] fails, or with noise [`Problem::evaluate_noisy`], or with
    /// constraints [`Problem::evaluate_constrained`].
    #[inline]
    fn evaluate(&mut self, problem: &Problem) -> Result<(), CallError> {
        if let Some((seed, first)) = self.draws {
            return problem.evaluate_noisy(seed, first, self.genes, self.fitness);
        }
        // The length of `violations` cannot decide: with a spent budget it is 0 for every problem.
        if problem.description().has_violations {
            problem.evaluate_constrained(self.genes, self.fitness, self.violations)
        } else {
            problem.evaluate(self.genes, self.fitness)
        }
    }

    /// Returns some of the rows.
    pub(super) fn range(&mut self, rows: Range<usize>) -> Batch<'_, G> {
        let length = self.genes.len() / self.rows().max(1);
        let genes = &self.genes[rows.start * length..rows.end * length];
        let violations = if self.violations.is_empty() { 0..0 } else { rows.clone() };
        let draws = self.draws.map(|(seed, first)| (seed, first + rows.start as u64));
        let (fitness, violations) = (&mut self.fitness[rows], &mut self.violations[violations]);
        Batch { genes, fitness, violations, draws }
    }

    /// Returns the same rows.
    fn again(&mut self) -> Batch<'_, G> {
        let Batch { genes, draws, .. } = *self;
        Batch { genes, fitness: self.fitness, violations: self.violations, draws }
    }

    /// Removes the first rows, at most `rows`, and returns them.
    fn take(&mut self, rows: usize) -> Batch<'rows, G> {
        let rows = rows.min(self.rows());
        let length = self.genes.len() / self.rows().max(1);
        let (genes, rest) = self.genes.split_at(rows * length);
        self.genes = rest;
        let draws = self.draws;
        self.draws = draws.map(|(seed, first)| (seed, first + rows as u64));
        let first = |figures: &mut &'rows mut [f64]| {
            let there = rows.min(figures.len());
            let (first, rest) = take(figures).split_at_mut(there);
            *figures = rest;
            first
        };
        let (fitness, violations) = (first(&mut self.fitness), first(&mut self.violations));
        Batch { genes, fitness, violations, draws }
    }
}

/// Evaluates a batch, over spare workers if `spread` is given.
///
/// # Errors
/// If [`Batch::evaluate`] fails.
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

/// Distribution of the batches of one arm's trials over spare workers.
#[derive(Debug)]
pub(super) struct Spread {
    spare: Arc<SpareWorkers>,
    /// Recent seconds per row; `None` if they are not known yet.
    row_seconds: Cell<Option<f64>>,
}

impl Spread {
    pub(super) fn new(spare: Arc<SpareWorkers>) -> Self {
        Spread { spare, row_seconds: Cell::new(None) }
    }

    /// Evaluates a batch, with the help of spare workers if that is faster.
    ///
    /// # Errors
    /// If [`Batch::evaluate`] fails for the whole batch.
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
                // If a thread cannot be started, the others do its work.
                _ = named.spawn_scoped(scope, move || helping(*place, trial, limit, work));
            }
            work();
        });
        let seconds = start.elapsed().as_secs_f64() * threads as f64;
        self.row_seconds.set(Some(seconds / rows as f64));
        !failed.load(Relaxed)
    }
}

/// Works on another thread's trial, at a separate place.
fn helping(place: usize, trial: &guard::TrialHere, limit: CallLimit, work: impl Fn()) {
    guard::own_surroundings();
    let _place = guard::Place::take(place);
    trial.take_over();
    call_limit::set(limit);
    work();
}
