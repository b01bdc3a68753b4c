//! Differential evolution, rand/1/bin. Each individual is crossed with a mutant: a third individual
//! plus the difference of two others. A child that is no worse replaces the individual.
//!
//! Storn and Price (1997), doi:10.1023/A:1008202821328.

use crate::operators::domain::Domain;
use crate::operators::operator::{Operator, Slot};
use crate::operators::registry::Entry;
use crate::operators::values::Complaint;
use crate::problem::parameter::{Fallback, Kind, Parameter};
use crate::problem::{Description, Encoding, Problem};
use crate::random::draws::{Random, below, chance, unit};
use crate::search::algorithm::{Algorithm, PopulationKey, Recipe};
use crate::search::arm::Arm;
use crate::search::executor::{Search, TrialExecutor};
use crate::search::footprint::Footprint;
use crate::search::population::{Population, population_of};
use crate::search::trial::{Halt, Trial};
use std::sync::Arc;

/// Differential evolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DifferentialEvolution {
    /// Number of individuals; at least 4.
    pub population: usize,
    /// Differential weight F: factor of the difference that is added.
    pub weight: f64,
    /// Crossover rate CR: probability that a gene comes from the mutant; one gene always does.
    pub crossover_rate: f64,
}

impl Algorithm for DifferentialEvolution {
    fn population_setting(&self) -> Option<usize> {
        Some(self.population)
    }

    fn evaluations_per_generation(&self) -> Option<usize> {
        Some(self.population)
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::of_batch(problem, 2 * self.population)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        arm.run(Differential::new(arm.problem, self))
    }
}

/// Number of individuals that a child is made from: its parent and three others.
const LEAST: usize = 4;

/// Entry of the algorithm in the registry.
pub(super) const DIFFERENTIAL_EVOLUTION: Entry<Recipe> = Entry {
    operator: Operator {
        name: "differential-evolution",
        summary: "Differential evolution, rand/1/bin: the difference of two individuals is added \
            to a third; a child replaces its parent unless it is worse.",
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
        ],
        source: "Storn and Price (1997), doi:10.1023/A:1008202821328; Price, Storn and \
            Lampinen (2005), doi:10.1007/3-540-31306-0",
    },
    make: Recipe {
        population: PopulationKey::Required,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            let population = context.population;
            if population < LEAST {
                return Err(Complaint::new(
                    format!(
                        "differential evolution makes a child of its parent and three others, and \
                        the population has {population}"
                    ),
                    format!("let `population` be at least {LEAST}"),
                ));
            }
            Ok(Arc::new(DifferentialEvolution {
                population,
                weight: values.real("weight"),
                crossover_rate: values.real("crossover-rate"),
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
}

impl<'arm> Differential<'arm> {
    fn new(problem: &'arm Problem, settings: &'arm DifferentialEvolution) -> Self {
        Differential {
            problem,
            settings,
            population: population_of(problem, settings.population),
            children: population_of(problem, settings.population),
        }
    }

    /// Makes the child of a row.
    fn breed(&mut self, row: usize, random: &mut Random) {
        let Differential { problem, settings, population, children } = self;
        let [base, plus, minus] =
            others(row, population.rows(), random).map(|at| population.row(at));
        let parent = population.row(row);
        let child = children.row_mut(row);
        let always = below(random, child.len());
        for (locus, gene) in child.iter_mut().enumerate() {
            // The gene that always comes from the mutant draws no number.
            *gene = if locus == always || chance(random, settings.crossover_rate) {
                let mutant = base[locus] + settings.weight * (plus[locus] - minus[locus]);
                let bounds = problem.description().bounds.of(locus);
                bounce_back(mutant, base[locus], bounds, random)
            } else {
                parent[locus]
            };
        }
    }
}

/// Draws three different rows other than this one, each order with equal probability.
fn others(row: usize, rows: usize, random: &mut Random) -> [usize; 3] {
    let mut taken = [row, 0, 0, 0];
    for count in 1..taken.len() {
        // Number of a row among the rows that are not taken.
        let mut drawn = below(random, rows - count);
        let mut before = taken;
        before[..count].sort_unstable();
        for other in &before[..count] {
            drawn += usize::from(drawn >= *other);
        }
        taken[count] = drawn;
    }
    [taken[1], taken[2], taken[3]]
}

/// Returns a gene within its bounds. A gene beyond a bound becomes a random number between the
/// base's gene and the bound. Source: Price, Storn and Lampinen (2005), section 4.3.1.
fn bounce_back(gene: f64, base: f64, (low, high): (f64, f64), random: &mut Random) -> f64 {
    let bound = gene.clamp(low, high);
    if gene == bound { gene } else { (base + unit(random) * (bound - base)).clamp(low, high) }
}

impl Search for Differential<'_> {
    type Gene = f64;

    fn start(&mut self, trial: &mut Trial<'_, f64>) -> Result<(), Halt> {
        trial.begin(&mut self.population)
    }

    fn generation(&mut self, trial: &mut Trial<'_, f64>) -> Result<(), Halt> {
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

    fn population(&self) -> &Population<f64> {
        &self.population
    }
}
