use super::{ENDLESS, made, run, run_seed};
use crate::operators::Rearrangement;
use crate::problem::fixtures::{digits, table};
use crate::record::{Outcome, TrialRecord};
use crate::search::algorithms::{HillClimbing, PivotingRule};
use crate::search::{Stop, Trace};

use PivotingRule::{FirstImprovement, Steepest};

/// From 000 (fitness 3), the best neighbour is 001 (fitness 2). It is a local optimum, because its
/// neighbours are all worse. The global optimum is 111.
const LOCAL: &str = "3 2 4 5 4 3 1 0";

fn climb(settings: HillClimbing, fitness: &'static str, stop: &Stop) -> TrialRecord {
    let problem = table("bits", fitness, "0");
    run(&problem, &made(settings), stop, Trace::Best)
}

fn settings(pivoting_rule: PivotingRule, sideways: u64, restarts: bool) -> HillClimbing {
    HillClimbing { pivoting_rule, sideways, restarts, neighbors: Rearrangement::Swap }
}

/// Returns the fitness of the current genome and the evaluations, generation by generation.
fn path(result: &TrialRecord) -> Vec<(f64, u64)> {
    result.trace.iter().map(|row| (row.best, row.evaluations)).collect()
}

#[test]
fn without_restarts_a_local_optimum_ends_the_trial() {
    let result = climb(settings(Steepest, 0, false), LOCAL, &ENDLESS);
    assert_eq!((result.outcome, result.generations), (Outcome::Stagnated, 1));
    // The neighbours of the optimum are evaluated, but do not form a generation.
    assert_eq!(result.evaluations, 7);
    assert_eq!(path(&result), [(3.0, 1), (2.0, 4)]);
}

#[test]
fn with_restarts_a_local_optimum_leads_to_a_new_start() {
    let stop = Stop { generations: Some(5), ..ENDLESS };
    let result = climb(settings(Steepest, 0, true), LOCAL, &stop);
    assert_eq!((result.outcome, result.best_fitness), (Outcome::Generations, Some(2.0)));
    // The generation of a restart includes the evaluation of the new start.
    let due = [(3.0, 1), (2.0, 4), (3.0, 8), (2.0, 11), (3.0, 15), (2.0, 18)];
    assert_eq!(path(&result), due);
}

#[test]
fn a_restart_is_random() {
    let problem = table("bits", LOCAL, "0 7");
    let algorithm = made(settings(Steepest, 0, true));
    let stop = Stop { target: Some(0.0), evaluations: Some(1000), ..ENDLESS };
    let solved = (0..20).filter(|seed| {
        let result = run_seed(&problem, &algorithm, &stop, Trace::None, *seed);
        result.outcome == Outcome::Solved && result.evaluations > 1
    });
    // Half of the trials start at 000, and have 100 restarts to get to 111.
    assert!((1..20).contains(&solved.count()));
}

#[test]
fn a_local_optimum_at_the_end_of_the_budget_is_not_left() {
    let stop = Stop { evaluations: Some(7), ..ENDLESS };
    let result = climb(settings(Steepest, 0, true), LOCAL, &stop);
    assert_eq!((result.outcome, result.evaluations), (Outcome::Evaluations, 7));
    // All neighbours were evaluated, so the generation is completed.
    assert_eq!(path(&result), [(3.0, 1), (2.0, 4), (2.0, 7)]);
    let cut = Stop { evaluations: Some(6), ..ENDLESS };
    let result = climb(settings(Steepest, 0, true), LOCAL, &cut);
    assert_eq!(path(&result), [(3.0, 1), (2.0, 4)]);
}

#[test]
fn sideways_moves_are_limited_in_a_row() {
    for (sideways, generations) in [(0, 0), (1, 1), (3, 3)] {
        for rule in [Steepest, FirstImprovement] {
            let result = climb(settings(rule, sideways, false), "5 5 5 5", &ENDLESS);
            assert_eq!((result.outcome, result.generations), (Outcome::Stagnated, generations));
            let each = if rule == Steepest { 2 } else { 1 };
            // The last step evaluates all neighbours.
            assert_eq!(result.evaluations, 1 + each * generations + 2, "{rule:?}");
        }
    }
    // From 000, a move to 001 or 010 is sideways. 011 is better, so the count restarts, and a
    // sideways move to 111 follows.
    let ring = "5 5 5 4 9 9 9 4";
    let result = climb(settings(Steepest, 1, false), ring, &ENDLESS);
    assert_eq!(
        path(&result).iter().map(|(best, _)| *best).collect::<Vec<_>>(),
        [5.0, 5.0, 4.0, 4.0]
    );
}

#[test]
fn steepest_moves_to_the_best_neighbour_and_first_improvement_to_any_better_one() {
    let stop = Stop { generations: Some(1), ..ENDLESS };
    let problem = table("bits", "9 5 3 9 4 9 9 9", "0");
    let (mut steepest, mut first) = (Vec::new(), Vec::new());
    for seed in 0..30 {
        for (rule, seen) in [(Steepest, &mut steepest), (FirstImprovement, &mut first)] {
            let algorithm = made(settings(rule, 0, true));
            let result = run_seed(&problem, &algorithm, &stop, Trace::Best, seed);
            seen.push(path(&result)[1]);
        }
    }
    assert!(steepest.iter().all(|seen| *seen == (3.0, 4)));
    // One evaluation is enough, because every neighbour is better. Each neighbour is the first in
    // some trials.
    assert!(first.iter().all(|(_, evaluations)| *evaluations == 2));
    assert!([5.0, 3.0, 4.0].iter().all(|fitness| first.contains(&(*fitness, 2))));
}

#[test]
fn of_equally_good_neighbours_each_is_moved_to_now_and_then() {
    let problem = table("bits", "9 5 5 9 7 9 9 9", "0");
    let algorithm = made(settings(Steepest, 0, false));
    let ends: Vec<_> = (0..30)
        .map(|seed| run_seed(&problem, &algorithm, &ENDLESS, Trace::Improvements, seed))
        .map(|result| result.improvements.last().map(|last| last.genome.clone()))
        .collect();
    // The best that is kept is the first of the equal genomes. The next move shows which of them
    // the climb moved to.
    assert!(ends.windows(2).all(|pair| pair[0] == pair[1]));
    let stop = Stop { generations: Some(2), ..ENDLESS };
    let slope = table("bits", "9 5 5 4 7 3 9 9", "0");
    let algorithm = made(settings(Steepest, 0, true));
    let mut seen: Vec<f64> = (0..30)
        .map(|seed| path(&run_seed(&slope, &algorithm, &stop, Trace::Best, seed))[2].0)
        .collect();
    seen.sort_by(f64::total_cmp);
    seen.dedup();
    // 001 leads to 101 (fitness 3), and 010 leads to 011 (fitness 4).
    assert_eq!(seen, [3.0, 4.0]);
}

/// 2,100 neighbours of 300 bytes are evaluated in ten batches of 64 KiB.
#[test]
fn neighbours_of_several_batches_are_one_move() {
    let problem = digits(300);
    let algorithm = made(settings(Steepest, 0, true));
    let stop = Stop { generations: Some(2), ..ENDLESS };
    let result = run(&problem, &algorithm, &stop, Trace::Best);
    let start = path(&result)[0].0;
    assert_eq!(path(&result), [(start, 1), (start - 1.0, 2101), (start - 2.0, 4201)]);
    let cut = Stop { evaluations: Some(1 + 300), ..ENDLESS };
    let result = run(&problem, &algorithm, &cut, Trace::Best);
    assert_eq!((result.outcome, result.evaluations), (Outcome::Evaluations, 301));
    assert_eq!(path(&result), [(start, 1)]);
}
