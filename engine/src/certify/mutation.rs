//! Checks of mutations of integers and permutations. All mutants are compared with the textbook's
//! results for every choice.

use super::fixtures::{BITS, DIGITS, PLACES, mutating};
use super::statistic::{Finding, outcomes};
use super::textbook::{self, Chances};
use super::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{Genes, MutationKind, PowerLaw};
use std::collections::BTreeMap;

/// Number of mutants per check.
const MUTANTS: usize = 50_000;

const ROW: [u8; PLACES] = [3, 0, 5, 1, 4, 2];

pub(super) fn checks() -> Vec<Check> {
    let slot = Slot::Mutation;
    let permutation = |name, claim: &str, kind, chances: fn(&[u8]) -> Chances| {
        check(slot, name, claim, move |context| {
            outcomes(&mutants(context, kind, &ROW), &chances(&ROW))
        })
    };
    vec![
        permutation(
            "swap",
            "two positions exchange, all pairs equally likely",
            MutationKind::Swap,
            textbook::swap,
        ),
        permutation(
            "insert",
            "one gene moves, the others keep their order",
            MutationKind::Insert,
            textbook::insert,
        ),
        permutation(
            "inversion",
            "a segment is reversed: at most two adjacencies change",
            MutationKind::Inversion,
            textbook::inversion,
        ),
        permutation(
            "scramble",
            "a segment is shuffled in any order, the rest stays",
            MutationKind::Scramble,
            textbook::scramble,
        ),
        check(
            slot,
            "reset",
            "one position, uniform; a new value, uniform among the others",
            |context| reset(context, true),
        ),
        check(slot, "reset", "one position, uniform; any value, uniform", |context| {
            reset(context, false)
        }),
        check(
            slot,
            "bit-flip",
            "one position, uniform, as simulated annealing draws neighbours",
            |context| {
                let chances = (0..BITS).map(|place| {
                    let mut row = vec![0; BITS];
                    row[place] = 1;
                    (row, 1.0 / BITS as f64)
                });
                let kind = MutationKind::BitFlip { genes: Genes::One };
                outcomes(&mutants(context, kind, &[0; BITS]), &chances.collect())
            },
        ),
        check(
            slot,
            "bit-flip",
            "at least one bit flips, as many as by drawing again until one does",
            |context| {
                let rate = 0.1;
                let law: Vec<f64> = (0..=BITS).map(|bits| binomial(rate, bits)).collect();
                flips(context, Genes::AtLeastOne(rate), &given_any(&law))
            },
        ),
        check(
            slot,
            "bit-flip",
            "the number of bits follows the power law of Doerr, Ye, Horesh, Wang, Shir and Bäck \
            (2020)",
            |context| {
                flips(context, Genes::PowerLaw(PowerLaw::of(1.5, BITS)), &power_law(1.5, BITS))
            },
        ),
        check(
            slot,
            "bit-flip",
            "the rate follows the power law of Doerr, Le, Makhmara and Nguyen (2017)",
            |context| {
                let rates = power_law(1.5, BITS);
                let rate = |k: usize| k as f64 / BITS as f64;
                let chance =
                    |bits| (1..=BITS / 2).map(|k| rates[k] * binomial(rate(k), bits)).sum::<f64>();
                let law: Vec<f64> = (0..=BITS).map(chance).collect();
                flips(context, Genes::PowerLawRate(PowerLaw::of(1.5, BITS)), &law)
            },
        ),
    ]
}

/// Returns the probability that this number of [`BITS`] flips, each with this rate.
fn binomial(rate: f64, bits: usize) -> f64 {
    choices(bits) * rate.powi(bits as i32) * (1.0 - rate).powi((BITS - bits) as i32)
}

/// Returns the number of sets of this many bits.
fn choices(bits: usize) -> f64 {
    (0..bits).map(|bit| (BITS - bit) as f64 / (bit + 1) as f64).product()
}

/// Returns the probabilities given that at least one bit flips.
fn given_any(law: &[f64]) -> Vec<f64> {
    let any: f64 = law[1..].iter().sum();
    std::iter::once(0.0).chain(law[1..].iter().map(|chance| chance / any)).collect()
}

/// Returns the probability of each number from 0 to `length`: k^-beta up to half of the length.
fn power_law(beta: f64, length: usize) -> Vec<f64> {
    let weight = |k: usize| {
        if (1..=length / 2).contains(&k) { (k as f64).powf(-beta) } else { 0.0 }
    };
    let weights: Vec<f64> = (0..=length).map(weight).collect();
    given_any(&weights)
}

/// Compares the number of bits that flip, and the place of the first of them, with probabilities by
/// the number of bits.
fn flips(context: &mut CheckContext<'_>, genes: Genes, law: &[f64]) -> Finding {
    let mut counts = BTreeMap::new();
    for (mutant, count) in mutants(context, MutationKind::BitFlip { genes }, &[0; BITS]) {
        let bits = mutant.iter().filter(|bit| **bit == 1).count();
        let first = mutant.iter().position(|bit| *bit == 1).unwrap_or(BITS);
        *counts.entry(vec![bits as u8, first as u8]).or_insert(0.0) += count;
    }
    let mut chances = Chances::new();
    chances.insert(vec![0, BITS as u8], law[0]);
    for (bits, chance) in law.iter().enumerate().skip(1) {
        for first in 0..=BITS - bits {
            // The other bits are any of those behind the first.
            let behind = BITS - 1 - first;
            let sets: f64 =
                (0..bits - 1).map(|bit| (behind - bit) as f64 / (bit + 1) as f64).product();
            chances.insert(vec![bits as u8, first as u8], chance * sets / choices(bits));
        }
    }
    outcomes(&counts, &chances)
}

fn mutants(
    context: &mut CheckContext<'_>,
    kind: MutationKind,
    row: &[u8],
) -> BTreeMap<Vec<u8>, f64> {
    let problem = match row.len() {
        PLACES => &context.problems.permutation,
        DIGITS => &context.problems.digits,
        _ => &context.problems.bits,
    };
    let parents = |needed: usize| vec![0; needed];
    let made = context.subject.vary(
        problem,
        &mutating(kind, 1.0),
        row,
        &parents,
        MUTANTS,
        &mut context.random,
    );
    let mut counts = BTreeMap::new();
    for mutant in made.chunks_exact(row.len()) {
        *counts.entry(mutant.to_vec()).or_insert(0.0) += 1.0;
    }
    counts
}

/// Tests resets of eight genes with eight values each.
fn reset(context: &mut CheckContext<'_>, different: bool) -> Finding {
    let row = [3, 0, 7, 1, 4, 2, 6, 5];
    let mut chances = Chances::new();
    for place in 0..DIGITS {
        let values: Vec<u8> = (0..8).filter(|value| !different || *value != row[place]).collect();
        for value in &values {
            let mut mutant = row.to_vec();
            mutant[place] = *value;
            *chances.entry(mutant).or_insert(0.0) += 1.0 / (DIGITS * values.len()) as f64;
        }
    }
    outcomes(
        &mutants(context, MutationKind::Reset { genes: Genes::One, different }, &row),
        &chances,
    )
}
