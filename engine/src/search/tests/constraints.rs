//! Constraints: the treatment of violations by each search, on problems with a table of all
//! genomes.

use super::{
    ENDLESS, annealing, evolutionary, exhaustive, hill_climbing, made, random_search, run, run_set,
    seeds,
};
use crate::operators::{Constraints, Replacement, Scaling, Selection, Ties};
use crate::problem::Genome;
use crate::problem::fixtures::constrained_table;
use crate::record::{Outcome, TrialRecord, ViolationTrace};
use crate::search::Guidance;
use crate::search::algorithms::PivotingRule;
use crate::search::{Algorithm, OperatorSet};
use crate::search::{OnSuccess, Stop, Trace};
use std::sync::Arc;

/// Three bits. The lowest fitness, 0, is infeasible. The best feasible genome is entry 5, of
/// fitness 4. From entry 0, a climb by fitness leads to entry 1, of fitness 0.
const FITNESS: &str = "9 0 8 7 6 4 7 10";
const VIOLATIONS: &str = "0 2 0 1 0 0 0 3";

const ALL: [Constraints; 3] =
    [Constraints::FeasibilityFirst, Constraints::Penalty { factor: 10.0 }, Constraints::Ignore];

fn search(
    algorithm: &Arc<dyn Algorithm>,
    constraints: Constraints,
    stop: &Stop,
    trace: Trace,
) -> TrialRecord {
    let problem = constrained_table("bits", FITNESS, VIOLATIONS, "0");
    let set = OperatorSet::new(String::new(), algorithm.clone(), Some(constraints), [], None);
    run_set(&problem, &set, stop, trace, seeds(1))
}

/// Returns rules that stop at a feasible genome of fitness 4, or after 400 evaluations.
fn stop() -> Stop {
    Stop { target: Some(4.0), evaluations: Some(400), ..ENDLESS }
}

fn plus() -> Arc<dyn Algorithm> {
    made(evolutionary(1, Replacement::Plus { offspring: 1, ties: Ties::Children }))
}

#[test]
fn success_is_the_target_reached_by_a_feasible_genome() {
    let climbs = [PivotingRule::Steepest, PivotingRule::FirstImprovement].map(hill_climbing);
    let searches = [plus(), annealing(1.0, 0.9, 4), exhaustive(3), random_search(5)];
    for algorithm in climbs.into_iter().chain(searches) {
        let result = search(&algorithm, Constraints::FeasibilityFirst, &stop(), Trace::None);
        // Random search and climbs that restart sample entry 0 only.
        let stays = algorithm.guidance() == Guidance::Chance;
        assert_eq!(result.success, !stays, "{algorithm:?}");
        assert_eq!(result.best_violation, Some(0.0), "{algorithm:?}");
        assert_eq!(result.best_fitness, Some(if stays { 9.0 } else { 4.0 }), "{algorithm:?}");
        assert_eq!(result.evaluations_to_success.is_some(), !stays, "{algorithm:?}");
    }
}

#[test]
fn the_best_is_feasible_whatever_the_search_goes_by() {
    let stop = Stop { generations: Some(200), ..ENDLESS };
    let ended = ALL.map(|rule| search(&plus(), rule, &stop, Trace::Best));
    for (result, rule) in ended.iter().zip(ALL) {
        assert_eq!(result.best_violation, Some(0.0), "{rule:?}");
        assert!(!result.success, "there is no target");
    }
    // If constraints are ignored, the search ends at the lowest fitness, which is infeasible. The
    // best genome of the trial is the last feasible genome that was evaluated.
    let last = |result: &TrialRecord| *result.trace.last().expect("a trace");
    assert_eq!((last(&ended[0]).best, last(&ended[1]).best), (4.0, 4.0));
    let ignored = last(&ended[2]);
    assert_eq!(ignored.best, 0.0);
    let due = ViolationTrace { best: 2.0, feasible: 0.0, best_so_far: 0.0 };
    assert_eq!(ignored.violations, Some(due));
    assert_eq!(ignored.feasible_so_far(), ended[2].best_fitness);
}

#[test]
fn of_infeasible_genomes_the_least_violation_is_the_best() {
    let problem = constrained_table("integer", "1 9 5 7 3 2", "3 1 1 2 1 4", "");
    let result = run(&problem, &exhaustive(2), &ENDLESS, Trace::Improvements);
    assert_eq!((result.best_fitness, result.best_violation), (Some(3.0), Some(1.0)));
    assert_eq!((result.outcome, result.success), (Outcome::Exhausted, false));
    assert_eq!(result.best, Some(Genome::U8(vec![4])));
    let seen = result.improvements.iter().map(|one| (one.evaluations, one.fitness, one.violation));
    let due = [(1, 1.0, Some(3.0)), (2, 9.0, Some(1.0)), (3, 5.0, Some(1.0)), (5, 3.0, Some(1.0))];
    assert_eq!(seen.collect::<Vec<_>>(), due);
}

#[test]
fn a_trace_has_best_and_worst_by_violation_then_fitness() {
    let problem = constrained_table("integer", "1 9 5 7 3 2", "3 0 1 0 0 4", "");
    let trace = |trace| run(&problem, &exhaustive(3), &ENDLESS, trace).trace;
    let rows = trace(Trace::Best);
    let figures = rows.iter().map(|row| (row.best, row.mean, row.worst, row.best_so_far));
    assert_eq!(figures.collect::<Vec<_>>(), [(9.0, 5.0, 1.0, 9.0), (3.0, 4.0, 2.0, 3.0)]);
    let violations = rows.iter().map(|row| row.violations.expect("it has constraints"));
    let due = [(0.0, 1.0 / 3.0, 0.0), (0.0, 2.0 / 3.0, 0.0)];
    let due =
        due.map(|(best, feasible, best_so_far)| ViolationTrace { best, feasible, best_so_far });
    assert_eq!(violations.collect::<Vec<_>>(), due);
    let each = trace(Trace::Population);
    let each = each.iter().map(|row| row.violations.expect("it has constraints"));
    let each: Vec<_> = each.map(|one| (one.best, one.feasible)).collect();
    assert_eq!(each, [(3.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 1.0), (4.0, 0.0)]);
}

#[test]
fn a_new_best_by_violation_ends_stagnation() {
    // Each genome is better than the previous one by its violation alone; its fitness is worse.
    let problem = constrained_table("integer", "1 2 3 4 5 6", "6 5 4 3 2 1", "");
    let stop = Stop { stagnation: Some(1), ..ENDLESS };
    let result = run(&problem, &exhaustive(1), &stop, Trace::None);
    assert_eq!((result.outcome, result.evaluations), (Outcome::Exhausted, 6));
    let problem = constrained_table("integer", "6 5 4 3 2 1", "1 1 2 1 1 1", "");
    let result = run(&problem, &exhaustive(1), &stop, Trace::None);
    assert_eq!((result.outcome, result.evaluations), (Outcome::Stagnated, 3));
}

/// A climb has one possible move, so that the rule alone decides each step.
#[test]
fn climbs_go_by_the_rule() {
    let stop = Stop { generations: Some(1), ..ENDLESS };
    for rule in [PivotingRule::Steepest, PivotingRule::FirstImprovement] {
        // Neighbours of the start, entry 0: entries 1, 2 and 4, in the order of the table.
        let step = |constraints, fitness, violations| {
            let problem = constrained_table("bits", fitness, violations, "0");
            let set =
                OperatorSet::new(String::new(), hill_climbing(rule), Some(constraints), [], None);
            let trace = run_set(&problem, &set, &stop, Trace::Best, seeds(3)).trace;
            (trace[1].best, trace[1].violations.map(|one| one.best))
        };
        let [first, penalty, ignore] = ALL;
        // Only entry 1 is feasible, and its fitness is the worst.
        assert_eq!(step(first, "5 9 1 0 1 0 0 0", "1 0 1 9 1 9 9 9"), (9.0, Some(0.0)));
        // Only entry 2 has a lower fitness than the start.
        assert_eq!(step(ignore, "5 9 1 0 7 0 0 0", "1 0 1 9 1 9 9 9"), (1.0, Some(1.0)));
        // Only entry 4 has a lower sum of fitness and penalty than the start.
        assert_eq!(step(penalty, "5 9 1 0 6 0 0 0", "1 4 2 9 0 9 9 9"), (6.0, Some(0.0)));
    }
}

/// At a temperature close to 0, no move to a worse genome is accepted. A trial therefore never
/// leaves the feasible genomes. If constraints are ignored, it ends at the lowest fitness.
#[test]
fn annealing_goes_by_the_rule() {
    let stop = Stop { generations: Some(100), ..ENDLESS };
    let ended = ALL.map(|rule| {
        let result = search(&annealing(1e-9, 1.0, 1), rule, &stop, Trace::Best);
        let feasible = result
            .trace
            .iter()
            .all(|row| row.violations.is_some_and(|violations| violations.best == 0.0));
        (feasible, result.trace.last().expect("a trace").best)
    });
    assert_eq!(ended, [(true, 4.0), (true, 4.0), (false, 0.0)]);
    // Moves to a violation of 1 or more are made at a high temperature.
    let hot = search(&annealing(1e9, 1.0, 1), Constraints::FeasibilityFirst, &stop, Trace::Best);
    assert!(hot.trace.iter().any(|row| row.feasible_so_far().is_some() && row.best < 4.0));
}

#[test]
fn selections_go_by_the_rule() {
    // The children of this generation are copies, so they show which parents were selected.
    let children = |selection, scaling, constraints| {
        let set = crate::search::Evolutionary {
            selection,
            scaling,
            mutation: Some(crate::operators::Mutation {
                rate: 0.0,
                ..evolutionary(2, Replacement::Generational).mutation.expect("a mutation")
            }),
            ..evolutionary(64, Replacement::Generational)
        };
        let stop = Stop { generations: Some(60), ..ENDLESS };
        let problem = constrained_table("integer", "9 0 3 5", "0 2 1 0", "");
        let algorithm = made(set);
        let set = OperatorSet::new(String::new(), algorithm, Some(constraints), [], None);
        let result = run_set(&problem, &set, &stop, Trace::Best, seeds(5));
        let last = *result.trace.last().expect("a trace");
        assert_eq!(last.best, last.worst, "{selection:?}: one kind is left");
        last.best
    };
    let tournament = Selection::Tournament { size: 3 };
    let ranks = Scaling::Rank { pressure: 2.0 };
    let complement = Scaling::Complement { worst: 9.0 };
    // The best genome by each rule: feasible 5; 5 against 0 + 2 x 10 and 3 + 10; 0.
    for (selection, scaling) in [
        (tournament, Scaling::None),
        (Selection::Truncation { share: 0.25 }, Scaling::None),
        (Selection::Roulette, ranks),
        (Selection::Sus, complement),
    ] {
        assert_eq!(ALL.map(|rule| children(selection, scaling, rule)), [5.0, 5.0, 0.0]);
    }
}

#[test]
fn replacements_carry_violations_along() {
    for replacement in [
        Replacement::Generational,
        Replacement::Elitism { elite: 2 },
        Replacement::Plus { offspring: 5, ties: Ties::Random },
        Replacement::Comma { offspring: 9 },
        Replacement::SteadyState { offspring: 3 },
    ] {
        // The fitness identifies the entry, and thereby the violation.
        let problem = constrained_table("bits", "0 1 2 3 4 5 6 7", "0 10 20 30 40 50 60 70", "");
        let algorithm = made(evolutionary(6, replacement));
        let set = OperatorSet::new(
            String::new(),
            algorithm,
            Some(Constraints::FeasibilityFirst),
            [],
            None,
        );
        let stop = Stop { generations: Some(30), ..ENDLESS };
        let result = run_set(&problem, &set, &stop, Trace::Population, seeds(2));
        assert_eq!(result.trace.len(), 6 * 31);
        for row in &result.trace {
            let violation = row.violations.expect("it has constraints").best;
            assert_eq!(
                violation,
                10.0 * row.best,
                "{replacement:?}, generation {}",
                row.generation
            );
        }
    }
}

#[test]
fn a_trial_that_goes_on_counts_its_first_success() {
    let stop = Stop { on_success: OnSuccess::Continue, ..stop() };
    let result = search(&exhaustive(4), Constraints::Ignore, &stop, Trace::None);
    assert_eq!(result.evaluations_to_success, Some(6));
    assert_eq!((result.success, result.outcome), (true, Outcome::Exhausted));
}

#[test]
fn violations_that_are_none_fail_the_trial() {
    for (violations, words) in [
        ("0 NaN", "the violation of row 1 is NaN, but must be a finite number of at least 0"),
        ("-0.5 0", "the violation of row 0 is -0.5, but"),
        ("inf 0", "the violation of row 0 is inf, but"),
    ] {
        let problem = constrained_table("integer", "1 2", violations, "");
        let result = run(&problem, &exhaustive(2), &ENDLESS, Trace::None);
        let error = result.error.expect("a failed trial");
        assert!(error.contains(words) && error.contains("evaluate_constrained"), "{error}");
        assert_eq!((result.best_fitness, result.best_violation), (None, None));
    }
}
