//! Exhaustive search: every genome of the space in order.

use super::executor::Solver;
use super::population::{Figures, Population, population_of};
use super::trial_state::{Incomplete, TrialState};
use crate::problem::{Gene, Problem, Space, Walk};
use crate::record::Outcome;

/// Exhaustive search on genes of kind `G`. It draws no random numbers: all its trials are alike.
pub(super) struct ExhaustiveSearch<'arm, G: Gene> {
    walk: Walk<'arm, G>,
    batch: Population<G>,
    /// Rows of the batch that are in use: the last batch can be shorter.
    rows: usize,
    exhausted: bool,
}

impl<'arm, G: Gene> ExhaustiveSearch<'arm, G> {
    pub(super) fn new(problem: &'arm Problem, space: Space, population: usize) -> Self {
        ExhaustiveSearch {
            walk: Walk::new(problem, space),
            batch: population_of(problem, population),
            rows: 0,
            exhausted: false,
        }
    }
}

impl<G: Gene> Solver for ExhaustiveSearch<'_, G> {
    type Gene = G;

    fn init(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        self.walk.restart();
        self.exhausted = false;
        self.next_generation(trial)
    }

    fn next_generation(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        let left = usize::try_from(self.walk.left()).unwrap_or(usize::MAX);
        self.rows = left.min(self.batch.rows());
        let genes = self.rows * self.batch.length();
        self.walk.fill(&mut self.batch.genes_mut()[..genes])?;
        trial.evaluate_rows(&mut self.batch, self.rows)?;
        self.exhausted = self.walk.left() == 0;
        Ok(())
    }

    fn figures(&self) -> Figures<'_> {
        self.batch.figures(self.rows)
    }

    fn genes(&self) -> &[G] {
        &self.batch.genes()[..self.rows * self.batch.length()]
    }

    fn terminate(&self) -> Option<Outcome> {
        self.exhausted.then_some(Outcome::Exhausted)
    }
}
