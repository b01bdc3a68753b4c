//! Solvers and executor on problems whose fitness is written down.

mod budgets;
mod constraints;
mod evolution;
mod failures;
mod hill_climbing;
mod interrupts;
mod pairs;
mod simulated_annealing;
mod stop_rules;
mod trace;
mod trials;

use super::executor_for;
use crate::operators::{
    Algorithm, AnnealingSettings, Evolutionary, Genes, HillClimbingSettings, Mutation,
    MutationKind, OperatorSet, PivotingRule, Replacement, Scaling, Selection,
};
use crate::plan::seed::Seeds;
use crate::plan::settings::{OnSuccess, Stop, Trace};
use crate::problem::Problem;
use crate::record::TrialResult;
use crate::system::interrupt::Interrupt;

/// No stop rule.
const ENDLESS: Stop = Stop {
    target: None,
    generations: None,
    evaluations: None,
    stagnation: None,
    trial_seconds: None,
    on_success: OnSuccess::Stop,
    keep_ended: false,
};

const FLIP: MutationKind = MutationKind::BitFlip { genes: Genes::One };

fn exhaustive(population: usize) -> Algorithm {
    Algorithm::Exhaustive { population }
}

fn random_search(population: usize) -> Algorithm {
    Algorithm::RandomSearch { population }
}

/// With restarts, without sideways moves.
fn hill_climbing(pivoting_rule: PivotingRule) -> Algorithm {
    let settings = HillClimbingSettings { pivoting_rule, sideways: 0, restarts: true };
    Algorithm::HillClimbing(settings)
}

fn annealing(temperature: f64, cooling: f64, moves: usize) -> Algorithm {
    let settings = AnnealingSettings { temperature, cooling, moves, mutation: FLIP };
    Algorithm::SimulatedAnnealing(settings)
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
    }
}

/// Every algorithm, with settings that fit a problem of bits.
fn all_algorithms() -> [Algorithm; 6] {
    [
        Algorithm::Evolutionary(evolutionary(4, Replacement::Generational)),
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

fn operator_set(algorithm: &Algorithm) -> OperatorSet {
    OperatorSet::new(String::new(), algorithm.clone(), None, [])
}

/// The trial of seed 1.
fn run(problem: &Problem, algorithm: &Algorithm, stop: &Stop, trace: Trace) -> TrialResult {
    run_seed(problem, algorithm, stop, trace, 1)
}

fn run_seed(
    problem: &Problem,
    algorithm: &Algorithm,
    stop: &Stop,
    trace: Trace,
    seed: u64,
) -> TrialResult {
    run_set(problem, &operator_set(algorithm), stop, trace, seeds(seed))
}

fn run_set(
    problem: &Problem,
    set: &OperatorSet,
    stop: &Stop,
    trace: Trace,
    seeds: Seeds,
) -> TrialResult {
    let mut executor = executor_for(problem, set, stop, None, trace);
    executor.run(seeds, &Interrupt::default()).expect("nobody interrupts")
}
