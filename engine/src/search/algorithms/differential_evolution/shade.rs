//! SHADE: differential evolution that adapts by a history of successes.
//!
//! Tanabe and Fukunaga (2013), doi:10.1109/CEC.2013.6557555.

use super::adaptation::Rule;
use super::adaptive::{Adaptive, Best, Design};
use super::donors::require;
use crate::search::algorithms::prelude::*;

/// SHADE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shade {
    /// Number of individuals; at least 4.
    pub population: usize,
    /// Greatest share of the population that counts as the best; in (0, 1].
    pub p: f64,
    /// Number of generations with a success that the memory holds; at least 1.
    pub memory: usize,
    /// Size of the archive, as a multiple of the population; 0 without an archive.
    pub archive: f64,
}

impl Shade {
    fn design(&self) -> Design {
        Design {
            population: self.population,
            archive: self.archive,
            best: Best::UpTo(self.p),
            rule: Rule::History { size: self.memory },
            takes_equal: true,
            shrinks: false,
        }
    }
}

impl Algorithm for Shade {
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
pub(in crate::search::algorithms) const SHADE: Entry<Recipe> = Entry {
    operator: Operator {
        name: "shade",
        summary: "Success-history based adaptive differential evolution: as JADE, with parameters \
            drawn around a memory of successful ones.",
        domain: Domain::Encodings(&[Encoding::Real]),
        parameters: &[
            Parameter::new(
                "memory",
                Kind::Integer { low: 1, high: 1_000_000 },
                Fallback::integer(100),
                "Memory size H: number of generations whose successful parameters are remembered.",
            ),
            Parameter::new(
                "archive",
                Kind::Real { low: 0.0, high: 1000.0, low_open: false, high_open: false },
                Fallback::real(1.0),
                "Size of the archive of replaced parents, as a multiple of the population; 0 \
                without an archive.",
            ),
            Parameter::new(
                "p",
                Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: false },
                Fallback::real(0.2),
                "Greatest share of the population that is the best; each child draws its share \
                between two individuals and this.",
            ),
        ],
        source: "Tanabe and Fukunaga (2013), doi:10.1109/CEC.2013.6557555",
    },
    make: Recipe {
        population: PopulationKey::Required,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            require(context.population)?;
            Ok(Arc::new(Shade {
                population: context.population,
                p: values.real("p"),
                memory: values.count("memory"),
                archive: values.real("archive"),
            }))
        },
    },
};
