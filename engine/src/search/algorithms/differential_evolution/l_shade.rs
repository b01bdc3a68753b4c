//! L-SHADE: SHADE with a population that shrinks linearly.
//!
//! Tanabe and Fukunaga (2014), doi:10.1109/CEC.2014.6900380.

use super::adaptation::Rule;
use super::adaptive::{Adaptive, Best, Design};
use super::donors::LEAST;
use crate::operators::Unit;
use crate::search::algorithms::prelude::*;

/// L-SHADE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LShade {
    /// Number of individuals in the first generation; at least 4.
    pub population: usize,
    /// Share of the population that counts as the best; in (0, 1].
    pub p: f64,
    /// Number of generations with a success that the memory holds; at least 1.
    pub memory: usize,
    /// Size of the archive, as a multiple of the population; 0 without an archive.
    pub archive: f64,
}

impl LShade {
    fn design(&self) -> Design {
        Design {
            population: self.population,
            archive: self.archive,
            best: Best::Share(self.p),
            rule: Rule::LehmerHistory { size: self.memory },
            takes_equal: true,
            shrinks: true,
        }
    }
}

impl Algorithm for LShade {
    fn size_key(&self) -> Option<&'static str> {
        Some("initial-population")
    }

    fn traced_individuals(&self) -> Option<usize> {
        None
    }

    /// Returns true, although the population shrinks.
    fn has_diversity(&self) -> bool {
        true
    }

    fn plans_over(&self, unit: Unit) -> bool {
        unit == Unit::Evaluations
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        self.design().footprint(problem)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        arm.run(Adaptive::new(arm.problem, self.design()))
    }
}

/// Factor of the genome's length that gives the initial population.
const ROWS_PER_GENE: usize = 18;

/// Entry of the algorithm in the registry.
pub(in crate::search::algorithms) const L_SHADE: Entry<Recipe> = Entry {
    operator: Operator {
        name: "l-shade",
        summary: "SHADE whose population shrinks linearly, to 4 individuals at the end of the \
            budget of evaluations.",
        domain: Domain::Encodings(&[Encoding::Real]),
        parameters: &[
            Parameter::new(
                "initial-population",
                Kind::Integer { low: LEAST as i64, high: 100_000_000_000 },
                Fallback::Derived("18 n for n genes"),
                "Individuals of the first generation.",
            ),
            Parameter::new(
                "memory",
                Kind::Integer { low: 1, high: 1_000_000 },
                Fallback::integer(6),
                "Memory size H: number of generations whose successful parameters are remembered. \
                6 in the paper and its code 1.0.0, 5 in the authors' code 1.0.1.",
            ),
            Parameter::new(
                "archive",
                Kind::Real { low: 0.0, high: 1000.0, low_open: false, high_open: false },
                Fallback::real(2.6),
                "Size of the archive of replaced parents, as a multiple of the population; 0 \
                without an archive. 2.6 in the paper and its code 1.0.0, 1.4 in the authors' code \
                1.0.1.",
            ),
            Parameter::new(
                "p",
                Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: false },
                Fallback::real(0.11),
                "Share of the population that is the best, at least two individuals.",
            ),
        ],
        source: "Tanabe and Fukunaga (2014), doi:10.1109/CEC.2014.6900380",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            let derived = ROWS_PER_GENE * context.problem.genome_length;
            let population = values.given_count("initial-population").unwrap_or(derived);
            values.settle_count("initial-population", population);
            Ok(Arc::new(LShade {
                population,
                p: values.real("p"),
                memory: values.count("memory"),
                archive: values.real("archive"),
            }))
        },
    },
};
