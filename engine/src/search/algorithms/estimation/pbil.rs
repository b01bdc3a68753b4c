//! Population-based incremental learning: the probabilities move towards the best string of each
//! generation, away from the worst, and mutate.
//!
//! Baluja (1994), technical report CMU-CS-94-163, Carnegie Mellon University.

use super::model::Model;
use crate::operators::values::Complaint;
use crate::operators::{Order, replacement};
use crate::random::draws::{Rate, chance};
use crate::record::Outcome;
use crate::search::algorithms::prelude::*;
use crate::search::ranking::Use;

/// Population-based incremental learning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pbil {
    /// Number of strings per generation; at least 2.
    pub population: usize,
    /// Share of the way to the best string that a probability moves.
    pub learning_rate: f64,
    /// Share of the further way, where the worst string differs from the best.
    pub negative_learning_rate: f64,
    /// Probability that a probability mutates.
    pub mutation_probability: f64,
    /// Share of the way to a random bit that it then moves.
    pub mutation_shift: f64,
    /// Distance of probabilities from 0 and 1; at most 1/2.
    pub margin: f64,
}

impl Algorithm for Pbil {
    fn population_setting(&self) -> Option<usize> {
        Some(self.population)
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::of_batch(problem, self.population)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, [U8: u8, U16: u16, U32: u32], Learning::new(arm.problem, *self))
    }
}

/// Least number of strings, so that there are a best and a worst.
const LEAST: usize = 2;

/// Entry of the algorithm in the registry.
pub(in crate::search::algorithms) const PBIL: Entry<Recipe> = Entry {
    operator: Operator {
        name: "pbil",
        summary: "Population-based incremental learning: a probability per bit moves towards the \
            best string of each generation, and away from the worst.",
        domain: Domain::Encodings(&[Encoding::Bits]),
        parameters: &[
            Parameter::new(
                "learning-rate",
                Kind::real(0.0, 1.0),
                Fallback::real(0.1),
                "Share of the way to the best string that the probabilities move.",
            ),
            Parameter::new(
                "negative-learning-rate",
                Kind::real(0.0, 1.0),
                Fallback::real(0.075),
                "Share of the remaining way that they also move where the worst string differs \
                from the best.",
            ),
            Parameter::new(
                "mutation-probability",
                Kind::real(0.0, 1.0),
                Fallback::real(0.02),
                "Probability that a probability mutates.",
            ),
            Parameter::new(
                "mutation-shift",
                Kind::real(0.0, 1.0),
                Fallback::real(0.05),
                "Share of the way to 0 or 1 that it then moves.",
            ),
            Parameter::new(
                "margin",
                Kind::real(0.0, 0.5),
                Fallback::real(0.0),
                "Distance that the probabilities keep from 0 and 1.",
            ),
        ],
        source: "Baluja (1994)",
    },
    make: Recipe {
        population: PopulationKey::Learned,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            let population = context.population;
            if population < LEAST {
                return Err(Complaint::new(
                    format!(
                        "pbil learns from the best and the worst string, and the population has \
                        {population}"
                    ),
                    format!("let `population` be at least {LEAST}"),
                ));
            }
            Ok(Arc::new(Pbil {
                population,
                learning_rate: values.real("learning-rate"),
                negative_learning_rate: values.real("negative-learning-rate"),
                mutation_probability: values.real("mutation-probability"),
                mutation_shift: values.real("mutation-shift"),
                margin: values.real("margin"),
            }))
        },
    },
};

/// State of the search on bits as genes of kind `G`.
struct Learning<G: Gene> {
    settings: Pbil,
    mutation: Rate,
    model: Model,
    population: Population<G>,
    order: Order,
}

impl<G: Gene> Learning<G> {
    fn new(problem: &Problem, settings: Pbil) -> Self {
        Learning {
            settings,
            mutation: Rate::new(settings.mutation_probability),
            model: Model::new(problem.description().genome_length, settings.margin),
            population: population_of(problem, settings.population),
            order: Order::default(),
        }
    }

    /// Moves the probabilities.
    fn learn(&mut self, trial: &mut Trial<'_, G>) {
        let Learning { settings, mutation, model, population, order } = self;
        let scores = trial.ranking.scores(Use::Order, population);
        let best = replacement::best(scores, 1, &mut trial.random, order)[0] as usize;
        let worst = replacement::worst(scores, 1, &mut trial.random, order)[0] as usize;
        let (best, worst) = (population.row(best), population.row(worst));
        for (locus, (best, worst)) in best.iter().zip(worst).enumerate() {
            let bit = best.to_f64();
            let mut probability = towards(bit, model.probability(locus), settings.learning_rate);
            if best != worst {
                probability = towards(bit, probability, settings.negative_learning_rate);
            }
            model.set(locus, probability);
        }
        mutation.each(&mut trial.random, population.length(), |locus, random| {
            let bit = f64::from(u8::from(chance(random, 0.5)));
            model.set(locus, towards(bit, model.probability(locus), settings.mutation_shift));
        });
    }
}

/// Moves a probability by a share of the way to a bit.
fn towards(bit: f64, probability: f64, share: f64) -> f64 {
    probability * (1.0 - share) + bit * share
}

impl<G: Gene> Search for Learning<G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.model.reset();
        trial.begin(&mut self.population)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.learn(trial);
        self.model.sample_all(&mut self.population, &mut trial.random);
        trial.evaluate(&mut self.population)
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.model.save_or_restore(snapshot);
        self.population.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<G> {
        &self.population
    }

    fn ended(&self) -> Option<Outcome> {
        let is_open = self.settings.mutation_probability * self.settings.mutation_shift > 0.0;
        (!is_open && self.model.is_fixed()).then_some(Outcome::Stagnated)
    }
}
