//! Check of variable neighbourhood search: evaluations and fitness after some climbs, against every
//! sequence of moves on an enumerated landscape.

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
/// First genome.
const START: [u8; 6] = [0, 1, 2, 3, 4, 5];

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

/// Chances of genomes.
type Genomes = BTreeMap<Vec<u8>, f64>;
/// Chances of the end of a climb, with its number of moves.
type Ends = BTreeMap<(Vec<u8>, u64), f64>;

/// Returns the ends of a climb, each move to a random one of the best neighbours.
fn climb(genome: &[u8], on: Landscape) -> Ends {
    let (mut at, mut ends) = (Genomes::from([(genome.to_vec(), 1.0)]), Ends::new());
    for moves in 0.. {
        let mut next = Genomes::new();
        for (genome, chance) in at {
            let all = on.neighbors(&genome);
            let least = all.iter().map(|one| on.fitness(one)).min().unwrap_or(usize::MAX);
            if least >= on.fitness(&genome) {
                ends.insert((genome, moves), chance);
                continue;
            }
            let best: Vec<&Vec<u8>> = all.iter().filter(|one| on.fitness(one) == least).collect();
            for one in &best {
                *next.entry((*one).clone()).or_insert(0.0) += chance / best.len() as f64;
            }
        }
        if next.is_empty() {
            break;
        }
        at = next;
    }
    ends
}

/// Returns the ends of climbs that follow this number of random moves.
fn shake_and_climb(
    genome: &[u8],
    on: Landscape,
    moves: usize,
    known: &mut BTreeMap<Vec<u8>, Ends>,
) -> Ends {
    let mut at = Genomes::from([(genome.to_vec(), 1.0)]);
    for _ in 0..moves {
        let mut next = Genomes::new();
        for (genome, chance) in at {
            let all = on.neighbors(&genome);
            let each = chance / all.len() as f64;
            all.into_iter().for_each(|one| *next.entry(one).or_insert(0.0) += each);
        }
        at = next;
    }
    let mut ends = Ends::new();
    for (genome, chance) in at {
        let climbed = known.entry(genome).or_insert_with_key(|genome| climb(genome, on));
        for (end, part) in climbed {
            *ends.entry(end.clone()).or_insert(0.0) += chance * *part;
        }
    }
    ends
}

/// Returns the key of an outcome.
fn key(evaluations: u64, fitness: u64) -> Vec<u8> {
    [evaluations.to_le_bytes(), fitness.to_le_bytes()].concat()
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
    let listed = on.neighbors(&START).len() as u64;
    let (mut known, mut shaken) = (BTreeMap::new(), BTreeMap::new());
    // Local optimum, random moves of the next climb, and evaluations.
    let first = climb(&START, on).into_iter();
    let mut states: BTreeMap<(Vec<u8>, usize, u64), f64> = first
        .map(|((genome, moves), chance)| ((genome, 1, 1 + (moves + 1) * listed), chance))
        .collect();
    for _ in 1..CLIMBS {
        let mut next = BTreeMap::new();
        for ((genome, moves, evaluations), chance) in states {
            let ends = shaken
                .entry((genome.clone(), moves))
                .or_insert_with(|| shake_and_climb(&genome, on, moves, &mut known));
            for ((end, steps), part) in &*ends {
                let spent = evaluations + 1 + (steps + 1) * listed;
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
