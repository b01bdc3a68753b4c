//! JADE: adaptive differential evolution with an optional archive.
//!
//! Zhang and Sanderson (2009), doi:10.1109/TEVC.2009.2014613.

use super::adaptation::Rule;
use super::adaptive::{Adaptive, Best, Design};
use super::donors::require;
use crate::search::algorithms::prelude::*;

/// JADE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jade {
    /// Number of individuals; at least 4.
    pub population: usize,
    /// Share of the population that counts as the best; in (0, 1].
    pub p: f64,
    /// Share by which the means of F and CR move in a generation; in [0, 1].
    pub learning_rate: f64,
    /// Size of the archive, as a multiple of the population; 0 without an archive.
    pub archive: f64,
}

impl Jade {
    fn design(&self) -> Design {
        Design {
            population: self.population,
            archive: self.archive,
            best: Best::Share(self.p),
            rule: Rule::Means { rate: self.learning_rate },
            takes_equal: false,
            shrinks: false,
        }
    }
}

impl Algorithm for Jade {
    fn population_setting(&self) -> Option<usize> {
        Some(self.population)
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        self.design().footprint(problem)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        arm.run(Adaptive::new(arm.problem, self.design()))
    }
}

/// Entry of the algorithm in the registry.
pub(in crate::search::algorithms) const JADE: Entry<Recipe> = Entry {
    operator: Operator {
        name: "jade",
        summary: "Adaptive differential evolution: parents move towards one of the best, with \
            parameters drawn around the means of successful ones.",
        domain: Domain::Encodings(&[Encoding::Real]),
        parameters: &[
            Parameter::new(
                "p",
                Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: false },
                Fallback::real(0.05),
                "Share of the population that is the best, at least two individuals.",
            ),
            Parameter::new(
                "learning-rate",
                Kind::Real { low: 0.0, high: 1.0, low_open: false, high_open: false },
                Fallback::real(0.1),
                "Learning rate c: share by which the means of F and CR move to those of a \
                generation's successes.",
            ),
            Parameter::new(
                "archive",
                Kind::Real { low: 0.0, high: 1000.0, low_open: false, high_open: false },
                Fallback::real(1.0),
                "Size of the archive of replaced parents, as a multiple of the population; 0 \
                without an archive.",
            ),
        ],
        source: "Zhang and Sanderson (2009), doi:10.1109/TEVC.2009.2014613",
    },
    make: Recipe {
        population: PopulationKey::Required,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            require(context.population)?;
            Ok(Arc::new(Jade {
                population: context.population,
                p: values.real("p"),
                learning_rate: values.real("learning-rate"),
                archive: values.real("archive"),
            }))
        },
    },
};
