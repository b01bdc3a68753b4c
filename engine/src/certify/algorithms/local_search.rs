//! Checks of searches that move one genome: their states after some moves, against every sequence
//! of moves that their definitions allow.

use super::landscapes::one_changed;
use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{Genes, MutationKind, Rearrangement};
use crate::problem::{Genome, Problem, fixtures};
use crate::search::Algorithm;
use crate::search::algorithms::{LateAcceptance, TabuSearch, ThresholdAccepting};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Greatest value of a gene.
const MOST: u8 = 7;
/// Number of genes.
const LENGTH: usize = 2;
/// First genome.
const START: [u8; LENGTH] = [2, 5];
/// Number of generations.
const GENERATIONS: usize = 3;
/// Number of proposals in a generation.
const MOVES: usize = 2;
/// Another value for a random gene.
const RESET: MutationKind = MutationKind::Reset { genes: Genes::One, different: true };

pub(super) fn checks() -> Vec<Check> {
    let tabu = |words: &str, case: Case| {
        let claim = format!("{} moves {words} are those of Glover (1989)", case.moves);
        check(Slot::Algorithm, "tabu-search", claim, move |context| tabu_search(context, &case))
    };
    let digits = Case {
        problem: fixtures::digits,
        start: &START,
        step: other_values,
        moves: 5,
        settings: TabuSearch { tenure: 2, random_tenure: 1, neighbors: Rearrangement::Swap },
    };
    let bits = Case {
        problem: fixtures::bits,
        start: &[1, 0, 1],
        step: flips,
        moves: 6,
        settings: TabuSearch { tenure: 2, random_tenure: 2, neighbors: Rearrangement::Swap },
    };
    let swapped = Case {
        problem: fixtures::permutation,
        start: &[0, 1, 2, 3],
        step: swaps,
        moves: 3,
        settings: TabuSearch { tenure: 1, random_tenure: 1, neighbors: Rearrangement::Swap },
    };
    let claim = |words: &str| format!("the genome after {GENERATIONS} generations {words}");
    vec![
        check(
            Slot::Algorithm,
            "threshold-accepting",
            claim("is that of Dueck and Scheuer (1990)"),
            threshold_accepting,
        ),
        check(
            Slot::Algorithm,
            "late-acceptance",
            claim("is that of Burke and Bykov (2017)"),
            late_acceptance,
        ),
        tabu("that change digits", digits),
        tabu("that flip bits", bits),
        tabu("that swap positions", swapped),
    ]
}

fn fitness(genome: &[u8]) -> f64 {
    genome.iter().map(|gene| f64::from(*gene)).sum()
}

/// Returns the neighbours of a genome: one gene takes another value.
fn neighbors(genome: &[u8]) -> Vec<Vec<u8>> {
    one_changed(genome, MOST)
}

/// Counts the last genomes of an algorithm's trials.
fn last_genomes(
    context: &mut CheckContext<'_>,
    algorithm: Arc<dyn Algorithm>,
) -> BTreeMap<Vec<u8>, f64> {
    let algorithm = context.subject.algorithm(algorithm);
    let start = [START.map(f64::from).to_vec()];
    let mut counts = BTreeMap::new();
    let (problem, generations) = (fixtures::digits(LENGTH), GENERATIONS as u64);
    trials(&problem, &algorithm, &start, generations, &mut context.random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        *counts.entry(genes[genes.len() - LENGTH..].to_vec()).or_insert(0.0) += 1.0;
    });
    counts
}

fn threshold_accepting(context: &mut CheckContext<'_>) -> Finding {
    let (threshold, cooling) = (3.0, 0.6);
    let settings = ThresholdAccepting { threshold, cooling, moves: MOVES, mutation: RESET };
    let counts = last_genomes(context, Arc::new(settings));
    let mut states = Chances::from([(START.to_vec(), 1.0)]);
    for number in 0..GENERATIONS * MOVES {
        let threshold = threshold * cooling.powi((number / MOVES) as i32);
        let mut next = Chances::new();
        for (genome, chance) in states {
            let neighbors = neighbors(&genome);
            let each = chance / neighbors.len() as f64;
            for neighbor in neighbors {
                let accepted = fitness(&neighbor) - fitness(&genome) < threshold;
                let to = if accepted { neighbor } else { genome.clone() };
                *next.entry(to).or_insert(0.0) += each;
            }
        }
        states = next;
    }
    outcomes(&counts, &states)
}

fn late_acceptance(context: &mut CheckContext<'_>) -> Finding {
    const HISTORY: usize = 2;
    let settings = LateAcceptance { history: HISTORY, moves: MOVES, mutation: RESET };
    let counts = last_genomes(context, Arc::new(settings));
    // A genome and the history of sums.
    let first = (START.to_vec(), [START.iter().sum::<u8>(); HISTORY]);
    let mut states = BTreeMap::from([(first, 1.0)]);
    for number in 0..GENERATIONS * MOVES {
        let mut next = BTreeMap::new();
        for ((genome, history), chance) in states {
            let sum = |genome: &[u8]| genome.iter().sum::<u8>();
            let neighbors = neighbors(&genome);
            let each = chance / neighbors.len() as f64;
            for neighbor in neighbors {
                let mut history: [u8; HISTORY] = history;
                let late = &mut history[number % HISTORY];
                let accepted = sum(&neighbor) < *late || sum(&neighbor) <= sum(&genome);
                let to = if accepted { neighbor } else { genome.clone() };
                *late = (*late).min(sum(&to));
                *next.entry((to, history)).or_insert(0.0) += each;
            }
        }
        states = next;
    }
    let mut chances = Chances::new();
    for ((genome, _), chance) in states {
        *chances.entry(genome).or_insert(0.0) += chance;
    }
    outcomes(&counts, &chances)
}

/// Attribute of a move: a bit or a gene's value, or two positions.
type Attribute = (usize, usize);

/// Neighbour of a genome: it, the attribute of the move to it, and the attribute of the move back.
type Neighbor = (Vec<u8>, Attribute, Attribute);

/// Case of tabu search.
struct Case {
    problem: fn(usize) -> Problem,
    start: &'static [u8],
    step: fn(&[u8]) -> Vec<Neighbor>,
    moves: u64,
    settings: TabuSearch,
}

fn other_values(genome: &[u8]) -> Vec<Neighbor> {
    let changed = |neighbor: Vec<u8>| {
        let at = (0..genome.len()).find(|at| neighbor[*at] != genome[*at]).unwrap_or(0);
        let (to, back) = ((at, usize::from(neighbor[at])), (at, usize::from(genome[at])));
        (neighbor, to, back)
    };
    neighbors(genome).into_iter().map(changed).collect()
}

fn flips(genome: &[u8]) -> Vec<Neighbor> {
    let flipped = |at: usize| {
        let mut neighbor = genome.to_vec();
        neighbor[at] ^= 1;
        (neighbor, (at, 0), (at, 0))
    };
    (0..genome.len()).map(flipped).collect()
}

fn swaps(genome: &[u8]) -> Vec<Neighbor> {
    let swapped = |one: usize, other: usize| {
        let mut neighbor = genome.to_vec();
        neighbor.swap(one, other);
        (neighbor, (one, other), (one, other))
    };
    (0..genome.len()).flat_map(|one| (0..one).map(move |other| swapped(one, other))).collect()
}

/// State of tabu search: the genomes so far, and for each attribute that is forbidden the number of
/// the last move at which it is.
type Tabu = (Vec<Vec<u8>>, BTreeMap<Attribute, u64>);

/// Counts the genomes of all moves.
fn tabu_search(context: &mut CheckContext<'_>, case: &Case) -> Finding {
    let algorithm = context.subject.algorithm(Arc::new(case.settings));
    let (length, mut counts) = (case.start.len(), BTreeMap::new());
    let start = [case.start.iter().map(|gene| f64::from(*gene)).collect()];
    let problem = (case.problem)(length);
    trials(&problem, &algorithm, &start, case.moves, &mut context.random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        *counts.entry(genes).or_insert(0.0) += 1.0;
    });
    let mut states: BTreeMap<Tabu, f64> =
        BTreeMap::from([((vec![case.start.to_vec()], BTreeMap::new()), 1.0)]);
    for number in 1..=case.moves {
        let mut next = BTreeMap::new();
        for ((path, forbidden), chance) in states {
            let genome = &path[path.len() - 1];
            let least = path.iter().map(|genome| fitness(genome)).fold(f64::INFINITY, f64::min);
            let is_free = |(neighbor, to, _): &Neighbor| {
                forbidden.get(to).is_none_or(|until| *until < number) || fitness(neighbor) < least
            };
            let free: Vec<Neighbor> = (case.step)(genome).into_iter().filter(is_free).collect();
            let best = free.iter().map(|one| fitness(&one.0)).fold(f64::INFINITY, f64::min);
            let best: Vec<&Neighbor> = free.iter().filter(|one| fitness(&one.0) == best).collect();
            if best.is_empty() {
                let stays = [&path[..], std::slice::from_ref(genome)].concat();
                *next.entry((stays, forbidden)).or_insert(0.0) += chance;
                continue;
            }
            let TabuSearch { tenure, random_tenure, .. } = case.settings;
            let each = chance / (best.len() * (random_tenure + 1)) as f64;
            for (neighbor, _, back) in best {
                for longer in 0..=random_tenure {
                    let mut forbidden = forbidden.clone();
                    forbidden.insert(*back, number + (tenure + longer) as u64);
                    let longer = [&path[..], std::slice::from_ref(neighbor)].concat();
                    *next.entry((longer, forbidden)).or_insert(0.0) += each;
                }
            }
        }
        states = next;
    }
    let mut chances = Chances::new();
    for ((path, _), chance) in states {
        *chances.entry(path.concat()).or_insert(0.0) += chance;
    }
    outcomes(&counts, &chances)
}
