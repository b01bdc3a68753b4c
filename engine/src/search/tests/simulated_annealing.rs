use super::{ENDLESS, annealing, operator_set, run, seeds};
use crate::problem::fixtures::table;
use crate::record::{Outcome, TrialRecord};
use crate::search::Algorithm;
use crate::search::executor_for;
use crate::search::{OnSuccess, Stop, Trace};
use crate::system::interrupt::Interrupt;
use std::sync::Arc;

/// Temperature at which every proposal is accepted.
const HOT: f64 = 1e300;
/// Temperature at which no worse proposal is accepted.
const COLD: f64 = 1e-300;

/// Returns the fitness of the current genome, generation by generation.
fn path(result: &TrialRecord) -> Vec<f64> {
    result.trace.iter().map(|row| row.best).collect()
}

/// Runs annealing on one bit, whose only neighbour is the other value.
fn anneal(algorithm: &Arc<dyn Algorithm>, fitness: &'static str, generations: u64) -> TrialRecord {
    let stop = Stop { generations: Some(generations), ..ENDLESS };
    run(&table("bits", fitness, "0"), algorithm, &stop, Trace::Best)
}

#[test]
fn a_hot_trial_accepts_everything_and_a_cold_one_nothing_worse() {
    assert_eq!(path(&anneal(&annealing(HOT, 1.0, 1), "0 1", 4)), [0.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(path(&anneal(&annealing(COLD, 1.0, 1), "0 1", 4)), [0.0; 5]);
    assert_eq!(path(&anneal(&annealing(COLD, 1.0, 1), "1 0", 2)), [1.0, 0.0, 0.0]);
}

#[test]
fn equal_fitness_is_accepted() {
    let problem = table("bits", "5 5 9 4", "0");
    let stop = Stop { target: Some(4.0), ..ENDLESS };
    // The path from 00 to 11 leads over 01, which is equally good.
    let result = run(&problem, &annealing(COLD, 1.0, 1), &stop, Trace::None);
    assert_eq!(result.outcome, Outcome::Solved);
}

#[test]
fn a_generation_is_all_moves_of_a_temperature() {
    let result = anneal(&annealing(HOT, 1.0, 3), "0 1", 2);
    assert_eq!((path(&result), result.evaluations), (vec![0.0, 1.0, 0.0], 7));
}

/// Every trial is hot in the first generation, and cold from the second on.
#[test]
fn the_temperature_falls_from_generation_to_generation_and_is_restored() {
    let problem = table("bits", "0 1", "0");
    let operators = operator_set(&annealing(HOT, 1e-308, 1));
    let stop = Stop { generations: Some(4), ..ENDLESS };
    let mut executor = executor_for(&problem, &operators, &stop, None, Trace::Best);
    for trial in 0..3 {
        let result = executor.run(seeds(trial), &Interrupt::default()).expect("nobody interrupts");
        assert_eq!(path(&result), [0.0, 1.0, 0.0, 0.0, 0.0]);
    }
}

/// A proposal that is worse by ln 2 at temperature 1 is accepted with probability 1/2. The accepted
/// number of at least 4,000 proposals is within 5 standard deviations of half of them. A false
/// alarm has a probability of 6e-7.
#[test]
fn worse_proposals_are_accepted_as_metropolis_has_it() {
    let problem = table("bits", "0 0.6931471805599453", "0");
    let stop = Stop { generations: Some(8000), ..ENDLESS };
    let result = run(&problem, &annealing(1.0, 1.0, 1), &stop, Trace::Best);
    let (mut proposed, mut accepted) = (0.0, 0.0);
    for pair in path(&result).windows(2).filter(|pair| pair[0] == 0.0) {
        proposed += 1.0;
        accepted += f64::from(u8::from(pair[1] > 0.0));
    }
    assert!(proposed > 4000.0);
    assert!((accepted - proposed / 2.0).abs() < 2.5 * f64::sqrt(proposed), "{accepted}");
}

#[test]
fn a_solution_ends_the_generation_where_it_ends_the_trial() {
    let problem = table("bits", "1 0", "0");
    let algorithm = annealing(COLD, 1.0, 10);
    let stop = Stop { target: Some(0.0), generations: Some(1), ..ENDLESS };
    let result = run(&problem, &algorithm, &stop, Trace::Best);
    assert_eq!((result.outcome, result.generations, result.evaluations), (Outcome::Solved, 1, 2));
    let stop = Stop { on_success: OnSuccess::Continue, ..stop };
    let result = run(&problem, &algorithm, &stop, Trace::Best);
    assert_eq!((result.outcome, result.evaluations), (Outcome::Generations, 11));
    assert_eq!(result.evaluations_to_success, Some(2));
}
