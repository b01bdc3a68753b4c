//! Evolutionary algorithms: selection, variation and replacement, generation after generation.

use super::executor::Solver;
use super::parent_selection::ParentSelection;
use super::population::{Figures, Population, population_of};
use super::survivor_selection::SurvivorSelection;
use super::trial_state::{Incomplete, TrialState};
use super::variation::Variation;
use crate::operators::{Constraints, Evolutionary};
use crate::problem::{Gene, Problem};

/// An evolutionary algorithm on genes of kind `G`.
pub(super) struct Evolution<'arm, G: Gene> {
    operators: &'arm Evolutionary,
    constraints: Option<Constraints>,
    population: Population<G>,
    /// Row numbers of the population.
    parents: Vec<u32>,
    children: Population<G>,
    parent_selection: ParentSelection,
    variation: Variation<'arm, G>,
    survivor_selection: SurvivorSelection<G>,
}

impl<'arm, G: Gene> Evolution<'arm, G> {
    pub(super) fn new(
        problem: &'arm Problem,
        operators: &'arm Evolutionary,
        constraints: Option<Constraints>,
    ) -> Self {
        let size = operators.population;
        Evolution {
            operators,
            constraints,
            population: population_of(problem, size),
            parents: Vec::new(),
            children: population_of(problem, operators.replacement.offspring(size)),
            parent_selection: ParentSelection::default(),
            variation: Variation::new(problem, operators),
            survivor_selection: SurvivorSelection::new(population_of(problem, size), constraints),
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
        let selection = &mut self.parent_selection;
        match self.constraints {
            None => selection.choose(operators, &population.fitness, random, parents),
            Some(rule) => {
                selection.choose_constrained(operators, rule, population, random, parents)
            }
        }
        self.variation.vary(population, parents, children, random)?;
        trial.evaluate(children)?;
        let replacement = operators.replacement;
        self.survivor_selection.replace(replacement, population, children, &mut trial.random);
        Ok(())
    }

    fn figures(&self) -> Figures<'_> {
        self.population.figures(self.population.rows())
    }

    fn genes(&self) -> &[G] {
        self.population.genes()
    }
}
