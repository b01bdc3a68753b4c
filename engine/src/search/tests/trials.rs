use super::{ENDLESS, all_algorithms, exhaustive, operator_set, random_search, run, seeds};
use crate::problem::Genome;
use crate::problem::fixtures::{bits, faulty, reals, table};
use crate::record::{Outcome, TrialRecord};
use crate::search::Seeds;
use crate::search::executor_for;
use crate::search::{Stop, Trace};
use crate::system::interrupt::Interrupt;

/// Buffers are kept from trial to trial. Nothing else is kept, not even after an interrupted trial.
#[test]
fn a_trial_does_not_depend_on_those_before_it() {
    let problem = bits(6);
    let stop = Stop { evaluations: Some(27), ..ENDLESS };
    for algorithm in all_algorithms() {
        let operators = operator_set(&algorithm);
        let fresh = || executor_for(&problem, &operators, &stop, None, Trace::Improvements);
        let never = Interrupt::default();
        let due: Vec<Option<TrialRecord>> =
            (0..4).map(|seed| fresh().run(seeds(seed), &never)).collect();
        let mut used = fresh();
        for seed in [0, 1, 0, 2, 3, 1] {
            let interrupt = Interrupt::default();
            interrupt.raise();
            assert_eq!(used.run(seeds(seed + 100), &interrupt), None);
            assert_eq!(used.run(seeds(seed), &never), due[seed as usize], "{algorithm:?}");
        }
    }
}

#[test]
fn paired_trials_share_their_initial_population() {
    let problem = reals(4);
    let operators = operator_set(&random_search(5));
    let stop = Stop { generations: Some(1), ..ENDLESS };
    let mut executor = executor_for(&problem, &operators, &stop, None, Trace::Population);
    let mut fitness = |trial, start| {
        let result = executor.run(Seeds { trial, start, number: 0 }, &Interrupt::default());
        let rows = result.expect("nobody interrupts").trace.into_iter().map(|row| row.best);
        let rows: Vec<f64> = rows.collect();
        (rows[..5].to_vec(), rows[5..].to_vec())
    };
    let (one, other) = (fitness(1, Some(9)), fitness(2, Some(9)));
    assert_eq!(one.0, other.0);
    assert_ne!(one.1, other.1);
    assert_ne!(fitness(1, Some(8)).0, one.0);
    // Without pairing, the trial's own generator draws the initial population.
    assert_ne!(fitness(1, None).0, fitness(2, None).0);
}

#[test]
fn generations_of_random_search_are_sampled_anew() {
    let stop = Stop { generations: Some(5), ..ENDLESS };
    let result = run(&reals(3), &random_search(2), &stop, Trace::Population);
    let mut fitness: Vec<f64> = result.trace.iter().map(|row| row.best).collect();
    fitness.sort_by(f64::total_cmp);
    fitness.dedup();
    assert_eq!(fitness.len(), 12);
}

/// The best genome is the first with the best fitness, across rows and generations.
#[test]
fn of_equally_good_genomes_the_first_is_the_best() {
    let problem = table("integer", "7 3 3 9 3 3 9 9 9 9 9", "");
    for batch in 1..=11 {
        let result = run(&problem, &exhaustive(batch), &ENDLESS, Trace::None);
        assert_eq!(result.best, Some(Genome::U8(vec![1])), "batches of {batch}");
    }
}

/// The minimum is found at every place in the eight lanes and in the remainder.
#[test]
fn the_best_of_a_batch_is_found_at_every_place() {
    let problem = bits(5);
    for batch in [1, 2, 7, 8, 9, 16, 31, 32] {
        let stop = Stop { generations: Some(0), ..ENDLESS };
        let result = run(&problem, &random_search(batch), &stop, Trace::Population);
        let least = result.trace.iter().map(|row| row.best).fold(f64::INFINITY, f64::min);
        assert_eq!(result.best_fitness, Some(least));
    }
}

#[test]
fn the_best_is_described_by_the_plugin() {
    let stop = Stop { generations: Some(0), ..ENDLESS };
    let problem = faulty("none").expect("no fault");
    let result = run(&problem, &random_search(3), &stop, Trace::None);
    let Some(Genome::U8(genes)) = &result.best else { panic!("{:?}", result.best) };
    let text: String = genes.iter().map(ToString::to_string).collect();
    assert_eq!((result.valid, result.best_text), (Some(true), Some(text)));
    // A plugin without these calls gives neither.
    let result = run(&bits(3), &random_search(3), &stop, Trace::None);
    assert_eq!(
        (result.outcome, result.valid, result.best_text),
        (Outcome::Generations, None, None)
    );
}
