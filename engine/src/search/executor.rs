//! The executor: runs a solver from its first generation until a stop rule ends the trial.

use super::arm::Arm;
use super::evaluator::Evaluator;
use super::population::Figures;
use super::seeds::Seeds;
use super::trial_state::{Incomplete, TrialState};
use super::watcher::Watcher;
use crate::problem::{CallError, Gene};
use crate::record::{Outcome, TrialResult};
use crate::system::interrupt::Interrupt;
use crate::system::spare_workers::SpareWorkers;
use std::sync::Arc;

/// A search algorithm, generation by generation. Its buffers are kept from trial to trial.
pub(crate) trait Solver {
    type Gene: Gene;

    /// Forgets the trial before, then makes and evaluates generation 0.
    ///
    /// # Errors
    /// If the generation is not completed.
    fn init(&mut self, trial: &mut TrialState<'_, Self::Gene>) -> Result<(), Incomplete>;

    /// Makes and evaluates the next generation.
    ///
    /// # Errors
    /// If the generation is not completed.
    fn next_generation(&mut self, trial: &mut TrialState<'_, Self::Gene>)
    -> Result<(), Incomplete>;

    /// Fitness and violations of the generation that was completed last, for the trace.
    fn figures(&self) -> Figures<'_>;

    /// Its genomes, row by row.
    fn genes(&self) -> &[Self::Gene];

    /// The algorithm's own stop rule. It takes precedence over budgets, not over success.
    fn terminate(&self) -> Option<Outcome> {
        None
    }
}

/// Runs trials of one arm, whatever its algorithm and kind of gene.
pub trait TrialExecutor {
    /// Runs the trial with these seeds. None: it was interrupted, and leaves nothing.
    fn run(&mut self, seeds: Seeds, interrupt: &Interrupt) -> Option<TrialResult> {
        self.run_watched(seeds, interrupt, None)
    }

    /// The same trial, seen by a watcher.
    fn run_watched(
        &mut self,
        seeds: Seeds,
        interrupt: &Interrupt,
        watcher: Option<&mut dyn Watcher>,
    ) -> Option<TrialResult>;

    /// From now on, spreads slow evaluations over these workers too. Results stay the same.
    fn use_spare(&mut self, workers: Arc<SpareWorkers>);
}

/// Runs a solver on one arm's problem, under its stop rules.
pub(super) struct Executor<'arm, S: Solver> {
    arm: Arm<'arm>,
    evaluator: Evaluator<S::Gene>,
    solver: S,
}

impl<'arm, S: Solver> Executor<'arm, S> {
    pub(super) fn new(arm: Arm<'arm>, solver: S) -> Self {
        Executor { evaluator: Evaluator::new(&arm), arm, solver }
    }
}

/// The loop that all solvers share. None: interrupted.
fn run_solver<S: Solver>(
    solver: &mut S,
    trial: &mut TrialState<'_, S::Gene>,
    mut watcher: Option<&mut dyn Watcher>,
) -> Result<Option<Outcome>, CallError> {
    let mut generation = solver.init(trial);
    loop {
        let completed = match generation {
            Ok(()) => {
                trial.end_generation(solver.figures(), solver.genes());
                true
            }
            Err(Incomplete::Stopped) => false,
            Err(Incomplete::Failed(error)) => return Err(*error),
        };
        let outcome =
            trial.solved().or_else(|| solver.terminate()).or_else(|| trial.limit_reached());
        if completed && let Some(watcher) = &mut watcher {
            trial.show(solver.figures(), solver.genes(), outcome.is_some(), *watcher);
        }
        if outcome.is_some() || trial.is_interrupted() {
            return Ok(outcome);
        }
        generation = solver.next_generation(trial);
    }
}

impl<S: Solver> TrialExecutor for Executor<'_, S> {
    fn run_watched(
        &mut self,
        seeds: Seeds,
        interrupt: &Interrupt,
        watcher: Option<&mut dyn Watcher>,
    ) -> Option<TrialResult> {
        let mut trial = TrialState::new(self.arm, &mut self.evaluator, seeds, interrupt);
        let outcome = run_solver(&mut self.solver, &mut trial, watcher).transpose()?;
        Some(trial.into_result(outcome))
    }

    fn use_spare(&mut self, workers: Arc<SpareWorkers>) {
        self.evaluator.use_spare(workers);
    }
}
