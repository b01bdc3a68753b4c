//! Evolutionary algorithms: selection, variation and replacement, generation after generation.

use super::executor::Solver;
use super::parent_selection::ParentSelection;
use super::population::{Figures, Population, population_of};
use super::survivor_selection::SurvivorSelection;
use super::trial_state::{Incomplete, TrialState};
use super::variation::Variation;
use crate::operators::{Constraints, Evolutionary, OperatorSet};
use crate::problem::{CallError, Gene, PluginOperator, Problem};
use crate::random::draws::Random;

/// An evolutionary algorithm on genes of kind `G`.
pub(super) struct Evolution<'arm, G: Gene> {
    operators: &'arm Evolutionary,
    constraints: Option<Constraints>,
    population: Population<G>,
    /// Row numbers of the population.
    parents: Vec<u32>,
    children: Population<G>,
    parent_selection: ParentSelection,
    /// Chooses parents in its place.
    plugin_selection: Option<&'arm PluginOperator>,
    variation: Variation<'arm, G>,
    survivor_selection: SurvivorSelection<G>,
}

impl<'arm, G: Gene> Evolution<'arm, G> {
    pub(super) fn new(
        problem: &'arm Problem,
        set: &'arm OperatorSet,
        operators: &'arm Evolutionary,
    ) -> Self {
        let OperatorSet { constraints, plugins, .. } = set;
        let constraints = *constraints;
        let size = operators.population;
        Evolution {
            operators,
            constraints,
            population: population_of(problem, size),
            parents: Vec::new(),
            children: population_of(problem, operators.replacement.offspring(size)),
            parent_selection: ParentSelection::default(),
            plugin_selection: plugins.selection.as_deref(),
            variation: Variation::new(problem, operators).by_plugins(plugins),
            survivor_selection: SurvivorSelection::new(population_of(problem, size), constraints),
        }
    }
}

impl<G: Gene> Evolution<'_, G> {
    /// Chooses the parents.
    #[inline]
    fn select(&mut self, random: &mut Random) -> Result<(), CallError> {
        let Evolution { operators, constraints, population, parents, .. } = self;
        let selection = &mut self.parent_selection;
        match (self.plugin_selection, *constraints) {
            (Some(plugin), rule) => {
                return selection.choose_by_plugin(plugin, rule, population, random, parents);
            }
            (None, None) => selection.choose(operators, &population.fitness, random, parents),
            (None, Some(rule)) => {
                selection.choose_constrained(operators, rule, population, random, parents);
            }
        }
        Ok(())
    }
}

impl<G: Gene> Solver for Evolution<'_, G> {
    type Gene = G;

    fn init(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        trial.begin(&mut self.population)
    }

    #[inline]
    fn next_generation(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        let random = &mut trial.random;
        self.parents.resize(self.variation.plan(self.children.rows(), random), 0);
        self.select(random)?;
        let Evolution { operators, population, parents, children, .. } = self;
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
