//! Check of iterated local search: evaluations and fitness after some climbs, against every
//! sequence of moves on an enumerated landscape with local optima of several values.

use super::climbs::{climb, key, shake_and_climb, spent};
use super::landscapes::Landscape;
use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::Rearrangement;
use crate::operators::operator::Slot;
use crate::search::algorithms::IteratedLocalSearch;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of climbs, the first from the start.
const CLIMBS: u64 = 4;
/// Random moves away from a local optimum.
const PERTURBATION: usize = 2;
/// Lengths of genomes: of 4, some local optima are worse than others, and all of 6 are equal.
const LENGTHS: [u8; 2] = [4, 6];

pub(super) fn checks() -> Vec<Check> {
    let of = |length: u8| {
        let claim = format!(
            "{CLIMBS} climbs by exchanges of {length} genes cost and reach what they do in \
            Lourenço et al. (2003)"
        );
        let start: Vec<u8> = (0..length).collect();
        check(Slot::Algorithm, "iterated-local-search", claim, move |context| {
            climbs(context, &start)
        })
    };
    LENGTHS.map(of).into()
}

/// Counts the evaluations and the fitness of the last genome.
fn climbs(context: &mut CheckContext<'_>, start: &[u8]) -> Finding {
    let on = Landscape::Kings(Rearrangement::Swap);
    let settings =
        IteratedLocalSearch { perturbation: PERTURBATION, neighbors: Rearrangement::Swap };
    let algorithm = context.subject.algorithm(Arc::new(settings));
    let problem = on.problem(start.len());
    let given = [start.iter().copied().map(f64::from).collect()];
    let mut counts = BTreeMap::new();
    trials(&problem, &algorithm, &given, CLIMBS, &mut context.random, |result| {
        let last = result.trace.last().map_or(u64::MAX, |row| row.best as u64);
        *counts.entry(key(result.evaluations, last)).or_insert(0.0) += 1.0;
    });
    let (mut known, mut shaken) = (BTreeMap::new(), BTreeMap::new());
    // Local optimum that the search goes on from, and evaluations.
    let first = climb(start, on).into_iter();
    let mut states: BTreeMap<(Vec<u8>, u64), f64> = first
        .map(|((genome, moves), chance)| ((genome, spent(start, on, moves)), chance))
        .collect();
    for _ in 1..CLIMBS {
        let mut next = BTreeMap::new();
        for ((genome, evaluations), chance) in states {
            let ends = shaken
                .entry(genome.clone())
                .or_insert_with(|| shake_and_climb(&genome, on, PERTURBATION, &mut known));
            for ((end, steps), part) in &*ends {
                let is_worse = on.fitness(end) > on.fitness(&genome);
                let at = if is_worse { &genome } else { end };
                let evaluations = evaluations + spent(start, on, *steps);
                *next.entry((at.clone(), evaluations)).or_insert(0.0) += chance * part;
            }
        }
        states = next;
    }
    let mut chances = Chances::new();
    for ((genome, evaluations), chance) in states {
        *chances.entry(key(evaluations, on.fitness(&genome) as u64)).or_insert(0.0) += chance;
    }
    outcomes(&counts, &chances)
}
