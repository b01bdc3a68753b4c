//! Checks of min-conflicts: its genomes after some repairs, against every sequence of repairs that
//! the definition allows.

use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::problem::{Genome, Problem, fixtures};
use crate::search::algorithms::MinConflicts;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of repairs.
const REPAIRS: u64 = 3;

/// Case of min-conflicts.
#[derive(Clone, Copy)]
struct Case {
    problem: fn(usize) -> Problem,
    start: &'static [u8],
    clash: fn(&[u8]) -> Vec<(usize, usize)>,
    values: fn(&[u8], usize) -> Vec<Vec<u8>>,
}

pub(super) fn checks() -> Vec<Check> {
    let ring = Case {
        problem: fixtures::ring,
        start: &[0, 0, 1, 1, 1, 2],
        clash: equal_neighbors,
        values: other_values,
    };
    let kings = Case {
        problem: fixtures::kings,
        start: &[1, 0, 2, 3, 4],
        clash: close_neighbors,
        values: exchanges,
    };
    let of = |words: &str, case: Case| {
        let claim = format!("{REPAIRS} repairs {words} are those of Minton et al. (1992)");
        check(Slot::Algorithm, "min-conflicts", claim, move |context| repairs(context, case))
    };
    vec![of("that change a gene", ring), of("that exchange two", kings)]
}

/// Returns the pairs of neighbours in a ring that are equal.
fn equal_neighbors(genome: &[u8]) -> Vec<(usize, usize)> {
    let length = genome.len();
    let pairs = (0..length).map(|place| (place, (place + 1) % length));
    pairs.filter(|(one, other)| genome[*one] == genome[*other]).collect()
}

/// Returns the pairs of neighbours in a row that differ by 1.
pub(super) fn close_neighbors(genome: &[u8]) -> Vec<(usize, usize)> {
    let pairs = (1..genome.len()).map(|place| (place - 1, place));
    pairs.filter(|(one, other)| genome[*one].abs_diff(genome[*other]) == 1).collect()
}

/// Returns the genomes with each value of the gene at a place.
fn other_values(genome: &[u8], place: usize) -> Vec<Vec<u8>> {
    let with = |value| {
        let mut changed = genome.to_vec();
        changed[place] = value;
        changed
    };
    (0..=2).map(with).collect()
}

/// Returns the genomes in which a place is exchanged with each place, itself included.
pub(super) fn exchanges(genome: &[u8], place: usize) -> Vec<Vec<u8>> {
    let with = |other| {
        let mut changed = genome.to_vec();
        changed.swap(place, other);
        changed
    };
    (0..genome.len()).map(with).collect()
}

/// Counts the genomes of all repairs. A trial ends where nothing is in conflict.
fn repairs(context: &mut CheckContext<'_>, case: Case) -> Finding {
    let algorithm = context.subject.algorithm(Arc::new(MinConflicts { greedy: false }));
    let start = [case.start.iter().map(|gene| f64::from(*gene)).collect()];
    let problem = (case.problem)(case.start.len());
    let mut counts = BTreeMap::new();
    trials(&problem, &algorithm, &start, REPAIRS, &mut context.random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        *counts.entry(genes).or_insert(0.0) += 1.0;
    });
    // Genomes so far, the last of which is repaired.
    let mut states = BTreeMap::from([((case.start.to_vec(), case.start.to_vec()), 1.0)]);
    let mut chances = Chances::new();
    for _ in 0..REPAIRS {
        let mut next = BTreeMap::new();
        for ((path, genome), chance) in states {
            let clashes = (case.clash)(&genome);
            let is_in =
                |place: &usize| clashes.iter().any(|(one, other)| one == place || other == place);
            let conflicted: Vec<usize> = (0..genome.len()).filter(is_in).collect();
            if conflicted.is_empty() {
                *chances.entry(path).or_insert(0.0) += chance;
                continue;
            }
            for place in &conflicted {
                let all = (case.values)(&genome, *place);
                let fewest = all.iter().map(|one| (case.clash)(one).len()).min();
                let best = all.iter().filter(|one| Some((case.clash)(one).len()) == fewest);
                let each = chance / (conflicted.len() * best.clone().count()) as f64;
                for repaired in best {
                    let longer = [&path[..], repaired].concat();
                    *next.entry((longer, repaired.clone())).or_insert(0.0) += each;
                }
            }
        }
        states = next;
    }
    for ((path, _), chance) in states {
        *chances.entry(path).or_insert(0.0) += chance;
    }
    outcomes(&counts, &chances)
}
