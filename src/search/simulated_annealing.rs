//! Simulated annealing: one genome that moves to worse neighbours too, the less often the colder it
//! is.

use super::population::Population;
use super::trial_state::TrialState;
use super::variation::call_seed;
use super::{Search, first_sample};
use crate::operators::{AnnealingSettings, MutationKind, mutation};
use crate::plan::seed::Seeds;
use crate::plan::settings::{Stop, Trace};
use crate::problem::{CallError, Gene, Problem};
use crate::random::draws::{Random, unit};
use crate::record::{Outcome, TrialRecord};
use crate::system::interrupt::Interrupt;

/// Moves between two looks at the clock.
const PATIENCE: usize = 1024;

/// Simulated annealing on genes of kind `G`, with geometric cooling (Kirkpatrick, Gelatt and Vecchi
/// 1983, doi:10.1126/science.220.4598.671).
pub struct SimulatedAnnealing<'arm, G: Gene> {
    problem: &'arm Problem,
    settings: &'arm AnnealingSettings,
    current: Population<G>,
    proposal: Population<G>,
    state: TrialState<'arm, G>,
}

impl<G: Gene> Search for SimulatedAnnealing<'_, G> {
    fn run(&mut self, seeds: Seeds, interrupt: &Interrupt) -> Option<TrialRecord> {
        self.state.start();
        let end = self.search(seeds, interrupt);
        self.state.record(seeds.trial, end)
    }
}

impl<'arm, G: Gene> SimulatedAnnealing<'arm, G> {
    pub fn new(
        problem: &'arm Problem,
        settings: &'arm AnnealingSettings,
        stop: &'arm Stop,
        trace: Trace,
    ) -> Self {
        let one = Population::new(1, problem.description().genome_length);
        SimulatedAnnealing {
            problem,
            settings,
            current: one.clone(),
            proposal: one,
            state: TrialState::new(problem, stop, trace),
        }
    }

    /// The search itself. None: interrupted.
    fn search(
        &mut self,
        seeds: Seeds,
        interrupt: &Interrupt,
    ) -> Result<Option<Outcome>, CallError> {
        let mut random = Random::seed_from_u64(seeds.trial);
        self.problem.sample(&first_sample(seeds, &mut random), 0, self.current.genes_mut())?;
        let mut whole = self.state.evaluate(&mut self.current)?;
        let mut temperature = self.settings.temperature;
        loop {
            if whole {
                self.state.end_generation(&self.current.fitness);
            }
            if let Some(outcome) = self.state.outcome() {
                return Ok(Some(outcome));
            }
            if interrupt.is_raised() {
                return Ok(None);
            }
            whole = self.anneal(temperature, &mut random, interrupt)?;
            temperature *= self.settings.cooling;
            self.state.generations += u64::from(whole);
        }
    }

    /// The moves at one temperature, up to a solution where that ends the trial. False: the budget,
    /// the clock or an interrupt cut them short.
    fn anneal(
        &mut self,
        temperature: f64,
        random: &mut Random,
        interrupt: &Interrupt,
    ) -> Result<bool, CallError> {
        for number in 0..self.settings.moves {
            if number % PATIENCE == PATIENCE - 1 && (interrupt.is_raised() || self.state.is_late())
            {
                return Ok(false);
            }
            self.propose(random)?;
            if !self.state.evaluate(&mut self.proposal)? {
                return Ok(false);
            }
            let (proposed, current) = (self.proposal.fitness[0], self.current.fitness[0]);
            // The rule of Metropolis et al. (1953), doi:10.1063/1.1699114: one that is as good is
            // taken.
            if proposed <= current || unit(random) < libm::exp((current - proposed) / temperature) {
                std::mem::swap(&mut self.current, &mut self.proposal);
            }
            if self.state.is_solved() {
                break;
            }
        }
        Ok(true)
    }

    fn propose(&mut self, random: &mut Random) -> Result<(), CallError> {
        self.proposal.copy_row(0, &self.current, 0);
        match self.settings.mutation {
            MutationKind::Problem => {
                self.problem.mutate(&call_seed(random), 0, self.proposal.genes_mut())
            }
            kind => {
                mutation::mutate(
                    kind,
                    self.proposal.row_mut(0),
                    &self.problem.description().bounds,
                    random,
                );
                Ok(())
            }
        }
    }
}
