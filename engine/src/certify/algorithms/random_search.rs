//! Checks of random search: its genomes are independent and equally likely (Brooks 1958,
//! doi:10.1287/opre.6.2.244).

use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::problem::{Genome, fixtures};
use crate::search::algorithms::RandomSearch;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn checks() -> Vec<Check> {
    let slot = Slot::Algorithm;
    vec![
        check(slot, "random-search", "all sequences of 4 genomes are equally likely", sequences),
        check(slot, "random-search", "the best of 12 genomes is that of 12 fair draws", best),
    ]
}

/// Counts the genomes of two generations of two samples.
fn sequences(context: &mut CheckContext<'_>) -> Finding {
    const BITS: usize = 2;
    const GENES: usize = 4 * BITS;
    let algorithm = context.subject.algorithm(Arc::new(RandomSearch { population: 2 }));
    let mut counts = BTreeMap::new();
    trials(&fixtures::bits(BITS), &algorithm, &[], 1, &mut context.random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        *counts.entry(genes).or_insert(0.0) += 1.0;
    });
    let sequence = |number: usize| (0..GENES).map(|at| (number >> at & 1) as u8).collect();
    let all = 1 << GENES;
    let chances: Chances = (0..all).map(|number| (sequence(number), 1.0 / all as f64)).collect();
    outcomes(&counts, &chances)
}

/// Counts the fitness of the best genome of three generations of four samples.
fn best(context: &mut CheckContext<'_>) -> Finding {
    const BITS: i32 = 6;
    const SAMPLES: i32 = 12;
    let algorithm = context.subject.algorithm(Arc::new(RandomSearch { population: 4 }));
    let (mut counts, mut others) = (BTreeMap::new(), 0);
    trials(&fixtures::bits(BITS as usize), &algorithm, &[], 2, &mut context.random, |result| {
        let best = result.best_fitness.map_or(u8::MAX, |best| best as u8);
        others += u64::from(result.evaluations != SAMPLES as u64);
        *counts.entry(vec![best]).or_insert(0.0) += 1.0;
    });
    // Chance that a genome has at least this number of ones.
    let sets =
        |ones: i32| (0..ones).map(|bit| f64::from(BITS - bit) / f64::from(bit + 1)).product();
    let at_least = |ones: i32| (ones..=BITS).map(|ones| -> f64 { sets(ones) }).sum::<f64>() / 64.0;
    let chance = |ones: i32| at_least(ones).powi(SAMPLES) - at_least(ones + 1).powi(SAMPLES);
    let chances: Chances = (0..=BITS).map(|ones| (vec![ones as u8], chance(ones))).collect();
    outcomes(&counts, &chances).and(others == 0, "trials of other lengths")
}
