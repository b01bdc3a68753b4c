//! Checks of searches that move one genome: their states after some moves, against every sequence
//! of moves that their definitions allow.

use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::operators::{Genes, MutationKind};
use crate::problem::{Genome, fixtures};
use crate::search::Algorithm;
use crate::search::algorithms::{LateAcceptance, ThresholdAccepting};
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
    ]
}

fn fitness(genome: &[u8]) -> f64 {
    genome.iter().map(|gene| f64::from(*gene)).sum()
}

/// Returns the neighbours of a genome: one gene takes another value.
fn neighbors(genome: &[u8]) -> Vec<Vec<u8>> {
    let changed = |at: usize| {
        (0..=MOST).filter(move |value| *value != genome[at]).map(move |value| {
            let mut neighbor = genome.to_vec();
            neighbor[at] = value;
            neighbor
        })
    };
    (0..genome.len()).flat_map(changed).collect()
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
