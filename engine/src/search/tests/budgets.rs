use super::{ENDLESS, all_algorithms, exhaustive, random_search, run};
use crate::problem::fixtures::{bits, table};
use crate::record::Outcome;
use crate::search::{Stop, Trace};

#[test]
fn no_generations_are_the_initial_population_alone() {
    let problem = bits(5);
    let stop = Stop { generations: Some(0), ..ENDLESS };
    for algorithm in all_algorithms() {
        let result = run(&problem, &algorithm, &stop, Trace::Population);
        assert_eq!((result.outcome, result.generations), (Outcome::Generations, 0));
        assert_eq!(result.evaluations, algorithm.population() as u64, "{algorithm:?}");
        assert_eq!(result.trace.len(), algorithm.population());
    }
}

#[test]
fn generations_come_to_the_evaluations_that_the_algorithm_states() {
    let problem = bits(5);
    for algorithm in all_algorithms() {
        for generations in [1, 2, 6] {
            let stop = Stop { generations: Some(generations), ..ENDLESS };
            let result = run(&problem, &algorithm, &stop, Trace::Best);
            assert_eq!((result.outcome, result.generations), (Outcome::Generations, generations));
            assert_eq!(result.trace.len() as u64, generations + 1);
            if let Some(evaluations) = algorithm.evaluations(generations) {
                assert_eq!(result.evaluations, evaluations, "{algorithm:?}");
            }
        }
    }
}

/// Generations completed before the budget ends count, and are in the trace. They equal those of a
/// trial without the budget.
#[test]
fn a_budget_of_evaluations_is_spent_and_never_exceeded() {
    let problem = bits(5);
    for algorithm in all_algorithms() {
        let whole = Stop { generations: Some(40), evaluations: Some(31), ..ENDLESS };
        let whole = run(&problem, &algorithm, &whole, Trace::Population);
        for budget in 1..=30 {
            let stop = Stop { evaluations: Some(budget), ..ENDLESS };
            let result = run(&problem, &algorithm, &stop, Trace::Population);
            let what = format!("{algorithm:?}, {budget} evaluations");
            assert_eq!((result.outcome, result.evaluations), (Outcome::Evaluations, budget));
            let last = result.trace.last().map(|row| (row.generation, row.evaluations));
            assert_eq!(result.generations, last.map_or(0, |(generation, _)| generation), "{what}");
            assert!(last.is_none_or(|(_, evaluations)| evaluations <= budget), "{what}");
            // Hill climbing restarts at a local optimum only if there is budget for it.
            if algorithm.evaluations_per_generation().is_some() {
                let completed = whole.trace.iter().filter(|row| row.evaluations <= budget);
                assert!(completed.eq(&result.trace), "{what}");
            }
        }
    }
}

#[test]
fn a_budget_of_one_population_completes_it() {
    let problem = table("integer", "4 3 2 1", "");
    for (budget, rows) in [(3, 0), (4, 1), (5, 1), (8, 2)] {
        let stop = Stop { evaluations: Some(budget), ..ENDLESS };
        let result = run(&problem, &random_search(4), &stop, Trace::Best);
        assert_eq!((result.outcome, result.evaluations), (Outcome::Evaluations, budget));
        assert_eq!(result.trace.len(), rows);
    }
}

#[test]
fn the_best_of_a_cut_generation_counts() {
    let problem = table("integer", "4 3 2 1 0", "");
    for (budget, best, generations) in [(1, 4.0, 0), (2, 3.0, 0), (3, 2.0, 0), (4, 1.0, 1)] {
        let stop = Stop { target: Some(best), evaluations: Some(budget), ..ENDLESS };
        let result = run(&problem, &exhaustive(2), &stop, Trace::None);
        assert_eq!((result.outcome, result.best_fitness), (Outcome::Solved, Some(best)));
        assert_eq!(
            (result.generations, result.evaluations_to_success),
            (generations, Some(budget))
        );
    }
}

/// A space that the budget does not cover is not exhausted, not even if its last batch has begun.
#[test]
fn a_space_is_exhausted_only_if_all_of_it_was_evaluated() {
    let problem = table("integer", "4 3 2 1 0", "");
    for (budget, outcome) in [(4, Outcome::Evaluations), (5, Outcome::Exhausted)] {
        for batch in 1..=6 {
            let stop = Stop { evaluations: Some(budget), ..ENDLESS };
            let result = run(&problem, &exhaustive(batch), &stop, Trace::Population);
            assert_eq!((result.outcome, result.evaluations), (outcome, budget), "{batch}");
            if outcome == Outcome::Exhausted {
                // The last batch contains the remaining rows.
                assert_eq!(result.trace.len(), 5, "batches of {batch}");
            }
        }
    }
}
