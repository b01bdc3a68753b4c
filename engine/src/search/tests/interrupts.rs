use super::{ENDLESS, FLIP, all_algorithms, arm, made, operator_set, random_search, seeds};
use crate::operators::Rearrangement;
use crate::problem::Problem;
use crate::problem::fixtures::{bits, permutation};
use crate::record::Outcome;
use crate::search::algorithms::annealing::Annealing;
use crate::search::algorithms::hill_climbing::Climb;
use crate::search::algorithms::{HillClimbing, PivotingRule, SimulatedAnnealing};
use crate::search::evaluator::Evaluator;
use crate::search::executor::Search;
use crate::search::executor_for;
use crate::search::halt::Halt;
use crate::search::trial::Trial;
use crate::search::{Stop, Trace};
use crate::system::interrupt::Interrupt;
use std::time::Duration;

#[test]
fn an_interrupted_trial_leaves_nothing() {
    let problem = bits(5);
    for algorithm in all_algorithms() {
        let operators = operator_set(&algorithm);
        let mut executor = executor_for(&problem, &operators, &ENDLESS, None, Trace::Best);
        let interrupt = Interrupt::default();
        interrupt.raise();
        assert_eq!(executor.run(seeds(1), &interrupt), None, "{algorithm:?}");
    }
}

#[test]
fn a_trial_that_ended_is_kept_whatever_comes_after() {
    let problem = bits(5);
    let stop = Stop { generations: Some(0), ..ENDLESS };
    for algorithm in all_algorithms() {
        let operators = operator_set(&algorithm);
        let interrupt = Interrupt::default();
        interrupt.raise();
        let result = executor_for(&problem, &operators, &stop, None, Trace::Best)
            .run(seeds(1), &interrupt)
            .expect("it ended before anyone looked");
        assert_eq!(result.outcome, Outcome::Generations);
    }
}

/// Returns the number of evaluations in a generation that an interrupt or the deadline cuts short.
fn evaluations_until_cut<S: Search>(problem: &Problem, mut solver: S) -> u64 {
    let set = operator_set(&random_search(1));
    let late = Stop { trial_seconds: Some(0.0), ..ENDLESS };
    let [by_interrupt, by_clock] = [&ENDLESS, &late].map(|stop| {
        let interrupt = Interrupt::default();
        let arm = arm(problem, &set, stop);
        let mut evaluator = Evaluator::new(&arm);
        let mut trial = Trial::new(arm, &mut evaluator, seeds(1), &interrupt, Duration::ZERO);
        solver.start(&mut trial).expect("no budget");
        if stop.trial_seconds.is_none() {
            interrupt.raise();
        }
        let cut = solver.generation(&mut trial);
        assert!(matches!(cut, Err(Halt::Stopped)), "{cut:?}");
        trial.into_result(Ok(Outcome::TimedOut)).evaluations - 1
    });
    assert_eq!(by_interrupt, by_clock);
    by_clock
}

#[test]
fn long_generations_are_cut_short() {
    let settings =
        SimulatedAnnealing { temperature: 1.0, cooling: 1.0, moves: 5000, mutation: FLIP };
    let problem = bits(5);
    let set = operator_set(&made(settings));
    let annealing = Annealing::<u8>::new(&problem, &set.plugins, &settings);
    assert_eq!(evaluations_until_cut(&problem, annealing), 0);
    // There are 1,225 neighbours, none of which is better.
    let problem = permutation(50);
    for pivoting_rule in [PivotingRule::FirstImprovement, PivotingRule::Steepest] {
        let settings = HillClimbing {
            pivoting_rule,
            sideways: 0,
            restarts: true,
            neighbors: Rearrangement::Swap,
        };
        let climbing = Climb::<u8>::new(&problem, settings);
        assert_eq!(evaluations_until_cut(&problem, climbing), 0);
    }
}
