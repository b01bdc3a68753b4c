//! Checks of mutations of mixed genes, with one gene of each kind.

use super::fixtures::{WORDS, mutating};
use super::statistic::{Finding, kolmogorov_smirnov, outcomes};
use super::textbook::Chances;
use super::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{Genes, MutationKind};
use crate::stats::normal_cdf;
use std::collections::BTreeMap;

/// Number of mutants per check.
const MUTANTS: usize = 50_000;
/// Width of the numbers' bounds, -100 to 100.
const WIDTH: f64 = 200.0;
/// Number, whole number, choice and bit before their mutation.
const ROW: [f64; 4] = [0.0, 98.0, 2.0, 1.0];
/// Mean length of the steps of whole numbers.
const STEP: f64 = 4.0;

pub(super) fn checks() -> Vec<Check> {
    let slot = Slot::Mutation;
    let kind = |sigma| MutationKind::Mixed { sigma, genes: Genes::One };
    vec![
        check(slot, "mixed", "numbers: normal, sigma 0.02 of the range", move |context| {
            let made = mutants(context, kind(STEP / WIDTH));
            let mut steps: Vec<f64> =
                made.chunks_exact(4).map(|row| row[0]).filter(|step| *step != 0.0).collect();
            kolmogorov_smirnov(&mut steps, |step| normal_cdf(step / STEP))
        }),
        check(
            slot,
            "mixed",
            "one gene: whole numbers by geometric steps of mean 4, up to the bound; another \
            choice, uniform; the other bit",
            move |context| {
                let mut chances = Chances::from([(vec![0, 0], 0.25)]);
                // A step of at least this length.
                let longer = |step: i32| 0.25 * 0.5 * (1.0 - 1.0 / STEP).powi(step - 1);
                for step in 1..=98 + 100 {
                    let end = if step == 198 { 0.0 } else { longer(step + 1) };
                    chances.insert(vec![1, (198 - step) as u8], longer(step) - end);
                }
                chances.insert(vec![1, 199], longer(1) - longer(2));
                chances.insert(vec![1, 200], longer(2));
                put_others(&mut chances);
                changes(context, kind(STEP / WIDTH), &chances)
            },
        ),
        check(
            slot,
            "reset",
            "mixed genes: one gene, a new value of its kind, uniform among the others",
            |context| {
                let mut chances = Chances::from([(vec![0, 0], 0.25)]);
                for value in (0..=200).filter(|value| *value != 198) {
                    chances.insert(vec![1, value], 0.25 / 200.0);
                }
                put_others(&mut chances);
                changes(
                    context,
                    MutationKind::Reset { genes: Genes::One, different: true },
                    &chances,
                )
            },
        ),
    ]
}

/// Adds the chances of other choices and of the other bit.
fn put_others(chances: &mut Chances) {
    for word in (0..WORDS as u8).filter(|word| *word != 2) {
        chances.insert(vec![2, word], 0.25 / (WORDS - 1) as f64);
    }
    chances.insert(vec![3, 0], 0.25);
}

/// Compares the gene that changes and its new value, counted from its least, with probabilities.
/// The values of numbers are not told apart.
fn changes(context: &mut CheckContext<'_>, kind: MutationKind, chances: &Chances) -> Finding {
    let made = mutants(context, kind);
    let mut counts = BTreeMap::new();
    for row in made.chunks_exact(4) {
        let changed = (0..4).find(|locus| row[*locus] != ROW[*locus]);
        let key = match changed {
            Some(0) => vec![0, 0],
            Some(1) => vec![1, (row[1] + 100.0) as u8],
            Some(locus) => vec![locus as u8, row[locus] as u8],
            None => vec![4],
        };
        *counts.entry(key).or_insert(0.0) += 1.0;
    }
    let is_whole = made.chunks_exact(4).all(|row| row[1..].iter().all(|gene| gene.fract() == 0.0));
    outcomes(&counts, chances).and(is_whole, "a gene is no whole number")
}

fn mutants(context: &mut CheckContext<'_>, kind: MutationKind) -> Vec<f64> {
    let parents = |needed: usize| vec![0; needed];
    let (problem, set) = (&context.problems.mixed, mutating(kind, 1.0));
    context.subject.vary_real(problem, &set, &ROW, &parents, MUTANTS, &mut context.random)
}
