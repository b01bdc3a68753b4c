//! The executor: runs a search from its first generation until a stop rule ends the trial.

use super::arm::Arm;
use super::evaluation_log::{EvaluationLog, Speed};
use super::evaluator::Evaluator;
use super::population::Population;
use super::seeds::Seeds;
use super::trial::{Halt, Trial};
use super::watcher::Watcher;
use crate::problem::{CallError, Gene};
use crate::record::{Outcome, TrialResult};
use crate::system::interrupt::Interrupt;
use crate::system::spare_workers::SpareWorkers;
use std::sync::Arc;

/// A search algorithm, run generation by generation. Its buffers are kept from trial to trial.
pub(crate) trait Search {
    type Gene: Gene;

    /// Clears the state of the previous trial or run, then creates and evaluates its initial
    /// population.
    ///
    /// # Errors
    /// If the generation is not completed.
    fn start(&mut self, trial: &mut Trial<'_, Self::Gene>) -> Result<(), Halt>;

    /// Creates and evaluates the next generation.
    ///
    /// # Errors
    /// If the generation is not completed.
    fn generation(&mut self, trial: &mut Trial<'_, Self::Gene>) -> Result<(), Halt>;

    /// Returns the population of the last completed generation.
    fn population(&self) -> &Population<Self::Gene>;

    /// Releases what only a running trial needs.
    fn finish(&mut self) {}

    /// Returns the number of rows that are in use.
    fn rows(&self) -> usize {
        self.population().rows()
    }

    /// Returns the outcome if the algorithm's own stop rule ends the trial, or with restarts the
    /// run. This rule takes precedence over budgets, but not over success.
    fn ended(&self) -> Option<Outcome> {
        None
    }
}

/// Executor of one arm's trials, for any algorithm and any kind of gene.
pub trait TrialExecutor {
    /// Runs the trial with these seeds. Returns `None` if it was interrupted; no result remains
    /// then.
    fn run(&mut self, seeds: Seeds, interrupt: &Interrupt) -> Option<TrialResult> {
        self.run_watched(seeds, interrupt, None)
    }

    /// Runs the same trial while a watcher observes it.
    fn run_watched(
        &mut self,
        seeds: Seeds,
        interrupt: &Interrupt,
        watcher: Option<&mut dyn Watcher>,
    ) -> Option<TrialResult>;

    /// Also spreads slow evaluations over these workers from now on. Results stay the same.
    fn use_spare(&mut self, workers: Arc<SpareWorkers>);

    /// Keeps a log of the evaluations of the next trial. A trial whose log has results already goes
    /// on where they end, and becomes the trial that it would have become. `speed` is that of the
    /// arm's evaluations so far.
    fn begin_log(&mut self, log: Box<dyn EvaluationLog>, speed: Speed);

    /// Ends the log of the last trial and returns it, with the speed of the arm's evaluations.
    /// Returns `None` if they are so fast that it was given up.
    fn end_log(&mut self) -> Option<(Box<dyn EvaluationLog>, Speed)>;
}

/// Executor of a search on one arm's problem, under the arm's stop rules.
pub(super) struct Executor<'arm, S: Search> {
    arm: Arm<'arm>,
    evaluator: Evaluator<S::Gene>,
    search: S,
}

impl<'arm, S: Search> Executor<'arm, S> {
    pub(super) fn new(arm: Arm<'arm>, search: S) -> Self {
        Executor { evaluator: Evaluator::new(&arm), arm, search }
    }
}

/// Runs the loop that all searches share. Returns `None` if the trial was interrupted.
fn run_search<S: Search>(
    search: &mut S,
    trial: &mut Trial<'_, S::Gene>,
    mut watcher: Option<&mut dyn Watcher>,
) -> Result<Option<Outcome>, CallError> {
    let mut generation = search.start(trial);
    loop {
        let completed = match generation {
            Ok(()) => {
                trial.close_generation(search.population(), search.rows());
                true
            }
            Err(Halt::Stopped) => false,
            Err(Halt::Failed(error)) => return Err(*error),
        };
        let ended = search.ended();
        let ends = ended.filter(|_| !trial.has_restarts());
        let outcome = trial.solved().or(ends).or_else(|| trial.limit_reached());
        if completed && let Some(watcher) = &mut watcher {
            trial.show(search.population(), search.rows(), outcome.is_some(), *watcher);
        }
        if outcome.is_some() || trial.is_interrupted() {
            return Ok(outcome);
        }
        generation = if ended.is_some() || trial.is_run_over() {
            trial.begin_run();
            search.start(trial)
        } else {
            search.generation(trial)
        };
    }
}

impl<S: Search> TrialExecutor for Executor<'_, S> {
    fn run_watched(
        &mut self,
        seeds: Seeds,
        interrupt: &Interrupt,
        watcher: Option<&mut dyn Watcher>,
    ) -> Option<TrialResult> {
        let mut trial = Trial::new(self.arm, &mut self.evaluator, seeds, interrupt);
        trial.is_watched = watcher.is_some();
        let outcome = run_search(&mut self.search, &mut trial, watcher).transpose();
        self.search.finish();
        let outcome = outcome?;
        Some(trial.into_result(outcome))
    }

    fn use_spare(&mut self, workers: Arc<SpareWorkers>) {
        self.evaluator.use_spare(workers);
    }

    fn begin_log(&mut self, log: Box<dyn EvaluationLog>, speed: Speed) {
        self.evaluator.begin_log(log, speed);
    }

    fn end_log(&mut self) -> Option<(Box<dyn EvaluationLog>, Speed)> {
        self.evaluator.end_log()
    }
}

impl<'arm> Arm<'arm> {
    /// Returns an executor that runs this search.
    pub(super) fn run<S: Search + 'arm>(self, search: S) -> Box<dyn TrialExecutor + 'arm> {
        Box::new(Executor::new(self, search))
    }
}

/// Creates the executor of a search. The search is compiled for the listed kinds of genes, and for
/// no others.
macro_rules! executor_of {
    ($arm:expr, [$($kind:ident: $gene:ty),+], $search:ident::new $parts:tt) => {
        match $arm.problem.description().gene {
            $($crate::problem::GeneKind::$kind => $arm.run($search::<$gene>::new $parts),)+
            #[allow(unreachable_patterns, reason = "some searches are for all kinds")]
            other => unreachable!("the config checked that genes are not {other:?}"),
        }
    };
    ($arm:expr, all, $search:ident::new $parts:tt) => {
        $crate::search::executor::executor_of!(
            $arm, [U8: u8, U16: u16, U32: u32, F64: f64], $search::new $parts
        )
    };
}
pub(super) use executor_of;
