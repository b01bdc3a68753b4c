//! Self-adaptive mutations: each individual carries the strength of its mutation, which is mutated
//! first and inherited.

use crate::operators::domain::Domain;
use crate::operators::operator::Operator;
use crate::operators::registry::Entry;
use crate::operators::values::{Make, Values};
use crate::problem::parameter::{Fallback, Kind, Parameter, Value};
use crate::problem::{Bounds, Encoding, Gene};
use crate::random::draws::{Random, normal};
use crate::random::subsets::each_with;

use super::{GREATEST_SIGMA, MutationKind, RATE, SIGMA};

/// Strength that individuals carry, and its rule of change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfAdaptation {
    /// Strength of the initial population.
    pub first: f64,
    /// Standard deviation of the change of the strength's logarithm, or of its odds' logarithm;
    /// above 0.
    pub learning_rate: f64,
}

impl SelfAdaptation {
    /// Draws the factor by which a strength, or its odds, changes.
    fn factor(self, random: &mut Random) -> f64 {
        libm::exp(self.learning_rate * normal(random))
    }

    /// Mutates an individual's standard deviation, then its genes.
    pub(crate) fn step<G: Gene>(
        self,
        row: &mut [G],
        strength: &mut f64,
        bounds: &Bounds,
        random: &mut Random,
    ) {
        *strength = (*strength * self.factor(random)).min(GREATEST_SIGMA);
        for (locus, gene) in row.iter_mut().enumerate() {
            let (low, high) = bounds.of(locus);
            let moved = gene.to_f64() + *strength * (high - low) * normal(random);
            *gene = G::from_f64(moved.clamp(low, high));
        }
    }

    /// Mutates an individual's probability per bit, then its bits.
    pub(crate) fn flip<G: Gene>(self, row: &mut [G], strength: &mut f64, random: &mut Random) {
        let odds = *strength / (1.0 - *strength) * self.factor(random);
        let length = row.len();
        *strength = (odds / (1.0 + odds)).max(1.0 / length as f64).min(MOST);
        each_with(*strength, length, random, |locus, _| {
            row[locus] = G::from_index(1 - row[locus].to_index());
        });
    }
}

/// Greatest probability that a bit flips, which keeps the odds finite.
const MOST: f64 = 1.0 - f64::EPSILON;

/// Standard deviation of the logarithm of the odds: Bäck and Schütz (1996).
const SPREAD: f64 = 0.22;

const fn learning_rate(fallback: Fallback, doc: &'static str) -> Parameter {
    let kind = Kind::Real { low: 0.0, high: 10.0, low_open: true, high_open: false };
    Parameter::new("learning-rate", kind, fallback, doc)
}

/// Entry of mutations whose individuals carry a step size.
pub(super) const SELF_ADAPTIVE_GAUSSIAN: Entry<Make<MutationKind>> = Entry {
    operator: Operator {
        name: "self-adaptive-gaussian",
        summary: "Adds normally distributed numbers to all genes. Each individual has a standard \
            deviation of its own, which is mutated first and inherited; that of a crossed child is \
            the mean of its parents'.",
        domain: Domain::Encodings(&[Encoding::Real]),
        parameters: &[
            RATE,
            Parameter::new(
                "sigma",
                Kind::Real { low: 0.0, high: 1e6, low_open: true, high_open: false },
                Fallback::real(SIGMA),
                "Standard deviation at first, as a multiple of the gene's range.",
            ),
            learning_rate(
                Fallback::Derived("1 / square root of (2 x genome length)"),
                "Standard deviation of the logarithm's change.",
            ),
        ],
        source: "Beyer and Schwefel (2002), doi:10.1023/A:1015059928466",
    },
    make: |values, context| {
        let length = context.problem.genome_length as f64;
        let learning_rate = rate_of_learning(values, 1.0 / (2.0 * length).sqrt());
        let first = values.real("sigma");
        Ok(MutationKind::SelfAdaptiveGaussian(SelfAdaptation { first, learning_rate }))
    },
};

/// Entry of mutations whose individuals carry a probability per bit.
pub(super) const SELF_ADAPTIVE_BIT_FLIP: Entry<Make<MutationKind>> = Entry {
    operator: Operator {
        name: "self-adaptive-bit-flip",
        summary: "Bits are flipped. Each individual has a rate of its own, which is mutated first \
            and inherited; that of a crossed child is the mean of its parents'.",
        domain: Domain::Encodings(&[Encoding::Bits]),
        parameters: &[
            RATE,
            Parameter::new(
                "gene-rate",
                Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: true },
                Fallback::Derived("1 / genome length"),
                "Probability that a bit flips, at first; later at least 1 / genome length.",
            ),
            learning_rate(
                Fallback::real(SPREAD),
                "Standard deviation of the change of the odds' logarithm.",
            ),
        ],
        source: "Bäck and Schütz (1996), doi:10.1007/3-540-61286-6_141",
    },
    make: |values, context| {
        let length = context.problem.genome_length as f64;
        let first = values.given_real("gene-rate").unwrap_or((1.0 / length).min(0.5));
        values.settle("gene-rate", Value::Real(first));
        let learning_rate = rate_of_learning(values, SPREAD);
        Ok(MutationKind::SelfAdaptiveBitFlip(SelfAdaptation { first, learning_rate }))
    },
};

/// Returns the learning rate that is given, or else the default.
fn rate_of_learning(values: &mut Values, default: f64) -> f64 {
    let rate = values.given_real("learning-rate").unwrap_or(default);
    values.settle("learning-rate", Value::Real(rate));
    rate
}
