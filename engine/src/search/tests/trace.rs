use super::{ENDLESS, all_algorithms, exhaustive, run, run_seed};
use crate::problem::Genome;
use crate::problem::fixtures::table;
use crate::record::{Improvement, TraceRow};
use crate::search::{Stop, Trace};

/// Traces batches of two: (4, 2), (6, 1), then one evaluation of a batch that is cut short.
fn traced(trace: Trace) -> (Vec<TraceRow>, Vec<Improvement>) {
    let problem = table("integer", "4 2 6 1 0 5", "");
    let stop = Stop { evaluations: Some(5), ..ENDLESS };
    let result = run(&problem, &exhaustive(2), &stop, trace);
    assert_eq!((result.generations, result.evaluations), (1, 5));
    (result.trace, result.improvements)
}

fn row(generation: u64, [best, mean, worst, best_so_far]: [f64; 4]) -> TraceRow {
    TraceRow {
        generation,
        evaluations: 2 * generation + 2,
        best,
        mean,
        worst,
        best_so_far,
        violations: None,
    }
}

#[test]
fn none_keeps_nothing() {
    assert_eq!(traced(Trace::None), (vec![], vec![]));
}

#[test]
fn best_keeps_a_row_a_generation() {
    let rows = vec![row(0, [2.0, 3.0, 4.0, 2.0]), row(1, [1.0, 3.5, 6.0, 1.0])];
    assert_eq!(traced(Trace::Best), (rows, vec![]));
}

#[test]
fn population_keeps_a_row_an_individual() {
    let individual = |generation, fitness, best_so_far| {
        row(generation, [fitness, fitness, fitness, best_so_far])
    };
    let rows = vec![
        individual(0, 4.0, 2.0),
        individual(0, 2.0, 2.0),
        individual(1, 6.0, 1.0),
        individual(1, 1.0, 1.0),
    ];
    assert_eq!(traced(Trace::Population), (rows, vec![]));
}

/// The generation that is cut short has no row, but its improvements are recorded.
#[test]
fn improvements_keeps_each_improvement_with_its_genome() {
    let improvement = |generation, evaluations, fitness, gene| Improvement {
        violation: None,
        generation,
        evaluations,
        fitness,
        genome: Genome::U8(vec![gene]),
    };
    let (rows, improvements) = traced(Trace::Improvements);
    assert_eq!(rows, traced(Trace::Best).0);
    let due = vec![
        improvement(0, 1, 4.0, 0),
        improvement(0, 2, 2.0, 1),
        improvement(1, 4, 1.0, 3),
        improvement(2, 5, 0.0, 4),
    ];
    assert_eq!(improvements, due);
}

/// Every algorithm, in batches and alone: the evaluations after the best are those after the last
/// improvement, whether improvements are recorded or not.
#[test]
fn evaluations_after_the_best_are_exact() {
    let bits = table("bits", "9 7 7 8 6 5 9 7 6 4 8 3 5 9 4 6", "");
    let mut seen = [false; 2];
    for algorithm in all_algorithms() {
        for (seed, evaluations) in (1..=20).flat_map(|seed| (1..=12).map(move |one| (seed, one))) {
            let stop = Stop { evaluations: Some(evaluations), ..ENDLESS };
            let traced = run_seed(&bits, &algorithm, &stop, Trace::Improvements, seed);
            let last = traced.improvements.last().expect("the first evaluation is one");
            assert_eq!(Some(last.fitness), traced.best_fitness);
            let after = traced.evaluations - last.evaluations;
            assert_eq!(traced.evaluations_after_best, Some(after), "{algorithm:?} {seed}");
            let plain = run_seed(&bits, &algorithm, &stop, Trace::None, seed);
            assert_eq!(plain.evaluations_after_best, Some(after), "{algorithm:?} {seed}");
            seen[usize::from(after > 0)] = true;
        }
    }
    assert_eq!(seen, [true, true]);
    // Equal fitness is no improvement, and of a batch the first of the best counts.
    let after = |fitness, batch| {
        let problem = table("integer", fitness, "");
        run(&problem, &exhaustive(batch), &ENDLESS, Trace::None).evaluations_after_best
    };
    for batch in 1..=6 {
        assert_eq!(after("4 2 6 1 1 5", batch), Some(2), "batches of {batch}");
        assert_eq!(after("4 2 6 3 3 1", batch), Some(0), "batches of {batch}");
        assert_eq!(after("1 2 1 1 3 1", batch), Some(5), "batches of {batch}");
    }
}

/// The best so far belongs to the trial; the other figures belong to the generation.
#[test]
fn a_later_generation_can_be_worse_than_the_best_so_far() {
    let problem = table("integer", "1 2 5 7", "");
    let result = run(&problem, &exhaustive(2), &ENDLESS, Trace::Best);
    assert_eq!(result.trace, [row(0, [1.0, 1.5, 2.0, 1.0]), row(1, [5.0, 6.0, 7.0, 1.0])]);
}
