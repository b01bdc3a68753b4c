//! Hill climbing: one genome that moves to better neighbours, and starts anew where there is none.

use super::population::Population;
use super::trial_state::TrialState;
use super::variation::call_seed;
use super::{Search, first_sample};
use crate::operators::{HillClimbingSettings, Neighborhood, PivotingRule};
use crate::plan::seed::Seeds;
use crate::plan::settings::{Stop, Trace};
use crate::problem::{CallError, Gene, Problem};
use crate::random::draws::{Random, below};
use crate::record::{Outcome, TrialRecord};
use crate::system::interrupt::Interrupt;

/// Bytes of neighbours that are evaluated at a time.
const BATCH: usize = 1 << 16;

/// Evaluations of single neighbours between two looks at the clock.
const PATIENCE: u64 = 1024;

/// Hill climbing on genes of kind `G`.
pub struct HillClimbing<'arm, G: Gene> {
    problem: &'arm Problem,
    settings: HillClimbingSettings,
    neighborhood: Neighborhood,
    current: Population<G>,
    /// Neighbours on trial: a batch of them, or one.
    neighbors: Population<G>,
    /// Steepest: the numbers of the best neighbours. First improvement: all numbers, in the order
    /// of the last step.
    numbers: Vec<u32>,
    state: TrialState<'arm, G>,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// At a better genome.
    Up,
    /// At one that is as good.
    Sideways,
    /// Where it began: no neighbour is better.
    Stuck,
    /// By a budget, before all neighbours were looked at.
    Cut,
}

impl<G: Gene> Search for HillClimbing<'_, G> {
    fn run(&mut self, seeds: Seeds, interrupt: &Interrupt) -> Option<TrialRecord> {
        self.state.start();
        let end = self.search(seeds, interrupt);
        self.state.record(seeds.trial, end)
    }
}

impl<'arm, G: Gene> HillClimbing<'arm, G> {
    /// # Panics
    /// If the problem has no neighbourhood: a caller's bug.
    pub fn new(
        problem: &'arm Problem,
        settings: HillClimbingSettings,
        stop: &'arm Stop,
        trace: Trace,
    ) -> Self {
        let length = problem.description().genome_length;
        let neighborhood =
            Neighborhood::of(problem.description()).expect("the config checked the encoding");
        let batch = match settings.pivoting_rule {
            PivotingRule::Steepest => (BATCH / (length * G::KIND.size())).max(1),
            PivotingRule::FirstImprovement => 1,
        };
        HillClimbing {
            problem,
            settings,
            current: Population::new(1, length),
            neighbors: Population::new(batch.min(neighborhood.count().max(1) as usize), length),
            neighborhood,
            numbers: Vec::new(),
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
        if self.settings.pivoting_rule == PivotingRule::FirstImprovement {
            // Each step shuffles anew; beginning in order makes a trial depend on its seed alone.
            self.numbers.clear();
            self.numbers.extend(0..self.neighborhood.count() as u32);
        }
        let mut whole = self.start(&first_sample(seeds, &mut random))?;
        let mut sideways = 0;
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
            let level = sideways < self.settings.sideways;
            let step = match self.settings.pivoting_rule {
                PivotingRule::Steepest => self.step_to_best(level, &mut random, interrupt)?,
                PivotingRule::FirstImprovement => {
                    self.step_to_first(level, &mut random, interrupt)?
                }
            };
            sideways = if step == Step::Sideways { sideways + 1 } else { 0 };
            whole = step != Step::Cut;
            if step == Step::Stuck && self.state.outcome().is_none() {
                if !self.settings.restarts {
                    return Ok(Some(Outcome::Stagnated));
                }
                whole = self.start(&call_seed(&mut random))?;
            }
            self.state.generations += u64::from(whole);
        }
    }

    /// A random genome. False: no evaluation is left for it.
    fn start(&mut self, seed: &[u8; 32]) -> Result<bool, CallError> {
        self.problem.sample(seed, 0, self.current.genes_mut())?;
        self.state.evaluate(&mut self.current)
    }

    /// Looks at all neighbours and moves to the best, among equals to a random one; to one that is
    /// as good as the present genome only if `level` allows it.
    fn step_to_best(
        &mut self,
        level: bool,
        random: &mut Random,
        interrupt: &Interrupt,
    ) -> Result<Step, CallError> {
        let (mut best, count) = (f64::INFINITY, self.neighborhood.count());
        let mut first = 0;
        while first < count {
            if interrupt.is_raised() || self.state.is_late() {
                return Ok(Step::Cut);
            }
            let rows = (count - first).min(self.neighbors.rows() as u64) as usize;
            for row in 0..rows {
                self.neighbors.copy_row(row, &self.current, 0);
                self.neighborhood.step(first + row as u64, self.neighbors.row_mut(row));
            }
            if !self.state.evaluate_rows(&mut self.neighbors, rows)? {
                return Ok(Step::Cut);
            }
            for (row, fitness) in self.neighbors.fitness[..rows].iter().enumerate() {
                if *fitness < best {
                    best = *fitness;
                    self.numbers.clear();
                }
                if *fitness == best {
                    self.numbers.push(first as u32 + row as u32);
                }
            }
            first += rows as u64;
        }
        let step = self.judge(best, level);
        if step != Step::Stuck {
            let number = self.numbers[below(random, self.numbers.len())];
            self.neighborhood.step(u64::from(number), self.current.row_mut(0));
            self.current.fitness[0] = best;
        }
        Ok(step)
    }

    /// Looks at neighbours in random order and moves to the first that is better, or as good if
    /// `level` allows it.
    fn step_to_first(
        &mut self,
        level: bool,
        random: &mut Random,
        interrupt: &Interrupt,
    ) -> Result<Step, CallError> {
        for place in 0..self.numbers.len() {
            if place as u64 % PATIENCE == PATIENCE - 1
                && (interrupt.is_raised() || self.state.is_late())
            {
                return Ok(Step::Cut);
            }
            let other = place + below(random, self.numbers.len() - place);
            self.numbers.swap(place, other);
            self.neighbors.copy_row(0, &self.current, 0);
            self.neighborhood.step(u64::from(self.numbers[place]), self.neighbors.row_mut(0));
            if !self.state.evaluate(&mut self.neighbors)? {
                return Ok(Step::Cut);
            }
            let step = self.judge(self.neighbors.fitness[0], level);
            if step != Step::Stuck {
                std::mem::swap(&mut self.current, &mut self.neighbors);
                return Ok(step);
            }
        }
        Ok(Step::Stuck)
    }

    /// What a move to this fitness would be.
    fn judge(&self, fitness: f64, level: bool) -> Step {
        let current = self.current.fitness[0];
        if fitness < current {
            Step::Up
        } else if fitness == current && level {
            Step::Sideways
        } else {
            Step::Stuck
        }
    }
}
