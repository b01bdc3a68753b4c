//! Random search: independent samples, generation after generation. What any search has to beat.

use super::population::Population;
use super::trial_state::TrialState;
use super::variation::call_seed;
use super::{Search, first_sample};
use crate::plan::seed::Seeds;
use crate::plan::settings::{Stop, Trace};
use crate::problem::{CallError, Gene, Problem};
use crate::random::draws::Random;
use crate::record::{Outcome, TrialRecord};
use crate::system::interrupt::Interrupt;

/// Random search on genes of kind `G`.
pub struct RandomSearch<'arm, G: Gene> {
    problem: &'arm Problem,
    samples: Population<G>,
    state: TrialState<'arm, G>,
}

impl<G: Gene> Search for RandomSearch<'_, G> {
    fn run(&mut self, seeds: Seeds, interrupt: &Interrupt) -> Option<TrialRecord> {
        self.state.start();
        let end = self.search(seeds, interrupt);
        self.state.record(seeds.trial, end)
    }
}

impl<'arm, G: Gene> RandomSearch<'arm, G> {
    pub fn new(problem: &'arm Problem, population: usize, stop: &'arm Stop, trace: Trace) -> Self {
        let samples = Population::new(population, problem.description().genome_length);
        RandomSearch { problem, samples, state: TrialState::new(problem, stop, trace) }
    }

    /// The search itself. None: interrupted.
    fn search(
        &mut self,
        seeds: Seeds,
        interrupt: &Interrupt,
    ) -> Result<Option<Outcome>, CallError> {
        let mut random = Random::seed_from_u64(seeds.trial);
        let mut seed = first_sample(seeds, &mut random);
        loop {
            self.problem.sample(&seed, 0, self.samples.genes_mut())?;
            if self.state.evaluate(&mut self.samples)? {
                self.state.end_batch(&self.samples.fitness);
            }
            if let Some(outcome) = self.state.outcome() {
                return Ok(Some(outcome));
            }
            if interrupt.is_raised() {
                return Ok(None);
            }
            seed = call_seed(&mut random);
        }
    }
}
