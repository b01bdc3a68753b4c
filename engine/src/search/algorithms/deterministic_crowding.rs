//! Deterministic crowding: all individuals are paired at random; each pair has two children, each
//! of which competes with the parent that it is more like.
//!
//! Mahfoud (1992), Crowding and preselection revisited, PPSN 2, 27-36; Mahfoud (1995), Niching
//! Methods for Genetic Algorithms, University of Illinois.

use crate::operators::values::Complaint;
use crate::operators::{Crossover, Mutation, Replacement, Scaling, Schedules, Selection, Unit};
use crate::random::draws::shuffle;
use crate::search::algorithms::prelude::*;
use crate::search::evolutionary::Evolutionary;
use crate::search::plugin_operators::PluginOperators;
use crate::search::variation::Variation;
use std::iter::once;

/// Deterministic crowding.
#[derive(Clone, Debug, PartialEq)]
pub struct DeterministicCrowding {
    /// Number of individuals, crossover and mutation; the other slots have no meaning.
    operators: Evolutionary,
}

impl DeterministicCrowding {
    /// Creates the settings. A crossover has two children per pair.
    #[must_use]
    pub fn new(
        population: usize,
        crossover: Option<Crossover>,
        mutation: Option<Mutation>,
    ) -> Self {
        let operators = Evolutionary {
            population,
            scaling: Scaling::Reciprocal,
            selection: Selection::Uniform,
            mix: None,
            crossover,
            mutation,
            replacement: Replacement::SteadyState { offspring: population / 2 * 2 },
            sharing: None,
            schedules: Schedules::NONE,
        };
        DeterministicCrowding { operators }
    }
}

impl Algorithm for DeterministicCrowding {
    fn population_setting(&self) -> Option<usize> {
        Some(self.operators.population)
    }

    fn evaluations_per_generation(&self) -> Option<usize> {
        Some(self.operators.population / 2 * 2)
    }

    fn has_children(&self) -> bool {
        true
    }

    fn plans_over(&self, unit: Unit) -> bool {
        self.operators.schedules.is_over(unit)
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::of_batch(problem, 2 * self.operators.population)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, all, Crowding::new(arm.problem, arm.plugins, &self.operators))
    }
}

/// Entry of the algorithm in the registry.
pub(super) const DETERMINISTIC_CROWDING: Entry<Recipe> = Entry {
    operator: Operator {
        name: "deterministic-crowding",
        summary: "Random pairs of all individuals have two children each, and each child replaces \
            the parent that it is more like if it is better. With an odd population, a random \
            individual has no partner.",
        domain: Domain::Any,
        parameters: &[],
        source: "Mahfoud (1992), PPSN 2, 27-36; Mahfoud (1995), Niching Methods for Genetic \
            Algorithms",
    },
    make: Recipe {
        population: PopulationKey::Required,
        slots: &[Slot::Crossover, Slot::Mutation, Slot::Constraints],
        draws: true,
        make: |_, parts, context| {
            if parts.mix.is_some() {
                return Err(Complaint::new(
                    "a mix makes children one by one, but crowding has two children of each pair",
                    "remove the mix; give the crossover and the mutation a rate each",
                ));
            }
            if parts.crossover.is_some_and(|crossover| crossover.children != 2) {
                return Err(Complaint::new(
                    "the crossover makes one child of a pair, but crowding needs two",
                    "remove children = 1 from the crossover",
                ));
            }
            if parts.crossover.is_none() && parts.mutation.is_none() {
                return Err(Complaint::new(
                    "there is neither crossover nor mutation, so children are copies",
                    "add a mutation, such as mutation = \"reset\", or a crossover, or both",
                ));
            }
            let population = context.population;
            let mut crowding =
                DeterministicCrowding::new(population, parts.crossover, parts.mutation);
            crowding.operators.schedules = parts.schedules;
            Ok(Arc::new(crowding))
        },
    },
};

/// State of deterministic crowding on genes of kind `G`.
struct Crowding<'arm, G: Gene> {
    population: Population<G>,
    children: Population<G>,
    /// Row numbers of all individuals, in pairs.
    pairs: Vec<u32>,
    vary: Variation<'arm, G>,
}

impl<'arm, G: Gene> Crowding<'arm, G> {
    fn new(
        problem: &'arm Problem,
        plugins: &'arm PluginOperators,
        operators: &'arm Evolutionary,
    ) -> Self {
        let size = operators.population;
        Crowding {
            population: population_of(problem, size),
            children: population_of(problem, size / 2 * 2),
            pairs: Vec::with_capacity(size),
            vary: Variation::new(problem, operators).by_plugins(plugins),
        }
    }

    /// Returns the opponents of a pair's children: each parent's row, and the child that is more
    /// like it. Children that are like both keep their order.
    fn opponents(&self, pair: usize) -> [(usize, usize); 2] {
        let (one, other) = (2 * pair, 2 * pair + 1);
        let parents = [self.pairs[one] as usize, self.pairs[other] as usize];
        let apart = |parent: usize, child: usize| {
            let parent = self.population.row(parents[parent]);
            self.population.metric().distance(parent, self.children.row(child))
        };
        let in_order = apart(0, one) + apart(1, other);
        let crossed = apart(0, other) + apart(1, one);
        let children = if in_order <= crossed { [one, other] } else { [other, one] };
        [(parents[0], children[0]), (parents[1], children[1])]
    }
}

impl<G: Gene> Search for Crowding<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.vary.watch(trial.is_watched);
        self.vary.begin(&mut self.population);
        trial.begin(&mut self.population)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.pairs.clear();
        self.pairs.extend(0..self.population.rows() as u32);
        shuffle(&mut self.pairs, &mut trial.random);
        let Crowding { population, children, pairs, vary } = self;
        vary.follow_schedules(|unit| trial.spent(unit));
        let parents = &pairs[..vary.plan(children.rows(), &mut trial.random)];
        vary.breed(population, parents, children, &mut trial.random)?;
        trial.notes.bred(vary, &trial.ranking, population, parents, children);
        trial.evaluate(children)?;
        trial.notes.evaluated(children, &trial.ranking);
        for pair in 0..self.children.rows() / 2 {
            for (parent, child) in self.opponents(pair) {
                let (new, old) =
                    (self.children.figures_of(child), self.population.figures_of(parent));
                if trial.ranking.worsening(new, old) < 0.0 {
                    self.population.copy_pairs(&self.children, once((parent, child)));
                }
            }
        }
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.population.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<G> {
        &self.population
    }
}
