//! Checks of the (1+(λ,λ)) genetic algorithm.

use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::problem::{Genome, fixtures};
use crate::search::Algorithm;
use crate::search::algorithms::OnePlusLambdaLambda;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of bits.
const BITS: usize = 3;
/// Number of generations.
const GENERATIONS: u64 = 3;

pub(super) fn checks() -> Vec<Check> {
    let claim = |lambda: f64| {
        format!(
            "{GENERATIONS} generations from λ = {lambda} on OneMax of {BITS} bits end and cost as \
            in Doerr and Doerr (2018), with the changes of Doerr et al. (2020)"
        )
    };
    let of = |lambda| {
        check(Slot::Algorithm, "one-plus-lambda-lambda", claim(lambda), move |context| {
            one_plus_lambda_lambda(context, lambda)
        })
    };
    [1.0, 2.4].map(of).into()
}

/// Counts the last genome and the evaluations after the first, in trials that start with all ones.
fn one_plus_lambda_lambda(context: &mut CheckContext<'_>, lambda: f64) -> Finding {
    let mut counts = BTreeMap::new();
    let algorithm: Arc<dyn Algorithm> = Arc::new(OnePlusLambdaLambda { lambda });
    let algorithm = context.subject.algorithm(algorithm);
    let (problem, ones) = (fixtures::bits(BITS), vec![vec![1.0; BITS]]);
    trials(&problem, &algorithm, &ones, GENERATIONS, &mut context.random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        let mut outcome = genes[genes.len() - BITS..].to_vec();
        outcome.push(result.evaluations as u8 - 1);
        *counts.entry(outcome).or_insert(0.0) += 1.0;
    });
    let mut states = vec![(1.0, vec![1; BITS], lambda, 0)];
    for _ in 0..GENERATIONS {
        let next = states.iter().flat_map(|(chance, genome, lambda, evaluations)| {
            generations_of(genome, *lambda).into_iter().map(move |(part, genome, lambda, more)| {
                (chance * part, genome, lambda, evaluations + more)
            })
        });
        states = merged(next);
    }
    let mut chances = Chances::new();
    for (chance, mut genome, _, evaluations) in states {
        genome.push(evaluations);
        *chances.entry(genome).or_insert(0.0) += chance;
    }
    outcomes(&counts, &chances)
}

/// Probability, parent, λ and evaluations of a state.
type State = (f64, Vec<u8>, f64, u8);

/// Merges states that differ only in probability.
fn merged(states: impl Iterator<Item = State>) -> Vec<State> {
    let mut all: BTreeMap<(Vec<u8>, u64, u8), f64> = BTreeMap::new();
    for (chance, genome, lambda, evaluations) in states {
        *all.entry((genome, lambda.to_bits(), evaluations)).or_insert(0.0) += chance;
    }
    all.into_iter()
        .map(|((genome, lambda, evaluations), chance)| {
            (chance, genome, f64::from_bits(lambda), evaluations)
        })
        .collect()
}

/// Returns every possible result of a generation of the (1+(λ,λ)) algorithm that minimises the sum
/// of bits.
fn generations_of(parent: &[u8], lambda: f64) -> Vec<State> {
    let (length, count) = (parent.len(), lambda.round() as usize);
    let rate = lambda / length as f64;
    let sum = |genome: &[u8]| genome.iter().map(|gene| u32::from(*gene)).sum::<u32>();
    let flipped = |mask: usize| -> Vec<u8> {
        (0..length).map(|bit| parent[bit] ^ (mask >> bit & 1) as u8).collect()
    };
    let weight = |mask: usize| mask.count_ones() as i32;
    let of_strength =
        |mask: usize| rate.powi(weight(mask)) * (1.0 - rate).powi(length as i32 - weight(mask));
    let none = of_strength(0);
    let mut states = Vec::new();
    for strength in 1..=length as i32 {
        let masks: Vec<usize> = (0..1 << length).filter(|mask| weight(*mask) == strength).collect();
        let all: f64 = masks.iter().map(|mask| of_strength(*mask)).sum();
        // The winner is one of the best mutants, each with equal probability.
        let mut winners = BTreeMap::new();
        for mutants in tuples(&masks, count) {
            let part = all / (1.0 - none) / (masks.len() as f64).powi(count as i32);
            for (share, winner) in best_of(&mutants, |mask| sum(&flipped(*mask))) {
                *winners.entry(*winner).or_insert(0.0) += part * share;
            }
        }
        for (winner, chance) in winners {
            let subsets: Vec<usize> = (0..1 << length).filter(|mask| mask & !winner == 0).collect();
            for crossings in tuples(&subsets, count) {
                let taken: i32 = crossings.iter().map(|mask| weight(*mask)).sum();
                let left = strength * count as i32 - taken;
                let part = chance * (1.0 / lambda).powi(taken) * (1.0 - 1.0 / lambda).powi(left);
                let made: Vec<usize> =
                    crossings.into_iter().filter(|mask| *mask != 0 && *mask != winner).collect();
                let evaluations = (count + made.len()) as u8;
                for (share, best) in best_of(&made, |mask| sum(&flipped(*mask))) {
                    let best =
                        if sum(&flipped(*best)) <= sum(&flipped(winner)) { *best } else { winner };
                    states.push(moved(parent, flipped(best), lambda, part * share, evaluations));
                }
                if made.is_empty() {
                    states.push(moved(parent, flipped(winner), lambda, part, evaluations));
                }
            }
        }
    }
    states
}

/// Returns the state after a generation whose best genome is `genome`.
fn moved(parent: &[u8], genome: Vec<u8>, lambda: f64, chance: f64, evaluations: u8) -> State {
    let sum = |genome: &[u8]| genome.iter().map(|gene| u32::from(*gene)).sum::<u32>();
    let (old, new) = (sum(parent), sum(&genome));
    let longer = (lambda * 1.5f64.sqrt().sqrt()).min(parent.len() as f64);
    let lambda = if new < old { (lambda / 1.5).max(1.0) } else { longer };
    (chance, if new <= old { genome } else { parent.to_vec() }, lambda, evaluations)
}

/// Returns every ordered choice of `count` of these, with repetition.
fn tuples(of: &[usize], count: usize) -> Vec<Vec<usize>> {
    (0..count).fold(vec![Vec::new()], |shorter, _| {
        let longer = |tuple: &Vec<usize>| {
            of.iter().map(|one| [&tuple[..], &[*one]].concat()).collect::<Vec<_>>()
        };
        shorter.iter().flat_map(longer).collect()
    })
}

/// Returns the least of these, each with its probability in a draw among the equal ones.
fn best_of(all: &[usize], value: impl Fn(&usize) -> u32) -> Vec<(f64, &usize)> {
    let least = all.iter().map(&value).min();
    let best: Vec<&usize> = all.iter().filter(|one| Some(value(one)) == least).collect();
    let share = 1.0 / best.len() as f64;
    best.into_iter().map(|one| (share, one)).collect()
}
