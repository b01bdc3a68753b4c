//! Checks of whole algorithms. The populations of their first generations are compared with every
//! outcome that the definitions allow.

use super::statistic::{Finding, outcomes};
use super::textbook::Chances;
use super::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::problem::{Genome, Problem, fixtures};
use crate::random::draws::Random;
use crate::record::TrialResult;
use crate::search::algorithms::{DifferentialEvolution, OnePlusLambdaLambda};
use crate::search::start::GivenGenomes;
use crate::search::{Algorithm, OnSuccess, OperatorSet, Seeds, Start, Stop, Trace, executor_for};
use crate::system::interrupt::Interrupt;
use rand::Rng;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of trials per check.
const TRIALS: u32 = 20_000;
/// Number of bits in the (1+(λ,λ)) checks.
const BITS: usize = 3;
/// Number of generations in the (1+(λ,λ)) checks.
const GENERATIONS: u64 = 3;

pub(super) fn checks() -> Vec<Check> {
    let slot = Slot::Algorithm;
    let claim = |lambda: f64| {
        format!(
            "{GENERATIONS} generations from λ = {lambda} on OneMax of {BITS} bits end and cost as \
            in Doerr and Doerr (2018)"
        )
    };
    let mut all: Vec<Check> = [1.0, 2.4]
        .into_iter()
        .map(|lambda| {
            check(slot, "one-plus-lambda-lambda", claim(lambda), move |context| {
                one_plus_lambda_lambda(context, lambda)
            })
        })
        .collect();
    all.push(check(
        slot,
        "differential-evolution",
        "children are those of rand/1/bin by Storn and Price (1997)",
        differential_evolution,
    ));
    all.push(check(
        slot,
        "differential-evolution",
        "genes stay within bounds, and no row becomes worse",
        differential_bounds,
    ));
    all
}

/// Runs trials of `generations` generations from given genomes, with all genomes in their traces.
pub(super) fn trials(
    problem: &Problem,
    algorithm: Arc<dyn Algorithm>,
    start: &[Vec<f64>],
    generations: u64,
    random: &mut Random,
    mut visit: impl FnMut(TrialResult),
) {
    let genomes = Arc::new(GivenGenomes::new(String::new(), start.to_vec()));
    let start = Start { genomes, count: start.len() };
    let stop = Stop {
        target: None,
        generations: Some(generations),
        evaluations: None,
        stagnation: None,
        trial_seconds: None,
        on_success: OnSuccess::Continue,
        keep_ended: false,
    };
    let set = OperatorSet::new(String::new(), algorithm, None, [], None);
    let mut executor = executor_for(problem, &set, &stop, Some(&start), Trace::Genomes);
    for _ in 0..TRIALS {
        let seeds = Seeds { trial: random.next_u64(), start: None, number: 0 };
        visit(executor.run(seeds, &Interrupt::default()).expect("nobody interrupts"));
    }
}

/// Counts the last genome and the evaluations after the first, in trials that start with all ones.
fn one_plus_lambda_lambda(context: &mut CheckContext<'_>, lambda: f64) -> Finding {
    let mut counts = BTreeMap::new();
    let algorithm = context.subject.one_plus_lambda_lambda(OnePlusLambdaLambda { lambda });
    let (problem, ones) = (fixtures::bits(BITS), vec![vec![1.0; BITS]]);
    trials(&problem, Arc::new(algorithm), &ones, GENERATIONS, &mut context.random, |result| {
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

/// Returns four rows; the first is so bad that every child is better.
fn rows() -> Vec<Vec<f64>> {
    [[90.0, -90.0, 90.0], [1.0, 2.0, 3.0], [5.0, -7.0, 11.0], [-3.0, 8.0, -1.0]]
        .map(|row| row.to_vec())
        .to_vec()
}

const DIFFERENTIAL: DifferentialEvolution =
    DifferentialEvolution { population: 4, weight: 0.5, crossover_rate: 0.7 };

/// Counts the first row after one generation.
fn differential_evolution(context: &mut CheckContext<'_>) -> Finding {
    let (mut counts, rows) = (BTreeMap::new(), rows());
    let length = rows[0].len();
    let bytes = |row: &[f64]| row.iter().flat_map(|gene| gene.to_le_bytes()).collect::<Vec<u8>>();
    let algorithm = context.subject.differential_evolution(DIFFERENTIAL);
    let problem = fixtures::reals(length);
    trials(&problem, Arc::new(algorithm), &rows, 1, &mut context.random, |result| {
        let Some(Genome::F64(genes)) = result.traced_genes else { return };
        *counts.entry(bytes(&genes[4 * length..][..length])).or_insert(0.0) += 1.0;
    });
    let DifferentialEvolution { weight, crossover_rate, .. } = DIFFERENTIAL;
    let mut chances = Chances::new();
    for [base, plus, minus] in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
        for mask in 1..1usize << length {
            let taken = |locus: usize| mask >> locus & 1 == 1;
            let child: Vec<f64> = (0..length)
                .map(|locus| match taken(locus) {
                    true => rows[base][locus] + weight * (rows[plus][locus] - rows[minus][locus]),
                    false => rows[0][locus],
                })
                .collect();
            // One gene always comes from the mutant; each other gene does so with the crossover
            // rate.
            let others = mask.count_ones() as i32 - 1;
            let drawn = crossover_rate.powi(others)
                * (1.0 - crossover_rate).powi(length as i32 - 1 - others);
            let chance = f64::from(mask.count_ones()) / length as f64 * drawn;
            *chances.entry(bytes(&child)).or_insert(0.0) += chance / 6.0;
        }
    }
    outcomes(&counts, &chances)
}

/// Checks rows near the bounds, whose differences lead out of bounds.
fn differential_bounds(context: &mut CheckContext<'_>) -> Finding {
    let rows: Vec<Vec<f64>> = [[99.0, -99.0], [-98.0, 97.0], [96.0, 95.0], [-94.0, -93.0]]
        .map(|row| row.to_vec())
        .to_vec();
    let algorithm = context.subject.differential_evolution(DIFFERENTIAL);
    let (mut cases, mut breaches) = (0, 0);
    trials(&fixtures::reals(2), Arc::new(algorithm), &rows, 5, &mut context.random, |result| {
        let Some(Genome::F64(genes)) = result.traced_genes else { return };
        cases += 1;
        let fitness = |row: &[f64]| row.iter().map(|gene| gene * gene).sum::<f64>();
        let within = genes.iter().all(|gene| (-100.0..=100.0).contains(gene));
        let better = genes
            .chunks(2)
            .zip(genes.chunks(2).skip(4))
            .all(|(old, new)| fitness(new) <= fitness(old));
        breaches += u64::from(!within || !better);
    });
    Finding::promise(cases, breaches)
}
