//! The compact genetic algorithm: two strings compete, and the probabilities of the bits in which
//! they differ move towards the winner by one individual of a population that is only imagined.
//!
//! Harik, Lobo and Goldberg (1999), doi:10.1109/4235.797971.

use super::model::Model;
use crate::record::Outcome;
use crate::search::algorithms::prelude::*;

/// The compact genetic algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cga {
    /// Size of the imagined population: a probability moves by 1 / `virtual_population`.
    pub virtual_population: usize,
    /// Distance of probabilities from 0 and 1; at most 1/2.
    pub margin: f64,
}

/// Number of strings that compete.
const PAIR: usize = 2;

impl Algorithm for Cga {
    fn evaluations_per_generation(&self) -> Option<usize> {
        Some(PAIR)
    }

    fn traced_individuals(&self) -> Option<usize> {
        Some(PAIR)
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::new(problem, 1 + PAIR as u64, 0)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, [U8: u8, U16: u16, U32: u32], Compact::new(arm.problem, *self))
    }
}

/// Entry of the algorithm in the registry.
pub(in crate::search::algorithms) const CGA: Entry<Recipe> = Entry {
    operator: Operator {
        name: "cga",
        summary: "Compact genetic algorithm: of two sampled strings, the better draws the \
            probabilities of the bits in which they differ. The first genome is random, and only \
            evaluated.",
        domain: Domain::Encodings(&[Encoding::Bits]),
        parameters: &[
            Parameter::new(
                "virtual-population",
                Kind::Integer { low: 2, high: 1_000_000_000 },
                Fallback::integer(100),
                "Size K of the population that the probabilities stand for: they move by 1/K.",
            ),
            Parameter::new(
                "margin",
                Kind::real(0.0, 0.5),
                Fallback::real(0.0),
                "Distance that the probabilities keep from 0 and 1. With 0, a trial ends as \
                `stagnated` once all strings are the same.",
            ),
        ],
        source: "Harik, Lobo and Goldberg (1999), doi:10.1109/4235.797971",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, _| {
            let virtual_population = values.count("virtual-population");
            Ok(Arc::new(Cga { virtual_population, margin: values.real("margin") }))
        },
    },
};

/// State of the search on bits as genes of kind `G`.
struct Compact<G: Gene> {
    settings: Cga,
    model: Model,
    /// Twice the virtual population times each probability, so that steps without margins are
    /// exact.
    halves: Vec<f64>,
    first: Population<G>,
    pair: Population<G>,
    is_first: bool,
}

impl<G: Gene> Compact<G> {
    fn new(problem: &Problem, settings: Cga) -> Self {
        let length = problem.description().genome_length;
        Compact {
            settings,
            model: Model::new(length, settings.margin),
            halves: vec![0.0; length],
            first: population_of(problem, 1),
            pair: population_of(problem, PAIR),
            is_first: true,
        }
    }

    /// Moves the probabilities towards the winner.
    fn learn(&mut self, winner: usize) {
        let Compact { settings, model, halves, pair, .. } = self;
        let all = 2.0 * settings.virtual_population as f64;
        let margin = all * settings.margin;
        let (winner, loser) = (pair.row(winner), pair.row(1 - winner));
        for (locus, (winner, loser)) in winner.iter().zip(loser).enumerate() {
            if winner != loser {
                let step = 2.0 * (winner.to_f64() - loser.to_f64());
                halves[locus] = (halves[locus] + step).clamp(margin, all - margin);
                model.set(locus, halves[locus] / all);
            }
        }
    }
}

impl<G: Gene> Search for Compact<G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.model.reset();
        self.halves.fill(self.settings.virtual_population as f64);
        self.is_first = true;
        trial.begin(&mut self.first)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.model.sample_all(&mut self.pair, &mut trial.random);
        trial.evaluate(&mut self.pair)?;
        self.is_first = false;
        // Equally good strings are equally distributed, so that the first may win.
        let [one, other] = [0, 1].map(|row| self.pair.figures_of(row));
        self.learn(usize::from(trial.ranking.worsening(other, one) < 0.0));
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.model.save_or_restore(snapshot);
        snapshot.save_or_restore(&mut self.halves);
        snapshot.save_or_restore(&mut self.is_first);
    }

    fn population(&self) -> &Population<G> {
        if self.is_first { &self.first } else { &self.pair }
    }

    fn ended(&self) -> Option<Outcome> {
        self.model.is_fixed().then_some(Outcome::Stagnated)
    }
}
