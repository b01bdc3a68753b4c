//! Evolutionary algorithms: selection, variation and replacement, generation after generation.

use super::executor::Solver;
use super::parent_selection::ParentSelection;
use super::population::Population;
use super::survivor_selection::SurvivorSelection;
use super::trial_state::{Incomplete, TrialState};
use super::variation::Variation;
use crate::operators::Evolutionary;
use crate::problem::{Gene, Problem};

/// An evolutionary algorithm on genes of kind `G`.
pub(super) struct Evolution<'arm, G: Gene> {
    operators: &'arm Evolutionary,
    population: Population<G>,
    /// Row numbers of the population.
    parents: Vec<u32>,
    children: Population<G>,
    parent_selection: ParentSelection,
    variation: Variation<'arm, G>,
    survivor_selection: SurvivorSelection<G>,
}

impl<'arm, G: Gene> Evolution<'arm, G> {
    pub(super) fn new(problem: &'arm Problem, operators: &'arm Evolutionary) -> Self {
        let length = problem.description().genome_length;
        let size = operators.population;
        Evolution {
            operators,
            population: Population::new(size, length),
            parents: Vec::new(),
            children: Population::new(operators.replacement.offspring(size), length),
            parent_selection: ParentSelection::default(),
            variation: Variation::new(problem, operators),
            survivor_selection: SurvivorSelection::new(size, length),
        }
    }
}

impl<G: Gene> Solver for Evolution<'_, G> {
    type Gene = G;

    fn init(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        trial.begin(&mut self.population)
    }

    #[inline]
    fn next_generation(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        let Evolution { operators, population, parents, children, .. } = self;
        let random = &mut trial.random;
        parents.resize(self.variation.plan(children.rows(), random), 0);
        self.parent_selection.choose(operators, &population.fitness, random, parents);
        self.variation.vary(population, parents, children, random)?;
        trial.evaluate(children)?;
        let replacement = operators.replacement;
        self.survivor_selection.replace(replacement, population, children, &mut trial.random);
        Ok(())
    }

    fn fitness(&self) -> &[f64] {
        &self.population.fitness
    }
}
