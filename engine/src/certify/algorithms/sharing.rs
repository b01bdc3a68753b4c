//! Checks of fitness sharing.

use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{Replacement, Scaling, Schedules, Selection};
use crate::problem::{Genome, fixtures};
use crate::search::{Evolutionary, Sharing};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Genomes of a population. Fitness is the number of ones.
const ROWS: [[u8; 6]; 5] = [
    [1, 0, 0, 0, 0, 0],
    [1, 1, 0, 0, 0, 0],
    [1, 1, 1, 0, 0, 0],
    [0, 0, 0, 0, 1, 1],
    [1, 1, 1, 1, 1, 1],
];
const RADIUS: f64 = 3.0;

pub(super) fn checks() -> Vec<Check> {
    let claim = "in proportion to weights that are shared as in Goldberg and Richardson (1987)";
    [1.0, 2.0]
        .map(|alpha| {
            let claim = format!("{claim}, alpha {alpha}");
            check(Slot::Selection, "roulette", claim, move |context| parents(context, alpha))
        })
        .into()
}

/// Counts the first child of a generation of copies.
fn parents(context: &mut CheckContext<'_>, alpha: f64) -> Finding {
    let set = Evolutionary {
        population: ROWS.len(),
        scaling: Scaling::Reciprocal,
        selection: Selection::Roulette,
        sharing: Some(Sharing { radius: RADIUS, alpha }),
        mix: None,
        crossover: None,
        mutation: None,
        replacement: Replacement::Generational,
        schedules: Schedules::NONE,
    };
    let algorithm = context.subject.algorithm(Arc::new(set));
    let problem = fixtures::bits(ROWS[0].len());
    let start = ROWS.map(|row| row.map(f64::from).to_vec());
    let mut counts = BTreeMap::new();
    trials(&problem, &algorithm, &start, 1, &mut context.random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        let mut children = genes.chunks(ROWS[0].len()).skip(ROWS.len());
        let child = children.next().expect("a generation of children");
        *counts.entry(child.to_vec()).or_insert(0.0) += 1.0;
    });
    let shared = ROWS.map(|row| {
        let share = |other: [u8; 6]| {
            let unlike = row.iter().zip(other).filter(|(one, other)| **one != *other).count();
            (1.0 - (unlike as f64 / RADIUS).powf(alpha)).max(0.0)
        };
        let ones: u8 = row.iter().sum();
        1.0 / f64::from(ones) / ROWS.map(share).iter().sum::<f64>()
    });
    let sum: f64 = shared.iter().sum();
    let chances = ROWS.iter().zip(shared).map(|(row, weight)| (row.to_vec(), weight / sum));
    outcomes(&counts, &chances.collect::<Chances>())
}
