//! Check of variable neighbourhood search: evaluations and fitness after some climbs, against every
//! sequence of moves on an enumerated landscape.

use super::climbs::{climb, key, shake_and_climb, spent};
use super::landscapes::Landscape;
use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::Rearrangement;
use crate::operators::operator::Slot;
use crate::search::algorithms::VariableNeighborhoodSearch;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of climbs, the first from the start.
const CLIMBS: u64 = 6;
/// Greatest number of random moves.
const MOST: usize = 3;
/// First genome. Some local optima are worse than others.
const START: [u8; 4] = [0, 1, 2, 3];

pub(super) fn checks() -> Vec<Check> {
    let source = "Mladenović and Hansen (1997)";
    let of = |(moves, kind)| {
        let claim = format!("{CLIMBS} climbs by {moves} cost and reach what they do in {source}");
        check(Slot::Algorithm, "variable-neighborhood-search", claim, move |context| {
            climbs(context, kind)
        })
    };
    let kinds = [
        ("exchanges", Rearrangement::Swap),
        ("reversals", Rearrangement::Reversal),
        ("insertions", Rearrangement::Insertion),
    ];
    kinds.map(of).into()
}

/// Counts the evaluations and the fitness of the last genome.
fn climbs(context: &mut CheckContext<'_>, kind: Rearrangement) -> Finding {
    let settings = VariableNeighborhoodSearch { most_moves: MOST, neighbors: kind };
    let algorithm = context.subject.algorithm(Arc::new(settings));
    let on = Landscape::Kings(kind);
    let (problem, start) = (on.problem(START.len()), [START.map(f64::from).to_vec()]);
    let mut counts = BTreeMap::new();
    trials(&problem, &algorithm, &start, CLIMBS, &mut context.random, |result| {
        let last = result.trace.last().map_or(u64::MAX, |row| row.best as u64);
        *counts.entry(key(result.evaluations, last)).or_insert(0.0) += 1.0;
    });
    let (mut known, mut shaken) = (BTreeMap::new(), BTreeMap::new());
    // Local optimum, random moves of the next climb, and evaluations.
    let first = climb(&START, on).into_iter();
    let mut states: BTreeMap<(Vec<u8>, usize, u64), f64> = first
        .map(|((genome, moves), chance)| ((genome, 1, spent(&START, on, moves)), chance))
        .collect();
    for _ in 1..CLIMBS {
        let mut next = BTreeMap::new();
        for ((genome, moves, evaluations), chance) in states {
            let ends = shaken
                .entry((genome.clone(), moves))
                .or_insert_with(|| shake_and_climb(&genome, on, moves, &mut known));
            for ((end, steps), part) in &*ends {
                let spent = evaluations + spent(&START, on, *steps);
                let to = match on.fitness(end) < on.fitness(&genome) {
                    true => (end.clone(), 1, spent),
                    false => (genome.clone(), if moves < MOST { moves + 1 } else { 1 }, spent),
                };
                *next.entry(to).or_insert(0.0) += chance * part;
            }
        }
        states = next;
    }
    let mut chances = Chances::new();
    for ((genome, _, evaluations), chance) in states {
        *chances.entry(key(evaluations, on.fitness(&genome) as u64)).or_insert(0.0) += chance;
    }
    outcomes(&counts, &chances)
}
