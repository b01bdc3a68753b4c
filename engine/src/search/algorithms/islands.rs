//! Islands: populations that evolve on their own, and now and then send their best individuals to
//! each other.
//!
//! Cohoon, Hegde, Martin and Richards (1987), ICGA 2, 148-154; Cantú-Paz (2001),
//! doi:10.1023/A:1011375326814, compares the choices of emigrants and of those that they replace.

use super::genetic::Genetic;
use crate::operators::values::Complaint;
use crate::operators::{Constraints, Order, Unit, replacement};
use crate::random::draws::below;
use crate::search::algorithms::prelude::*;
use crate::search::evolutionary::Evolutionary;
use crate::search::plugin_operators::PluginOperators;
use crate::search::ranking::Use;
use std::borrow::Cow;

/// Islands with one set of operators.
#[derive(Clone, Debug, PartialEq)]
pub struct Islands {
    /// Number of islands; at least 2.
    pub count: usize,
    /// Number of generations from one migration to the next.
    pub every: u64,
    /// Number of individuals that leave an island for each destination.
    pub migrants: usize,
    /// Choice of the individuals that leave.
    pub emigrants: Emigrants,
    /// Destinations of each island.
    pub topology: Migration,
    /// Operators and population of each island.
    pub operators: Evolutionary,
}

/// Choice of the individuals that leave an island. Copies leave; the individuals stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emigrants {
    /// The best; ties are broken at random.
    Best,
    /// Random ones, each at most once.
    Random,
}

/// Destinations of migrants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Migration {
    /// From each island to the next, and from the last to the first.
    Ring,
    /// From each island to all others.
    Complete,
}

const EMIGRANTS: &[Cow<'static, str>] = &[Cow::Borrowed("best"), Cow::Borrowed("random")];
const TOPOLOGIES: &[Cow<'static, str>] = &[Cow::Borrowed("ring"), Cow::Borrowed("complete")];

impl Islands {
    /// Returns the number of islands from which migrants arrive at each one.
    fn origins(&self) -> usize {
        match self.topology {
            Migration::Ring => 1,
            Migration::Complete => self.count - 1,
        }
    }

    /// Returns the number of individuals that arrive at an island in a migration.
    fn arrivals(&self) -> usize {
        self.migrants * self.origins()
    }
}

impl Algorithm for Islands {
    fn population_setting(&self) -> Option<usize> {
        Some(self.count * self.operators.population)
    }

    fn evaluations_per_generation(&self) -> Option<usize> {
        let Evolutionary { population, replacement, .. } = self.operators;
        Some(self.count * replacement.offspring(population))
    }

    fn has_children(&self) -> bool {
        true
    }

    fn plans_over(&self, unit: Unit) -> bool {
        self.operators.schedules.is_over(unit)
    }

    fn revision(&self, _: Option<Constraints>) -> u32 {
        // 1: all islands have the value of the share that is spent when the generation begins.
        u32::from(self.plans_over(Unit::Evaluations))
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        let Footprint { genomes, overhead, .. } = Algorithm::footprint(&self.operators, problem);
        let count = self.count as u64;
        // The populations once more, in one.
        let rows = genomes * count + count * self.operators.population as u64;
        Footprint::new(problem, rows, overhead * u128::from(count))
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, all, Archipelago::new(arm.problem, arm.plugins, self))
    }
}

/// Entry of the algorithm in the registry.
pub(super) const ISLANDS: Entry<Recipe> = Entry {
    operator: Operator {
        name: "islands",
        summary: "Populations that evolve on their own, with the operators of the other slots, and \
            now and then send individuals to each other, which replace the worst there. \
            `population` is that of each island.",
        domain: Domain::Any,
        parameters: &[
            Parameter::new(
                "count",
                Kind::Integer { low: 2, high: 100_000 },
                Fallback::integer(4),
                "Number of islands.",
            ),
            Parameter::new(
                "every",
                Kind::Integer { low: 1, high: 1_000_000_000 },
                Fallback::integer(10),
                "Generations from one migration to the next.",
            ),
            Parameter::new(
                "migrants",
                Kind::Integer { low: 1, high: 100_000_000 },
                Fallback::integer(1),
                "Individuals that leave an island for each destination; copies of them stay.",
            ),
            Parameter::new(
                "emigrants",
                Kind::choice(EMIGRANTS),
                Fallback::text("best"),
                "Who leaves: the best, with ties broken at random, or random individuals.",
            ),
            Parameter::new(
                "topology",
                Kind::choice(TOPOLOGIES),
                Fallback::text("ring"),
                "Destinations: the next island, or all others.",
            ),
        ],
        source: "Cohoon, Hegde, Martin and Richards (1987), ICGA 2, 148-154; Cantú-Paz (2001), \
            doi:10.1023/A:1011375326814",
    },
    make: Recipe {
        population: PopulationKey::Required,
        slots: &[
            Slot::Scaling,
            Slot::Selection,
            Slot::Crossover,
            Slot::Mutation,
            Slot::Replacement,
            Slot::Constraints,
        ],
        draws: true,
        make: |values, parts, context| {
            let islands = Islands {
                count: values.count("count"),
                every: values.count("every") as u64,
                migrants: values.count("migrants"),
                emigrants: match values.choice("emigrants") {
                    "random" => Emigrants::Random,
                    _ => Emigrants::Best,
                },
                topology: match values.choice("topology") {
                    "complete" => Migration::Complete,
                    _ => Migration::Ring,
                },
                operators: Evolutionary::of(parts, context.population),
            };
            let (arrivals, population) = (islands.arrivals(), context.population);
            if arrivals >= population {
                let message = format!(
                    "{arrivals} migrants arrive at an island of {population}, and would replace \
                    everyone there"
                );
                let help = format!("let at most {} arrive", population - 1);
                return Err(Complaint::of("migrants", message, help));
            }
            Ok(Arc::new(islands))
        },
    },
};

/// State of islands on genes of kind `G`.
struct Archipelago<'arm, G: Gene> {
    settings: &'arm Islands,
    islands: Vec<Genetic<'arm, G>>,
    /// Rows of all islands, one island after the other.
    all: Population<G>,
    /// Individuals that leave, one island after the other.
    leaving: Population<G>,
    /// Number of the current generation.
    generation: u64,
    order: Order,
    /// All rows of an island. After some steps of a shuffle, the first of them are drawn.
    rows: Vec<u32>,
}

impl<'arm, G: Gene> Archipelago<'arm, G> {
    fn new(
        problem: &'arm Problem,
        plugins: &'arm PluginOperators,
        settings: &'arm Islands,
    ) -> Self {
        let Islands { count, migrants, operators, .. } = settings;
        let island = || Genetic::new(problem, plugins, operators);
        Archipelago {
            settings,
            islands: (0..*count).map(|_| island()).collect(),
            all: population_of(problem, count * operators.population),
            leaving: population_of(problem, count * migrants),
            generation: 0,
            order: Order::default(),
            rows: Vec::new(),
        }
    }

    /// Copies the rows of all islands into one population.
    fn gather(&mut self) {
        let mut to = 0;
        for island in &self.islands {
            let rows = island.population().rows();
            self.all.copy_rows(to, island.population(), 0..rows);
            to += rows;
        }
    }

    /// Sends copies of individuals to other islands, from all islands at once.
    fn migrate(&mut self, trial: &mut Trial<'_, G>) {
        let Islands { count, migrants, .. } = *self.settings;
        let (origins, arrivals) = (self.settings.origins(), self.settings.arrivals());
        for island in 0..count {
            self.choose(island, trial);
        }
        for island in 0..count {
            let population = self.islands[island].population_mut();
            let scores = trial.ranking.scores(Use::Order, population);
            let random = &mut trial.random;
            let replaced = replacement::worst(scores, arrivals, random, &mut self.order);
            // The islands before this one, the nearest first.
            let from = (1..=origins).map(|before| (island + count - before) % count);
            let from = from.flat_map(|origin| origin * migrants..(origin + 1) * migrants);
            let pairs = replaced.iter().map(|row| *row as usize).zip(from);
            population.copy_pairs(&self.leaving, pairs);
        }
    }

    /// Copies the individuals that leave an island.
    fn choose(&mut self, island: usize, trial: &mut Trial<'_, G>) {
        let Islands { migrants, emigrants, .. } = *self.settings;
        let Archipelago { islands, leaving, order, rows, .. } = self;
        let population = islands[island].population();
        let chosen = match emigrants {
            Emigrants::Best => {
                let scores = trial.ranking.scores(Use::Order, population);
                replacement::best(scores, migrants, &mut trial.random, order)
            }
            Emigrants::Random => {
                rows.clear();
                rows.extend(0..population.rows() as u32);
                for place in 0..migrants {
                    let from = place + below(&mut trial.random, rows.len() - place);
                    rows.swap(place, from);
                }
                &rows[..migrants]
            }
        };
        let chosen = chosen.iter().map(|row| *row as usize);
        leaving.copy_pairs(population, (island * migrants..).zip(chosen));
    }
}

impl<G: Gene> Search for Archipelago<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.generation = 0;
        trial.begin(&mut self.all)?;
        let mut from = 0;
        for island in &mut self.islands {
            let population = island.population_mut();
            let rows = population.rows();
            population.copy_rows(0, &self.all, from..from + rows);
            from += rows;
            island.begin_rows();
            island.watch(trial.is_watched);
        }
        Ok(())
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        for island in &mut self.islands {
            island.follow_schedules(trial);
        }
        for island in &mut self.islands {
            island.breed(trial)?;
        }
        self.generation += 1;
        if self.generation.is_multiple_of(self.settings.every) {
            self.migrate(trial);
        }
        self.gather();
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.islands.iter_mut().for_each(|island| island.save_or_restore(snapshot));
        snapshot.save_or_restore(&mut self.generation);
    }

    fn population(&self) -> &Population<G> {
        &self.all
    }
}
