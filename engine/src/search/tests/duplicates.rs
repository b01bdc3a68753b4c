//! Searches that remember genomes.

use super::*;
use crate::operators::Constraints;
use crate::problem::fixtures::{constrained_table, digits};
use crate::problem::{Gene, Genome};
use crate::search::Duplicates;
use std::collections::BTreeSet;

const RESET: Mutation =
    Mutation { kind: MutationKind::Reset { genes: Genes::One, different: false }, rate: 1.0 };

fn genetic() -> Arc<dyn Algorithm> {
    made(Evolutionary {
        mutation: Some(RESET),
        ..evolutionary(6, Replacement::Elitism { elite: 1 })
    })
}

fn run(problem: &Problem, set: &OperatorSet, evaluations: u64, seed: u64) -> TrialRecord {
    let stop = Stop { evaluations: Some(evaluations), target: Some(-1.0), ..ENDLESS };
    run_set(problem, set, &stop, Trace::Genomes, seeds(seed))
}

fn distinct<G: Gene>(genes: &[G], length: usize) -> u64 {
    genes.chunks(length).map(|genome| format!("{genome:?}")).collect::<BTreeSet<_>>().len() as u64
}

/// Nothing but the number of calls changes.
#[test]
fn reuse_changes_no_result() {
    let plain = digits(2);
    let few = constrained_table("integer", "1 9 5 7 3 2", "3 0 1 0 0 4", "");
    for (problem, algorithm) in [
        (&plain, genetic()),
        (&plain, random_search(7)),
        (&plain, hill_climbing(PivotingRule::FirstImprovement)),
        (&few, genetic()),
        (&few, random_search(7)),
    ] {
        let constraints = std::ptr::eq(problem, &few).then_some(Constraints::FeasibilityFirst);
        let allow = OperatorSet { constraints, ..operator_set(&algorithm) };
        let reuse = allow.clone().with_duplicates(Duplicates::Reuse);
        for seed in 0..5 {
            let mut reused = run(problem, &reuse, 300, seed);
            assert!(reused.evaluations_saved.take().is_some_and(|saved| saved > 200));
            assert_eq!(reused, run(problem, &allow, 300, seed));
        }
    }
}

#[test]
fn each_genome_is_evaluated_once() {
    let set = operator_set(&random_search(7)).with_duplicates(Duplicates::Reuse);
    let result = run(&digits(3), &set, 700, 3);
    let Some(Genome::U8(genes)) = &result.traced_genes else { panic!("no genes") };
    assert_eq!(result.evaluations_saved, Some(700 - distinct(genes, 3)));
}

/// Children are new as long as there are new ones; after that the search goes on with known ones.
#[test]
fn avoided_duplicates_are_drawn_again() {
    let avoid = operator_set(&genetic()).with_duplicates(Duplicates::Avoid);
    let reuse = operator_set(&genetic()).with_duplicates(Duplicates::Reuse);
    let saved = |set: &OperatorSet, problem: &Problem, evaluations| {
        let result = run(problem, set, evaluations, 1);
        assert_eq!(result.evaluations, evaluations);
        result.evaluations_saved
    };
    let many = digits(12);
    assert_eq!(saved(&avoid, &many, 100), Some(0));
    assert!(saved(&reuse, &many, 100).is_some_and(|saved| saved > 0));
    let few = digits(1);
    assert!(saved(&avoid, &few, 300).is_some_and(|saved| saved >= 300 - 8));
}
