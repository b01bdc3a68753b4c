//! Searches that move one genome, on tables of fitness.

use super::{ENDLESS, made, run, run_seed, run_set, seeds};
use crate::operators::{Constraints, Rearrangement};
use crate::problem::Genome;
use crate::problem::fixtures::{constrained_table, table};
use crate::record::{Outcome, TrialRecord};
use crate::search::algorithms::{
    IteratedLocalSearch, LateAcceptance, TabuSearch, ThresholdAccepting,
};
use crate::search::{Algorithm, OperatorSet, Stop, Trace};
use std::sync::Arc;

/// From 000 (fitness 3), the best neighbour is 001 (fitness 2). It is a local optimum, because its
/// neighbours are all worse. The global optimum is 111.
const LOCAL: &str = "3 2 4 5 4 3 1 0";

/// Returns the fitness of the current genome, generation by generation.
fn path(result: &TrialRecord) -> Vec<f64> {
    result.trace.iter().map(|row| row.best).collect()
}

fn tabu(tenure: usize) -> Arc<dyn Algorithm> {
    made(TabuSearch { tenure, random_tenure: 0, neighbors: Rearrangement::Swap })
}

fn iterated(perturbation: usize) -> Arc<dyn Algorithm> {
    made(IteratedLocalSearch { perturbation, neighbors: Rearrangement::Swap })
}

#[test]
fn tabu_search_leaves_a_local_optimum_by_its_best_neighbor_that_is_not_forbidden() {
    let problem = table("bits", LOCAL, "0");
    let stop = Stop { target: Some(0.0), generations: Some(4), ..ENDLESS };
    // 000, 001, then back to 000 without a tenure. With one, bit 2 may not flip again: 101 (3),
    // then 111 (0), which solves the problem.
    let result = run(&problem, &tabu(0), &stop, Trace::Best);
    assert_eq!(path(&result), [3.0, 2.0, 3.0, 2.0, 3.0]);
    let result = run(&problem, &tabu(2), &stop, Trace::Best);
    assert_eq!((path(&result), result.outcome), (vec![3.0, 2.0, 3.0, 0.0], Outcome::Solved));
    assert_eq!(result.evaluations, 1 + 3 * 3);
}

#[test]
fn a_forbidden_move_is_made_only_to_a_new_best() {
    // From 11 (7) to 10 (1), then to 00 (9). Now both bits are forbidden, and it stays.
    let problem = table("bits", "9 5 1 7", "3");
    let stop = Stop { target: Some(-1.0), generations: Some(4), ..ENDLESS };
    let due = [7.0, 1.0, 9.0, 9.0, 9.0];
    assert_eq!(path(&run(&problem, &tabu(9), &stop, Trace::Best)), due);
    // From 000 to 001 (5), 011 (8), and 111 or 010 (9 each). From 111, the last bit is forbidden,
    // but 110 (4) is a new best. Of 40 trials, none goes there once in 2^40 seeds.
    let problem = table("bits", "6 5 9 8 9 9 4 9", "0");
    let seen = (0..40).any(|seed| {
        path(&run_seed(&problem, &tabu(9), &stop, Trace::Best, seed)) == [6.0, 5.0, 8.0, 9.0, 4.0]
    });
    assert!(seen);
}

#[test]
fn iterated_local_search_goes_on_from_optima_that_are_no_worse() {
    let stop = Stop { target: Some(-1.0), generations: Some(60), ..ENDLESS };
    let problem = table("bits", LOCAL, "0");
    let result = run(&problem, &iterated(2), &stop, Trace::Best);
    let path = path(&result);
    assert!(path.is_sorted_by(|earlier, later| earlier >= later), "{path:?}");
    assert_eq!((path[..2].to_vec(), path[60]), (vec![3.0, 2.0], 0.0));
    // Two optima of the same fitness: the search goes from one to the other.
    let problem = table("bits", "0 1 1 0", "0");
    let result = run(&problem, &iterated(2), &stop, Trace::Genomes);
    let Some(Genome::U8(genes)) = result.traced_genes else { panic!("bits") };
    for optimum in [[0, 0], [1, 1]] {
        // One of 59 perturbations in two leads to the other: a false alarm in 2^59.
        assert!(genes.chunks(2).any(|genome| *genome == optimum));
    }
    assert!(genes.chunks(2).all(|genome| genome[0] == genome[1]));
}

#[test]
fn budgets_end_local_searches_within_a_generation() {
    let mutation = super::FLIP;
    let problem = table("bits", LOCAL, "0");
    let accepting = ThresholdAccepting { threshold: 3.0, cooling: 0.9, moves: 4, mutation };
    let late = LateAcceptance { history: 3, moves: 4, mutation };
    for algorithm in [tabu(3), iterated(2), made(accepting), made(late)] {
        for budget in 1..40 {
            let stop = Stop { target: Some(-1.0), evaluations: Some(budget), ..ENDLESS };
            let result = run(&problem, &algorithm, &stop, Trace::Best);
            let end = (result.outcome, result.evaluations);
            assert_eq!(end, (Outcome::Evaluations, budget), "{algorithm:?}");
        }
    }
}

/// Violations come first: each search ends at the feasible genome of fitness 9.
#[test]
fn local_searches_compare_by_the_rule_for_violations() {
    let mutation = super::FLIP;
    let problem = constrained_table("bits", "0 1 2 9", "3 2 1 0", "0");
    let stop = Stop { generations: Some(40), ..ENDLESS };
    let accepting = ThresholdAccepting { threshold: 0.5, cooling: 1.0, moves: 4, mutation };
    let late = LateAcceptance { history: 1, moves: 4, mutation };
    for algorithm in [tabu(1), iterated(2), made(accepting), made(late)] {
        let rule = Some(Constraints::FeasibilityFirst);
        let set = OperatorSet::new(String::new(), algorithm.clone(), rule, [], None);
        let result = run_set(&problem, &set, &stop, Trace::Best, seeds(1));
        let best = (result.best_fitness, result.best_violation);
        assert_eq!(best, (Some(9.0), Some(0.0)), "{algorithm:?}");
    }
}

/// History and threshold are those of a new trial, whichever trial was before.
#[test]
fn a_trial_depends_on_its_seed_alone() {
    let mutation = super::FLIP;
    let problem = table("bits", LOCAL, "");
    let accepting = ThresholdAccepting { threshold: 3.0, cooling: 0.5, moves: 2, mutation };
    let late = LateAcceptance { history: 3, moves: 2, mutation };
    let stop = Stop { target: Some(-1.0), generations: Some(6), ..ENDLESS };
    for algorithm in [tabu(2), iterated(2), made(accepting), made(late)] {
        let set = super::operator_set(&algorithm);
        let mut executor = super::executor_for(&problem, &set, &stop, None, Trace::Best);
        for seed in [1, 2, 1] {
            let again = executor.run(seeds(seed), &Default::default());
            let again = again.expect("nobody interrupts");
            let alone = run_seed(&problem, &algorithm, &stop, Trace::Best, seed);
            assert_eq!((path(&again), again.best), (path(&alone), alone.best), "{algorithm:?}");
        }
    }
}
