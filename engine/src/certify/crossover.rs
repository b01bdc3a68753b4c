//! Checks of crossovers that rearrange genes. All children are compared with the textbook's results
//! for every choice.

use super::fixtures::{DIGITS, PLACES, crossing};
use super::statistic::{Finding, bonferroni, outcomes, share};
use super::textbook::{self, Chances};
use super::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{CrossoverKind, Cut};
use std::collections::BTreeMap;

/// Number of pairs of children per pair of parents.
const PAIRS: usize = 10_000;

/// Pairs of permutations as parents.
const PARENTS: [[[u8; PLACES]; 2]; 4] = [
    [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]],
    [[2, 0, 5, 1, 3, 4], [1, 3, 0, 4, 5, 2]],
    [[4, 1, 3, 0, 5, 2], [4, 5, 3, 2, 0, 1]],
    [[3, 5, 1, 4, 2, 0], [0, 5, 2, 3, 1, 4]],
];

pub(super) fn checks() -> Vec<Check> {
    let digits = |cut| {
        move |context: &mut CheckContext<'_>| {
            let (a, b) = ([0; DIGITS], [1; DIGITS]);
            let cuts = if cut == Cut::Inner { 1..DIGITS } else { 0..DIGITS + 1 };
            // Genes after the cut come from the other parent.
            let chances =
                textbook::children(&a, &b, cuts.map(|cut| (cut, DIGITS)), textbook::exchange);
            outcomes(&pairs(context, CrossoverKind::OnePoint { cut }, &a, &b), &chances)
        }
    };
    let slot = Slot::Crossover;
    vec![
        check(slot, "one-point", "cuts uniform from 1 to length-1", digits(Cut::Inner)),
        check(
            slot,
            "one-point",
            "cuts uniform from 0 to length with cut = \"any\"",
            digits(Cut::Any),
        ),
        check(slot, "two-point", "all segments equally likely", |context| {
            let (a, b) = ([0; DIGITS], [1; DIGITS]);
            let chances =
                textbook::children(&a, &b, textbook::segments(DIGITS), textbook::exchange);
            outcomes(&pairs(context, CrossoverKind::TwoPoint, &a, &b), &chances)
        }),
        check(slot, "uniform", "each gene exchanged with probability 0.3", |context| {
            uniform(context, 0.3)
        }),
        check(slot, "uniform", "each gene exchanged with probability 0.5", |context| {
            uniform(context, 0.5)
        }),
        check(slot, "order", "children as defined by Davis (1985)", |context| {
            permutations(context, CrossoverKind::Order, |a, b| {
                textbook::children(a, b, textbook::segments(PLACES), textbook::order)
            })
        }),
        check(slot, "pmx", "children as defined by Goldberg and Lingle (1985)", |context| {
            permutations(context, CrossoverKind::Pmx, |a, b| {
                textbook::children(a, b, textbook::segments(PLACES), textbook::partially_mapped)
            })
        }),
        check(
            slot,
            "cycle",
            "children as defined by Oliver, Smith and Holland (1987)",
            |context| {
                permutations(context, CrossoverKind::Cycle, |a, b| {
                    Chances::from([([textbook::cycle(a, b), textbook::cycle(b, a)].concat(), 1.0)])
                })
            },
        ),
    ]
}

/// Counts the pairs of children of two parents.
fn pairs(
    context: &mut CheckContext<'_>,
    kind: CrossoverKind,
    a: &[u8],
    b: &[u8],
) -> BTreeMap<Vec<u8>, f64> {
    let set = crossing(kind, 1.0, 2);
    let problem =
        if a.len() == PLACES { &context.problems.permutation } else { &context.problems.digits };
    let parents = |needed: usize| (0..needed as u32).map(|row| row % 2).collect();
    let made = context.subject.vary(
        problem,
        &set,
        &[a, b].concat(),
        &parents,
        2 * PAIRS,
        &mut context.random,
    );
    let mut counts = BTreeMap::new();
    for pair in made.chunks_exact(2 * a.len()) {
        *counts.entry(pair.to_vec()).or_insert(0.0) += 1.0;
    }
    counts
}

/// Tests the outcomes of all pairs of parents, identified by the pair's number.
fn permutations(
    context: &mut CheckContext<'_>,
    kind: CrossoverKind,
    textbook: impl Fn(&[u8], &[u8]) -> Chances,
) -> Finding {
    let (mut counts, mut chances) = (BTreeMap::new(), Chances::new());
    for (number, [a, b]) in (0u8..).zip(&PARENTS) {
        let numbered = |mut outcome: Vec<u8>| {
            outcome.push(number);
            outcome
        };
        counts.extend(
            pairs(context, kind, a, b).into_iter().map(|(pair, count)| (numbered(pair), count)),
        );
        let share = 1.0 / PARENTS.len() as f64;
        chances.extend(
            textbook(a, b).into_iter().map(|(pair, chance)| (numbered(pair), chance * share)),
        );
    }
    let finding = outcomes(&counts, &chances);
    // If each pair of parents has one outcome, its share is fixed, not drawn. The counts are then
    // too even for chi-square.
    let fixed = chances.len() == PARENTS.len();
    Finding { p: if fixed { None } else { finding.p }, ..finding }
}

fn uniform(context: &mut CheckContext<'_>, swap: f64) -> Finding {
    let kind = CrossoverKind::Uniform { swap };
    let counted = pairs(context, kind, &[0; DIGITS], &[1; DIGITS]);
    let masks = (0..1u32 << DIGITS).map(|mask| {
        let first: Vec<u8> = (0..DIGITS).map(|place| u8::from(mask >> place & 1 == 1)).collect();
        let second: Vec<u8> = first.iter().map(|gene| 1 - gene).collect();
        let exchanged = mask.count_ones() as i32;
        let chance = swap.powi(exchanged) * (1.0 - swap).powi(DIGITS as i32 - exchanged);
        ([first, second].concat(), chance)
    });
    let together = outcomes(&counted, &masks.collect());
    // By position, a wrong probability is seen sooner.
    let pairs = PAIRS as f64;
    let each = (0..DIGITS).filter_map(|place| {
        let ones = counted.iter().filter(|(pair, _)| pair[place] == 1);
        share(ones.map(|(_, count)| count).sum(), pairs, swap).p
    });
    let positions = bonferroni(&each.collect::<Vec<f64>>());
    let both: Vec<f64> = together.p.into_iter().chain([positions]).collect();
    Finding { p: Some(bonferroni(&both)), ..together }
        .noting(&format!("p by position {positions:.3}"))
}
