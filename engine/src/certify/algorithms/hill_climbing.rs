//! Checks of hill climbing on enumerated landscapes: the state after some moves and restarts,
//! against every sequence of moves that its rules allow (Russell and Norvig 2021, section 4.1).

use super::landscapes::Landscape;
use super::trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::Rearrangement;
use crate::operators::operator::Slot;
use crate::problem::Genome;
use crate::search::algorithms::{HillClimbing, PivotingRule};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Landscape with a start and the rules of the search.
#[derive(Clone, Copy)]
struct Case {
    on: Landscape,
    start: &'static [u8],
    rule: PivotingRule,
    sideways: u64,
    restarts: bool,
    generations: u64,
}

/// The best of all neighbours, of which several are equal; then a restart.
const STEEPEST: Case = Case {
    on: Landscape::Ring,
    start: &[0, 0, 0, 0],
    rule: PivotingRule::Steepest,
    sideways: 0,
    restarts: true,
    generations: 5,
};
/// The first of all neighbours that is better; then a restart.
const FIRST: Case = Case { rule: PivotingRule::FirstImprovement, generations: 4, ..STEEPEST };

pub(super) fn checks() -> Vec<Check> {
    let of = |words: &str, case: Case| {
        let claim = format!("{words}: genomes and cost are those of all ways");
        check(Slot::Algorithm, "hill-climbing", claim, move |context| climbs(context, case))
    };
    let kings =
        |kind, case: Case| Case { on: Landscape::Kings(kind), start: &[0, 1, 2, 3, 4], ..case };
    let stuck = |sideways, case: Case| Case { sideways, restarts: false, generations: 6, ..case };
    vec![
        of("the best neighbour, and restarts", STEEPEST),
        of("the best insertion, and restarts", kings(Rearrangement::Insertion, STEEPEST)),
        of("the best exchange, 1 sideways", stuck(1, kings(Rearrangement::Swap, STEEPEST))),
        of("the best reversal, 2 sideways", stuck(2, kings(Rearrangement::Reversal, STEEPEST))),
        of(
            "the first better bit, and restarts",
            Case { on: Landscape::Ones, start: &[1, 1, 0, 1], ..FIRST },
        ),
        of("the first better neighbour, 1 sideways", stuck(1, FIRST)),
        of("the first better exchange, and restarts", kings(Rearrangement::Swap, FIRST)),
    ]
}

/// State of a climb.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    genome: Vec<u8>,
    evaluations: u64,
    /// Number of completed generations.
    generations: u64,
    /// Number of moves to equals in a row.
    sideways: u64,
    /// Whether a local optimum has ended the trial.
    is_stuck: bool,
}

/// Returns the key of an outcome.
fn key(genome: &[u8], evaluations: u64, generations: u64) -> Vec<u8> {
    [genome, &evaluations.to_le_bytes(), &generations.to_le_bytes()].concat()
}

/// Counts the last genomes with the evaluations and the generations of their trials.
fn climbs(context: &mut CheckContext<'_>, case: Case) -> Finding {
    let Case { on, start, rule, sideways, restarts, generations } = case;
    let neighbors = match on {
        Landscape::Kings(kind) => kind,
        _ => Rearrangement::Swap,
    };
    let settings = HillClimbing { pivoting_rule: rule, sideways, restarts, neighbors };
    let algorithm = context.subject.algorithm(Arc::new(settings));
    let (problem, length) = (on.problem(start.len()), start.len());
    let first = [start.iter().map(|gene| f64::from(*gene)).collect()];
    let mut counts = BTreeMap::new();
    trials(&problem, &algorithm, &first, generations, &mut context.random, |result| {
        let Some(Genome::U8(genes)) = result.traced_genes else { return };
        let last = &genes[genes.len() - length..];
        let outcome = key(last, result.evaluations, result.generations);
        *counts.entry(outcome).or_insert(0.0) += 1.0;
    });
    let genomes = on.genomes(start);
    let (genome, is_stuck) = (start.to_vec(), false);
    let first = State { genome, evaluations: 1, generations: 0, sideways: 0, is_stuck };
    let mut states = BTreeMap::from([(first, 1.0)]);
    for _ in 0..generations {
        let mut next = BTreeMap::new();
        for (state, chance) in states {
            if state.is_stuck {
                *next.entry(state).or_insert(0.0) += chance;
                continue;
            }
            for (to, part) in generation(&state, &case, &genomes) {
                *next.entry(to).or_insert(0.0) += chance * part;
            }
        }
        states = next;
    }
    let mut chances = Chances::new();
    for (State { genome, evaluations, generations, .. }, chance) in states {
        *chances.entry(key(&genome, evaluations, generations)).or_insert(0.0) += chance;
    }
    outcomes(&counts, &chances)
}

/// Returns the states that one generation leads to, with their probabilities.
fn generation(state: &State, case: &Case, genomes: &[Vec<u8>]) -> Vec<(State, f64)> {
    let neighbors = case.on.neighbors(&state.genome);
    let (here, all) = (case.on.fitness(&state.genome), neighbors.len());
    let is_accepted = |genome: &&Vec<u8>| {
        let there = case.on.fitness(genome);
        there < here || there == here && state.sideways < case.sideways
    };
    let mut accepted: Vec<&Vec<u8>> = neighbors.iter().filter(is_accepted).collect();
    // Chances of the numbers of neighbours that are evaluated until one is accepted.
    let mut costs = vec![(all, 1.0)];
    match case.rule {
        PivotingRule::Steepest => {
            let least = accepted.iter().map(|genome| case.on.fitness(genome)).min();
            accepted.retain(|genome| Some(case.on.fitness(genome)) == least);
        }
        PivotingRule::FirstImprovement if !accepted.is_empty() => {
            costs.clear();
            let mut left = 1.0;
            for evaluated in 1..=all - accepted.len() + 1 {
                let hit = accepted.len() as f64 / (all - evaluated + 1) as f64;
                costs.push((evaluated, left * hit));
                left *= 1.0 - hit;
            }
        }
        PivotingRule::FirstImprovement => {}
    }
    let closed = |genome: &Vec<u8>, cost: usize, sideways: u64| State {
        genome: genome.clone(),
        evaluations: state.evaluations + cost as u64,
        generations: state.generations + 1,
        sideways,
        is_stuck: false,
    };
    if !accepted.is_empty() {
        let each = 1.0 / accepted.len() as f64;
        let moves = accepted.iter().flat_map(|genome| {
            let is_equal = case.on.fitness(genome) == here;
            let sideways = if is_equal { state.sideways + 1 } else { 0 };
            costs.iter().map(move |(cost, part)| (closed(genome, *cost, sideways), each * part))
        });
        return moves.collect();
    }
    if case.restarts {
        let each = 1.0 / genomes.len() as f64;
        return genomes.iter().map(|genome| (closed(genome, all + 1, 0), each)).collect();
    }
    let evaluations = state.evaluations + all as u64;
    vec![(State { evaluations, is_stuck: true, ..state.clone() }, 1.0)]
}
