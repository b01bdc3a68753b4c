//! The generation loop: sample, evaluate, then scale, select, vary, evaluate, replace until
//! something says stop.

use super::parent_selection::ParentSelection;
use super::population::Population;
use super::trial_state::TrialState;
use super::variation::Variation;
use super::{Search, first_sample};
use crate::operators::{Evolutionary, Order, Replacement, replacement};
use crate::plan::seed::Seeds;
use crate::plan::settings::{Stop, Trace};
use crate::problem::{CallError, Gene, Problem};
use crate::random::draws::Random;
use crate::record::{Outcome, TrialRecord};
use crate::system::interrupt::Interrupt;

/// An evolutionary algorithm on genes of kind `G`.
pub struct Evolution<'arm, G: Gene> {
    problem: &'arm Problem,
    operators: &'arm Evolutionary,
    population: Population<G>,
    /// Children, from row 0 on; under some replacements parents that live on are appended.
    children: Population<G>,
    /// What the replacement builds where it cannot work in place.
    next: Population<G>,
    variation: Variation<'arm, G>,
    state: TrialState<'arm, G>,
    parent_selection: ParentSelection,
    parents: Vec<u32>,
    order: Order,
}

impl<G: Gene> Search for Evolution<'_, G> {
    fn run(&mut self, seeds: Seeds, interrupt: &Interrupt) -> Option<TrialRecord> {
        self.state.start();
        let mut random = Random::seed_from_u64(seeds.trial);
        let end = self.search(seeds, &mut random, interrupt);
        self.state.record(seeds.trial, end)
    }
}

impl<'arm, G: Gene> Evolution<'arm, G> {
    pub fn new(
        problem: &'arm Problem,
        operators: &'arm Evolutionary,
        stop: &'arm Stop,
        trace: Trace,
    ) -> Self {
        let length = problem.description().genome_length;
        let size = operators.population;
        let offspring = operators.replacement.offspring(size);
        Evolution {
            problem,
            operators,
            population: Population::new(size, length),
            children: Population::new(offspring, length),
            next: Population::new(size, length),
            variation: Variation::new(problem, operators),
            state: TrialState::new(problem, stop, trace),
            parent_selection: ParentSelection::default(),
            parents: Vec::new(),
            order: Order::default(),
        }
    }

    /// The search itself. None: interrupted.
    fn search(
        &mut self,
        seeds: Seeds,
        random: &mut Random,
        interrupt: &Interrupt,
    ) -> Result<Option<Outcome>, CallError> {
        self.problem.sample(&first_sample(seeds, random), 0, self.population.genes_mut())?;
        let mut whole = self.state.evaluate(&mut self.population)?;
        loop {
            if whole {
                self.state.end_generation(&self.population.fitness);
            }
            if let Some(outcome) = self.state.outcome() {
                return Ok(Some(outcome));
            }
            if interrupt.is_raised() {
                return Ok(None);
            }
            self.select(random);
            self.vary(random)?;
            whole = self.state.evaluate(&mut self.children)?;
            if whole {
                self.replace(random);
            }
        }
    }

    /// Draws the parents of all children at once.
    fn select(&mut self, random: &mut Random) {
        let needed = self.variation.plan(self.children.rows(), random);
        self.parents.resize(needed, 0);
        self.parent_selection.choose(
            self.operators,
            &self.population.fitness,
            random,
            &mut self.parents,
        );
    }

    fn vary(&mut self, random: &mut Random) -> Result<(), CallError> {
        self.variation.vary(&self.population, &self.parents, &mut self.children, random)
    }

    /// The children are all evaluated: who lives on?
    fn replace(&mut self, random: &mut Random) {
        match self.operators.replacement {
            Replacement::Generational => std::mem::swap(&mut self.population, &mut self.children),
            Replacement::Elitism { elite } => {
                let living =
                    replacement::best(&self.population.fitness, elite, random, &mut self.order);
                for (place, parent) in living.iter().enumerate() {
                    self.next.copy_row(place, &self.population, *parent as usize);
                }
                self.next.copy_rows(elite, &self.children, 0..self.children.rows());
                std::mem::swap(&mut self.population, &mut self.next);
            }
            Replacement::Plus { ties, .. } => {
                let (parents, children) = (&self.population.fitness, &self.children.fitness);
                let living = replacement::plus(parents, children, ties, random, &mut self.order);
                let parents = self.population.rows();
                for (place, survivor) in living.iter().enumerate() {
                    let survivor = *survivor as usize;
                    match survivor.checked_sub(parents) {
                        None => self.next.copy_row(place, &self.population, survivor),
                        Some(child) => self.next.copy_row(place, &self.children, child),
                    }
                }
                std::mem::swap(&mut self.population, &mut self.next);
            }
            Replacement::Comma { .. } => {
                let living = replacement::best(
                    &self.children.fitness,
                    self.population.rows(),
                    random,
                    &mut self.order,
                );
                for (place, child) in living.iter().enumerate() {
                    self.population.copy_row(place, &self.children, *child as usize);
                }
            }
            Replacement::SteadyState { offspring } => {
                let dying = replacement::worst(
                    &self.population.fitness,
                    offspring,
                    random,
                    &mut self.order,
                );
                for (child, place) in dying.iter().enumerate() {
                    self.population.copy_row(*place as usize, &self.children, child);
                }
            }
        }
        self.state.generations += 1;
    }
}
