//! Genes of a child that a mutation changes, and how they are drawn.

use crate::random::draws::{Rate, below, unit};
use crate::random::power::power;
use crate::random::subsets::{FirstHit, distinct, each_with};
use rand::Rng;
use std::sync::Arc;

/// Genes of a mutated child that change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Genes {
    /// Exactly one gene, at a uniform position.
    One,
    /// Each gene with this probability.
    Each(f64),
    /// Each gene with this probability, drawn again until at least one gene changes.
    AtLeastOne(f64),
    /// A number of genes that follows a power law.
    PowerLaw(PowerLaw),
    /// Each gene with probability k / length, where k follows a power law.
    PowerLawRate(PowerLaw),
}

/// Power law: a number k from 1 to `most` has a probability proportional to k^-`beta`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLaw {
    /// Exponent; above 1.
    pub beta: f64,
    /// Greatest number; at least 1.
    pub most: usize,
}

impl PowerLaw {
    /// Returns the power law for genomes of this length, up to half of it.
    #[must_use]
    pub fn of(beta: f64, length: usize) -> Self {
        PowerLaw { beta, most: (length / 2).max(1) }
    }

    /// Returns the sums of the first weights: k^-`beta`.
    pub(super) fn sums(self) -> Vec<f64> {
        let weights = (1..=self.most).map(|k| power(k as f64, -self.beta));
        weights.scan(0.0, |sum, weight| Some(add(sum, weight))).collect()
    }

    /// Returns the expectation of k.
    pub(super) fn mean(self) -> f64 {
        let sum = |exponent: f64| (1..=self.most).map(|k| power(k as f64, exponent)).sum::<f64>();
        sum(1.0 - self.beta) / sum(-self.beta)
    }
}

fn add(sum: &mut f64, weight: f64) -> f64 {
    *sum += weight;
    *sum
}

/// Genes that change, prepared for repeated draws.
#[derive(Clone, Debug)]
pub(super) enum Loci {
    One,
    Each(Rate),
    /// Rate, and the probability per gene for the first gene that changes.
    AtLeastOne(Rate, f64),
    /// Sums of the first weights of the number of genes.
    Several(Arc<[f64]>),
    /// Sums of the first weights of k, where each gene changes with probability k / length.
    Varying(Arc<[f64]>),
}

impl Loci {
    #[inline]
    pub(super) fn of(genes: Genes) -> Self {
        match genes {
            Genes::One => Loci::One,
            Genes::Each(rate) => Loci::Each(Rate::new(rate)),
            Genes::AtLeastOne(rate) => Loci::AtLeastOne(Rate::new(rate), rate),
            Genes::PowerLaw(law) => Loci::Several(law.sums().into()),
            Genes::PowerLawRate(law) => Loci::Varying(law.sums().into()),
        }
    }

    /// Calls `change` for each gene that changes.
    #[inline]
    pub(super) fn each<R: Rng>(
        &self,
        length: usize,
        random: &mut R,
        mut change: impl FnMut(usize, &mut R),
    ) {
        match self {
            Loci::One => {
                let locus = below(random, length);
                change(locus, random);
            }
            Loci::Each(rate) => rate.each(random, length, change),
            Loci::AtLeastOne(rate, p) => {
                let first = FirstHit::new(*p, length).draw(random);
                change(first, random);
                let next = first + 1;
                rate.each(random, length - next, |place, random| change(next + place, random));
            }
            Loci::Several(sums) => {
                let count = drawn_from(sums, random).min(length);
                distinct(count, length, random, change);
            }
            Loci::Varying(sums) => {
                let rate = drawn_from(sums, random) as f64 / length as f64;
                each_with(rate, length, random, change);
            }
        }
    }
}

/// Number of sums that are looked at one by one before the others are halved.
const FIRST: usize = 8;

/// Draws a number from 1 on, given the sums of the first weights.
fn drawn_from(sums: &[f64], random: &mut impl Rng) -> usize {
    let all = sums.last().copied().unwrap_or(0.0);
    let place = unit(random) * all;
    // Most numbers are among the first.
    let first = sums.iter().take(FIRST).take_while(|sum| **sum <= place).count();
    let before = if first < FIRST { first } else { sums.partition_point(|sum| *sum <= place) };
    before.min(sums.len() - 1) + 1
}
