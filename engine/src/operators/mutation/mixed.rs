//! Mutation of mixed genomes: each gene that changes is varied by its kind.

use super::genes::Loci;
use super::{MutationKind, Operator};
use super::{ONE_OF_ALL, RATE, SIGMA, Target, gene_rate, one_of_all};
use crate::operators::domain::Domain;
use crate::operators::registry::Entry;
use crate::operators::values::Make;
use crate::problem::parameter::{Fallback, Kind, Parameter};
use crate::problem::{Bounds, Encoding, Gene, MixedGene, MixedKind};
use crate::random::draws::{Random, below_large, normal, unit};

/// Entry of the mutation in the registry.
pub(super) const MIXED: Entry<Make<MutationKind>> = Entry {
    operator: Operator {
        name: "mixed",
        summary: "Each gene that changes by its kind: a number by a normal step, a whole number by \
            a geometric one, a choice to another, a bit to the other.",
        domain: Domain::Encodings(&[Encoding::Mixed]),
        parameters: &[
            RATE,
            Parameter::varying(
                "sigma",
                Kind::real(0.0, 1e6),
                Fallback::real(SIGMA),
                "Standard deviation of a number's step and mean length of a whole number's, which \
                is at least 1, as a multiple of the gene's range.",
            ),
            gene_rate(ONE_OF_ALL),
        ],
        source: "Li, Emmerich, Eggermont, Bäck, Schütz, Dijkstra and Reiber (2013), \
            doi:10.1162/EVCO_a_00059; Rudolph (1994), doi:10.1007/3-540-58484-6_258, for whole \
            numbers",
    },
    make: |values, context| {
        Ok(MutationKind::Mixed {
            sigma: values.real("sigma"),
            genes: one_of_all(values, context.problem.genome_length),
        })
    },
};

/// Varies the genes that change by their kinds. A number takes a normal step, with standard
/// deviation `sigma` times its range; a whole number a step of [`steps`], to either side. A result
/// beyond a bound is set to the bound. A choice takes another word, a bit its other value.
///
/// Source: Li, Emmerich, Eggermont, Bäck, Schütz, Dijkstra and Reiber (2013), "Mixed integer
/// evolution strategies for parameter optimization", doi:10.1162/EVCO_a_00059.
#[inline]
pub(super) fn mixed<G: Gene>(
    mut row: impl Target<G>,
    bounds: &Bounds,
    sigma: f64,
    loci: &Loci,
    random: &mut Random,
) {
    let genes = bounds.mixed();
    loci.each(row.length(), random, |locus, random| {
        let old = row.gene(locus).to_f64();
        let new = match genes[locus].kind {
            MixedKind::Real { low, high } => {
                (old + sigma * (high - low) * normal(random)).clamp(low, high)
            }
            MixedKind::Integer { low, high } => {
                let step = steps((sigma * (high - low)).max(1.0), random);
                let side = if below_large(random, 2) == 0 { -1.0 } else { 1.0 };
                (old + side * step).clamp(low, high)
            }
            MixedKind::Choice(_) | MixedKind::Bit => other(&genes[locus], old, random),
        };
        row.put(locus, G::from_f64(new));
    });
}

/// Draws a value of a gene: uniform for a number; for the other kinds uniform among all values, or,
/// if `different`, among all but the old one.
pub(super) fn reset(gene: &MixedGene, old: f64, different: bool, random: &mut Random) -> f64 {
    let (low, high) = gene.bounds();
    if !gene.is_whole() {
        return (low + (high - low) * unit(random)).clamp(low, high);
    }
    if different {
        return other(gene, old, random);
    }
    plus(low, below_large(random, values(gene)))
}

/// Adds to a whole number of a gene. Both are integers, because their difference may have more
/// digits than a double.
fn plus(low: f64, number: u64) -> f64 {
    (low as i64 + number as i64) as f64
}

/// Draws another value of a gene of whole numbers, each with the same probability. A gene with one
/// value keeps it.
fn other(gene: &MixedGene, old: f64, random: &mut Random) -> f64 {
    let (low, _) = gene.bounds();
    let values = values(gene);
    if values == 1 {
        return old;
    }
    let draw = below_large(random, values - 1);
    // There is one value fewer, because the old value is skipped.
    plus(low, if plus(low, draw) >= old { draw + 1 } else { draw })
}

/// Returns the number of values of a gene of whole numbers.
fn values(gene: &MixedGene) -> u64 {
    let (low, high) = gene.bounds();
    (high as i64 - low as i64) as u64 + 1
}

/// Draws the length of a step from the geometric distribution on 1, 2 and so on with this mean,
/// which is at least 1. With either sign, the step is the difference of two numbers of a geometric
/// distribution, given that it is not 0.
///
/// Source: Rudolph (1994), "An evolutionary algorithm for integer programming",
/// doi:10.1007/3-540-58484-6_258.
fn steps(mean: f64, random: &mut Random) -> f64 {
    let number = unit(random);
    if mean <= 1.0 {
        return 1.0;
    }
    // The logarithms are of 1 - number, above 0, and of the probability of a longer step.
    1.0 + (libm::log1p(-number) / libm::log1p(-1.0 / mean)).floor()
}
