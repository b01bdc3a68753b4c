//! Tests of searches and of the executor, on problems with known fitness.

mod births;
mod bit_strings;
mod budgets;
mod build;
mod constraints;
mod diversity;
mod duplicates;
mod evolution;
mod failures;
mod hill_climbing;
mod interrupts;
mod invariance;
mod local_searches;
mod noise;
mod operator_counts;
mod pairs;
mod registry;
mod restarts;
mod simulated_annealing;
mod stop_rules;
mod trace;
mod trials;

use super::executor_for;
use crate::operators::{
    Genes, Mutation, MutationKind, Rearrangement, Replacement, Scaling, Schedules, Selection,
};
use crate::problem::Problem;
use crate::record::TrialRecord;
use crate::search::Seeds;
use crate::search::algorithms::{
    Exhaustive, HillClimbing, PivotingRule, RandomSearch, SimulatedAnnealing,
};
use crate::search::{Algorithm, Arm, Evolutionary, OnSuccess, OperatorSet, Stop, Trace};
use crate::system::interrupt::Interrupt;
use std::sync::Arc;

/// Stop rules that never end a trial.
const ENDLESS: Stop = Stop {
    target: None,
    generations: None,
    evaluations: None,
    stagnation: None,
    diversity: None,
    trial_seconds: None,
    on_success: OnSuccess::Stop,
    keep_ended: false,
};

const FLIP: MutationKind = MutationKind::BitFlip { genes: Genes::One };

/// Wraps an algorithm as the operator set holds it.
fn made(algorithm: impl Algorithm) -> Arc<dyn Algorithm> {
    Arc::new(algorithm)
}

fn exhaustive(population: usize) -> Arc<dyn Algorithm> {
    made(Exhaustive { population })
}

fn random_search(population: usize) -> Arc<dyn Algorithm> {
    made(RandomSearch { population })
}

/// Returns hill climbing with restarts and without sideways moves.
fn hill_climbing(pivoting_rule: PivotingRule) -> Arc<dyn Algorithm> {
    let settings =
        HillClimbing { pivoting_rule, sideways: 0, restarts: true, neighbors: Rearrangement::Swap };
    made(settings)
}

fn annealing(temperature: f64, cooling: f64, moves: usize) -> Arc<dyn Algorithm> {
    let settings = SimulatedAnnealing { temperature, cooling, moves, mutation: FLIP };
    made(settings)
}

fn evolutionary(population: usize, replacement: Replacement) -> Evolutionary {
    Evolutionary {
        population,
        scaling: Scaling::None,
        selection: Selection::Uniform,
        mix: None,
        crossover: None,
        mutation: Some(Mutation { kind: FLIP, rate: 1.0 }),
        replacement,
        sharing: None,
        schedules: Schedules::NONE,
    }
}

/// Returns the algorithms under test, with settings that fit a problem of bits.
fn all_algorithms() -> [Arc<dyn Algorithm>; 6] {
    [
        made(evolutionary(4, Replacement::Generational)),
        random_search(4),
        hill_climbing(PivotingRule::Steepest),
        hill_climbing(PivotingRule::FirstImprovement),
        annealing(1.0, 0.9, 4),
        exhaustive(4),
    ]
}

fn seeds(trial: u64) -> Seeds {
    Seeds { trial, start: None, number: 0 }
}

fn operator_set(algorithm: &Arc<dyn Algorithm>) -> OperatorSet {
    OperatorSet::new(String::new(), algorithm.clone(), None, [], None)
}

/// Returns an arm without given genomes and without a trace.
fn arm<'arm>(problem: &'arm Problem, operators: &'arm OperatorSet, stop: &'arm Stop) -> Arm<'arm> {
    operators.arm(problem, stop, None, Trace::None)
}

/// Runs the trial with seed 1.
fn run(
    problem: &Problem,
    algorithm: &Arc<dyn Algorithm>,
    stop: &Stop,
    trace: Trace,
) -> TrialRecord {
    run_seed(problem, algorithm, stop, trace, 1)
}

fn run_seed(
    problem: &Problem,
    algorithm: &Arc<dyn Algorithm>,
    stop: &Stop,
    trace: Trace,
    seed: u64,
) -> TrialRecord {
    run_set(problem, &operator_set(algorithm), stop, trace, seeds(seed))
}

fn run_set(
    problem: &Problem,
    set: &OperatorSet,
    stop: &Stop,
    trace: Trace,
    seeds: Seeds,
) -> TrialRecord {
    let mut executor = executor_for(problem, set, stop, None, trace);
    executor.run(seeds, &Interrupt::default()).expect("nobody interrupts")
}
