//! Checks of mutations of integers and permutations. All mutants are compared with the textbook's
//! results for every choice.

use super::fixtures::{DIGITS, PLACES, mutating};
use super::statistic::{Finding, outcomes};
use super::textbook::{self, Chances};
use super::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{Genes, MutationKind};
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
                let chances = (0..super::fixtures::BITS).map(|place| {
                    let mut row = vec![0; super::fixtures::BITS];
                    row[place] = 1;
                    (row, 1.0 / super::fixtures::BITS as f64)
                });
                let kind = MutationKind::BitFlip { genes: Genes::One };
                outcomes(&mutants(context, kind, &[0; super::fixtures::BITS]), &chances.collect())
            },
        ),
    ]
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
