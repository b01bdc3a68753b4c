//! The univariate marginal distribution algorithm: each bit's probability is the share of ones
//! among the best strings.
//!
//! Mühlenbein (1997), doi:10.1162/evco.1997.5.3.303; with margins: Krejca and Witt (2020),
//! doi:10.1007/978-3-030-29414-4_9.

use super::model::Model;
use crate::operators::values::Complaint;
use crate::operators::{Order, replacement};
use crate::problem::parameter::Value;
use crate::record::Outcome;
use crate::search::algorithms::prelude::*;
use crate::search::ranking::Use;

/// The univariate marginal distribution algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Umda {
    /// Number of strings per generation.
    pub population: usize,
    /// Number of the best strings that the model is learned from; below `population`.
    pub selected: usize,
    /// Distance of probabilities from 0 and 1; at most 1/2.
    pub margin: f64,
}

impl Algorithm for Umda {
    fn population_setting(&self) -> Option<usize> {
        Some(self.population)
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::of_batch(problem, self.population)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, [U8: u8, U16: u16, U32: u32], Marginals::new(arm.problem, *self))
    }
}

/// Least number of strings that a model is learned from.
const LEAST: usize = 2;

/// Entry of the algorithm in the registry.
pub(in crate::search::algorithms) const UMDA: Entry<Recipe> = Entry {
    operator: Operator {
        name: "umda",
        summary: "Univariate marginal distribution algorithm: strings are sampled bit by bit with \
            the shares of ones among the best strings of the generation before.",
        domain: Domain::Encodings(&[Encoding::Bits]),
        parameters: &[
            Parameter::new(
                "selected",
                Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: true },
                Fallback::real(0.5),
                "Share of the population that the probabilities are learned from: the best.",
            ),
            Parameter::new(
                "margin",
                Kind::real(0.0, 0.5),
                Fallback::Derived("1 / genome length, at most 0.5"),
                "Distance that the probabilities keep from 0 and 1. With 0, a trial ends as \
                `stagnated` once all strings are the same.",
            ),
        ],
        source: "Mühlenbein (1997), doi:10.1162/evco.1997.5.3.303; Krejca and Witt (2020), \
            doi:10.1007/978-3-030-29414-4_9, for the margin",
    },
    make: Recipe {
        population: PopulationKey::Learned,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            let (population, share) = (context.population, values.real("selected"));
            let selected = (share * population as f64).round() as usize;
            if selected < LEAST || selected >= population {
                return Err(Complaint::of(
                    "selected",
                    format!(
                        "a share of {share} of a population of {population} is {selected}, and \
                        probabilities are learned from at least {LEAST}, but not from all"
                    ),
                    "choose a share between, or a larger population",
                ));
            }
            let length = context.problem.genome_length as f64;
            let margin = values.given_real("margin").unwrap_or((1.0 / length).min(0.5));
            values.settle("margin", Value::Real(margin));
            Ok(Arc::new(Umda { population, selected, margin }))
        },
    },
};

/// State of the search on bits as genes of kind `G`.
struct Marginals<G: Gene> {
    settings: Umda,
    model: Model,
    population: Population<G>,
    /// Number of ones among the best strings, per bit.
    ones: Vec<u32>,
    order: Order,
}

impl<G: Gene> Marginals<G> {
    fn new(problem: &Problem, settings: Umda) -> Self {
        let length = problem.description().genome_length;
        Marginals {
            settings,
            model: Model::new(length, settings.margin),
            population: population_of(problem, settings.population),
            ones: vec![0; length],
            order: Order::default(),
        }
    }

    /// Learns the model from the best strings of the population.
    fn learn(&mut self, trial: &mut Trial<'_, G>) {
        let Marginals { settings, model, population, ones, order } = self;
        let scores = trial.ranking.scores(Use::Order, population);
        let best = replacement::best(scores, settings.selected, &mut trial.random, order);
        ones.fill(0);
        for row in best {
            let genes = population.row(*row as usize);
            ones.iter_mut().zip(genes).for_each(|(ones, gene)| *ones += gene.to_index() as u32);
        }
        for (locus, ones) in ones.iter().enumerate() {
            model.set(locus, f64::from(*ones) / settings.selected as f64);
        }
    }
}

impl<G: Gene> Search for Marginals<G> {
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
        self.model.is_fixed().then_some(Outcome::Stagnated)
    }
}
