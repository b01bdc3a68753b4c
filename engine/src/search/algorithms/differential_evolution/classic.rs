//! Differential evolution with fixed parameters. Each individual is crossed with a mutant: another
//! individual plus the difference of two others. A child that is no worse replaces the individual.
//!
//! Storn and Price (1997), doi:10.1023/A:1008202821328, for rand/1/bin and best/1/bin; Zhang and
//! Sanderson (2009), doi:10.1109/TEVC.2009.2014613, for current-to-pbest/1/bin.

use super::donors::{best_rows, find_best, others, require};
use crate::operators::Order;
use crate::random::draws::{Random, below, chance, unit};
use crate::search::algorithms::prelude::*;
use std::borrow::Cow;

/// Differential evolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DifferentialEvolution {
    /// Number of individuals; at least 4.
    pub population: usize,
    /// Differential weight F: factor of the difference that is added.
    pub weight: f64,
    /// Crossover rate CR: probability that a gene comes from the mutant; one gene always does.
    pub crossover_rate: f64,
    /// Composition of the mutant.
    pub strategy: Strategy,
}

/// Composition of a mutant: the individual that it is based on, and what is added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strategy {
    /// rand/1/bin: a random individual, plus a difference of two others.
    Rand,
    /// best/1/bin: the best individual, plus a difference of two others.
    Best,
    /// current-to-pbest/1/bin: the parent, plus its difference to one of the best, plus a
    /// difference of two others.
    CurrentToPBest {
        /// Share of the population that counts as the best; in (0, 1].
        p: f64,
    },
}

impl Algorithm for DifferentialEvolution {
    fn population_setting(&self) -> Option<usize> {
        Some(self.population)
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::of_batch(problem, 2 * self.population)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        arm.run(Differential::new(arm.problem, self))
    }
}

const STRATEGIES: &[Cow<'static, str>] = &[
    Cow::Borrowed("rand/1/bin"),
    Cow::Borrowed("best/1/bin"),
    Cow::Borrowed("current-to-pbest/1/bin"),
];

/// Entry of the algorithm in the registry.
pub(in crate::search::algorithms) const DIFFERENTIAL_EVOLUTION: Entry<Recipe> = Entry {
    operator: Operator {
        name: "differential-evolution",
        summary: "Differential evolution: the difference of two individuals is added to a third; \
            a child replaces its parent unless it is worse.",
        domain: Domain::Encodings(&[Encoding::Real]),
        parameters: &[
            Parameter::new(
                "weight",
                Kind::Real { low: 0.0, high: 2.0, low_open: true, high_open: false },
                Fallback::real(0.5),
                "Differential weight F: factor of the difference that is added.",
            ),
            Parameter::new(
                "crossover-rate",
                Kind::Real { low: 0.0, high: 1.0, low_open: false, high_open: false },
                Fallback::real(0.9),
                "Crossover rate CR: probability that a gene comes from the mutant; one gene always \
                does.",
            ),
            Parameter::new(
                "strategy",
                Kind::choice(STRATEGIES),
                Fallback::text("rand/1/bin"),
                "What the difference is added to: a random individual, the best, or the parent \
                moved towards one of the best.",
            ),
            Parameter::new(
                "p",
                Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: false },
                Fallback::real(0.05),
                "Share of the population that is the best, at least two individuals; only for \
                current-to-pbest/1/bin.",
            ),
        ],
        source: "Storn and Price (1997), doi:10.1023/A:1008202821328; Price, Storn and \
            Lampinen (2005), doi:10.1007/3-540-31306-0; Zhang and Sanderson (2009), \
            doi:10.1109/TEVC.2009.2014613 (current-to-pbest)",
    },
    make: Recipe {
        population: PopulationKey::Required,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            let population = context.population;
            require(population)?;
            let strategy = match values.choice("strategy") {
                "best/1/bin" => Strategy::Best,
                "current-to-pbest/1/bin" => Strategy::CurrentToPBest { p: values.real("p") },
                _ => Strategy::Rand,
            };
            if !matches!(strategy, Strategy::CurrentToPBest { .. }) {
                values.leave_out("p");
            }
            // Settings that were written before there was a choice name no strategy.
            if strategy == Strategy::Rand {
                values.leave_out("strategy");
            }
            Ok(Arc::new(DifferentialEvolution {
                population,
                weight: values.real("weight"),
                crossover_rate: values.real("crossover-rate"),
                strategy,
            }))
        },
    },
};

/// State of differential evolution: the population and its children.
struct Differential<'arm> {
    problem: &'arm Problem,
    settings: &'arm DifferentialEvolution,
    population: Population<f64>,
    children: Population<f64>,
    order: Order,
    /// Best rows, as many as the strategy chooses from.
    best: Vec<u32>,
}

impl<'arm> Differential<'arm> {
    fn new(problem: &'arm Problem, settings: &'arm DifferentialEvolution) -> Self {
        Differential {
            problem,
            settings,
            population: population_of(problem, settings.population),
            children: population_of(problem, settings.population),
            order: Order::default(),
            best: Vec::new(),
        }
    }

    /// Finds the best rows that the strategy chooses from.
    fn find_best(&mut self, trial: &mut Trial<'_, f64>) {
        let rows = self.population.rows();
        let count = match self.settings.strategy {
            Strategy::Rand => return,
            Strategy::Best => 1,
            Strategy::CurrentToPBest { p } => best_rows(p, rows),
        };
        find_best(count, &self.population, trial, &mut self.order, &mut self.best);
    }

    /// Makes the child of a row.
    fn breed(&mut self, row: usize, random: &mut Random) {
        let Differential { problem, settings, population, children, best, .. } = self;
        let (rows, weight) = (population.rows(), settings.weight);
        let [base, toward, plus, minus] = match settings.strategy {
            Strategy::Rand => {
                let [base, plus, minus] = others(row, rows, random);
                [base, base, plus, minus]
            }
            Strategy::Best => {
                let [plus, minus] = others(row, rows, random);
                [best[0] as usize, best[0] as usize, plus, minus]
            }
            Strategy::CurrentToPBest { .. } => {
                let toward = best[below(random, best.len())] as usize;
                let [plus, minus] = others(row, rows, random);
                [row, toward, plus, minus]
            }
        }
        .map(|at| population.row(at));
        let parent = population.row(row);
        let child = children.row_mut(row);
        let always = below(random, child.len());
        for (locus, gene) in child.iter_mut().enumerate() {
            // The gene that always comes from the mutant draws no number.
            *gene = if locus == always || chance(random, settings.crossover_rate) {
                let difference = weight * (plus[locus] - minus[locus]);
                let mutant = match settings.strategy {
                    Strategy::CurrentToPBest { .. } => {
                        base[locus] + weight * (toward[locus] - base[locus]) + difference
                    }
                    _ => base[locus] + difference,
                };
                let bounds = problem.description().bounds.of(locus);
                bounce_back(mutant, base[locus], bounds, random)
            } else {
                parent[locus]
            };
        }
    }
}

/// Returns a gene within its bounds. A gene beyond a bound becomes a random number between the
/// base's gene and the bound. Source: Price, Storn and Lampinen (2005), section 4.3.1.
fn bounce_back(gene: f64, base: f64, (low, high): (f64, f64), random: &mut Random) -> f64 {
    // Differences of genes that are as far apart as numbers can be have no sum.
    if gene.is_nan() {
        return base;
    }
    let bound = gene.clamp(low, high);
    if gene == bound { gene } else { (base + unit(random) * (bound - base)).clamp(low, high) }
}

impl Search for Differential<'_> {
    type Gene = f64;

    fn start(&mut self, trial: &mut Trial<'_, f64>) -> Result<(), Halt> {
        trial.begin(&mut self.population)
    }

    fn generation(&mut self, trial: &mut Trial<'_, f64>) -> Result<(), Halt> {
        self.find_best(trial);
        for row in 0..self.population.rows() {
            self.breed(row, &mut trial.random);
        }
        trial.evaluate(&mut self.children)?;
        let Differential { population, children, .. } = self;
        for row in 0..population.rows() {
            let (new, old) = (children.figures_of(row), population.figures_of(row));
            if trial.ranking.worsening(new, old) <= 0.0 {
                population.copy_pairs(children, std::iter::once((row, row)));
            }
        }
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.population.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<f64> {
        &self.population
    }
}
