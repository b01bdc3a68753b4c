//! The genetic algorithm: selection, variation and replacement, generation after generation.
//!
//! Holland (1975), Adaptation in Natural and Artificial Systems; De Jong (2006), Evolutionary
//! Computation: A Unified Approach.

use crate::operators::Replacement;
use crate::search::algorithms::prelude::*;
use crate::search::evolutionary::Evolutionary;
use crate::search::parent_selection::ParentSelection;
use crate::search::plugin_operators::PluginOperators;
use crate::search::survivor_selection::SurvivorSelection;
use crate::search::variation::Variation;
use crate::system::aligned::Aligned;

/// Maximum number of times that a child which equals an earlier genome is drawn again.
const REDRAWS: usize = 20;

/// State of the genetic algorithm on genes of kind `G`.
pub(super) struct Genetic<'arm, G: Gene> {
    population: Population<G>,
    children: Population<G>,
    /// Row numbers of the parents in the population.
    parents: Aligned<u32>,
    select: ParentSelection<'arm>,
    vary: Variation<'arm, G>,
    survive: SurvivorSelection<G>,
    replacement: Replacement,
    /// Number of first rows that survived the last generation, or are compared with children.
    survivors: usize,
}

impl<'arm, G: Gene> Genetic<'arm, G> {
    pub(super) fn new(
        problem: &'arm Problem,
        plugins: &'arm PluginOperators,
        operators: &'arm Evolutionary,
    ) -> Self {
        let Evolutionary { population: size, replacement, .. } = *operators;
        let next = population_of(problem, size);
        Genetic {
            population: population_of(problem, size),
            children: population_of(problem, replacement.offspring(size)),
            parents: Aligned::default(),
            select: ParentSelection::new(operators, plugins.selection.as_deref()),
            vary: Variation::new(problem, operators).by_plugins(plugins),
            survive: SurvivorSelection::new(replacement, next),
            replacement,
            survivors: 0,
        }
    }

    /// Gives the rows of the population what they have at the start of a run.
    pub(super) fn begin_rows(&mut self) {
        self.vary.begin(&mut self.population);
    }

    /// Sets whether births are noted in this trial.
    pub(super) fn watch(&mut self, is_watched: bool) {
        self.vary.watch(is_watched);
    }

    /// Sets the parameters that change to their values at this point of the trial.
    #[inline]
    pub(super) fn follow_schedules(&mut self, trial: &Trial<'_, G>) {
        self.vary.follow_schedules(|unit| trial.spent(unit));
    }

    /// Breeds and evaluates children, and replaces the population.
    #[inline]
    pub(super) fn breed(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let Genetic { population, children, parents, select, vary, .. } = self;
        let Trial { random, clock, ranking, .. } = trial;
        parents.resize(vary.plan(children.rows(), random));
        select.choose(population, ranking, (random, clock), parents)?;
        vary.breed(population, parents, children, random)?;
        trial.notes.bred(vary, &trial.ranking, population, parents, children);
        if trial.avoids {
            self.draw_again(trial)?;
            trial.evaluate(&mut self.children)?;
        } else {
            let lineage = vary.lineage(parents, children.rows());
            trial.evaluate_children(children, population, lineage)?;
        }
        trial.notes.evaluated(&self.children, &trial.ranking);
        let Genetic { population, children, survive, .. } = self;
        let Trial { random, clock, ranking, .. } = trial;
        survive.replace(population, children, ranking, (random, clock))?;
        if let Replacement::Elitism { elite } = self.replacement {
            self.survivors = elite;
        }
        Ok(())
    }

    /// Draws children that equal an earlier genome again, each with new parents.
    fn draw_again(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let Genetic { population, children, parents, select, vary, .. } = self;
        for _ in 0..REDRAWS {
            let rows = trial.repeated(children);
            if rows.is_empty() {
                break;
            }
            let mut again = Population::new(rows.len(), children.length());
            parents.resize(vary.plan(rows.len(), &mut trial.random));
            let Trial { random, clock, ranking, .. } = trial;
            select.choose(population, ranking, (random, clock), parents)?;
            vary.breed(population, parents, &mut again, &mut trial.random)?;
            trial.notes.bred_again(vary, &trial.ranking, population, parents, (&again, &rows));
            children.copy_pairs(&again, rows.into_iter().zip(0..));
        }
        Ok(())
    }

    /// Returns the population for rows that come from elsewhere.
    pub(super) fn population_mut(&mut self) -> &mut Population<G> {
        &mut self.population
    }
}

impl<G: Gene> Search for Genetic<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.watch(trial.is_watched);
        self.begin_rows();
        let is_plus = matches!(self.replacement, Replacement::Plus { .. });
        self.survivors = if is_plus { self.population.rows() } else { 0 };
        trial.begin(&mut self.population)
    }

    #[inline]
    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.follow_schedules(trial);
        trial.reevaluate(&mut self.population, self.survivors)?;
        self.breed(trial)
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.population.save_or_restore(snapshot);
        snapshot.save_or_restore(&mut self.survivors);
    }

    fn population(&self) -> &Population<G> {
        &self.population
    }
}
