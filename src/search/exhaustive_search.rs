//! Exhaustive search: every genome of the space in order.

use super::Search;
use super::population::Population;
use super::trial_state::TrialState;
use crate::plan::seed::Seeds;
use crate::plan::settings::{Stop, Trace};
use crate::problem::{CallError, Gene, Problem, Space, Walk};
use crate::record::{Outcome, TrialRecord};
use crate::system::interrupt::Interrupt;

/// Exhaustive search on genes of kind `G`. It draws no random numbers: all its trials are alike.
pub struct ExhaustiveSearch<'arm, G: Gene> {
    walk: Walk<'arm, G>,
    genomes: Population<G>,
    state: TrialState<'arm, G>,
}

impl<G: Gene> Search for ExhaustiveSearch<'_, G> {
    fn run(&mut self, seeds: Seeds, interrupt: &Interrupt) -> Option<TrialRecord> {
        self.state.start();
        let end = self.search(interrupt);
        self.state.record(seeds.trial, end)
    }
}

impl<'arm, G: Gene> ExhaustiveSearch<'arm, G> {
    pub fn new(
        problem: &'arm Problem,
        space: Space,
        population: usize,
        stop: &'arm Stop,
        trace: Trace,
    ) -> Self {
        let genomes = Population::new(population, problem.description().genome_length);
        ExhaustiveSearch {
            walk: Walk::new(problem, space),
            genomes,
            state: TrialState::new(problem, stop, trace),
        }
    }

    /// The search itself. None: interrupted.
    fn search(&mut self, interrupt: &Interrupt) -> Result<Option<Outcome>, CallError> {
        self.walk.restart();
        loop {
            let rows =
                usize::try_from(self.walk.left()).unwrap_or(usize::MAX).min(self.genomes.rows());
            let length = self.genomes.length();
            self.walk.fill(&mut self.genomes.genes_mut()[..rows * length])?;
            let whole = self.state.evaluate_rows(&mut self.genomes, rows)?;
            if whole {
                self.state.end_batch(&self.genomes.fitness[..rows]);
            }
            if self.state.is_solved() {
                return Ok(Some(Outcome::Solved));
            }
            if whole && self.walk.left() == 0 {
                return Ok(Some(Outcome::Exhausted));
            }
            if let Some(outcome) = self.state.outcome() {
                return Ok(Some(outcome));
            }
            if interrupt.is_raised() {
                return Ok(None);
            }
        }
    }
}
