//! Random search: independent samples, generation after generation. The baseline of every search.

use super::call_seed;
use super::executor::Solver;
use super::population::{Figures, Population, population_of};
use super::trial_state::{Incomplete, TrialState};
use crate::problem::{Gene, Problem};

/// Random search on genes of kind `G`.
pub(super) struct RandomSearch<'arm, G: Gene> {
    problem: &'arm Problem,
    samples: Population<G>,
}

impl<'arm, G: Gene> RandomSearch<'arm, G> {
    pub(super) fn new(problem: &'arm Problem, population: usize) -> Self {
        RandomSearch { problem, samples: population_of(problem, population) }
    }
}

impl<G: Gene> Solver for RandomSearch<'_, G> {
    type Gene = G;

    fn init(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        trial.begin(&mut self.samples)
    }

    fn next_generation(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        self.problem.sample(&call_seed(&mut trial.random), 0, self.samples.genes_mut())?;
        trial.evaluate(&mut self.samples)
    }

    fn figures(&self) -> Figures<'_> {
        self.samples.figures(self.samples.rows())
    }

    fn genes(&self) -> &[G] {
        self.samples.genes()
    }
}
