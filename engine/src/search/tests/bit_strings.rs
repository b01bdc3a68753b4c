use super::{ENDLESS, made, run, run_seed};
use crate::problem::fixtures::{bits, constrained_table, table};
use crate::record::{Outcome, TrialRecord};
use crate::search::algorithms::{
    Cga, Control, GreedyHillClimbing, Pbil, Rounding, SelfAdjustingOnePlusLambda, Umda,
};
use crate::search::{Algorithm, Stop, Trace};
use std::sync::Arc;

/// Returns the fitness of the current genome, generation by generation.
fn path(result: &TrialRecord) -> Vec<f64> {
    result.trace.iter().map(|row| row.best).collect()
}

#[test]
fn greedy_hill_climbing_flips_from_left_to_right_and_keeps_what_is_no_worse() {
    // From 000: 100 is as good, 110 is worse, 101 better. Then 001 is worse, 111 better; 110 is
    // worse; 011 is worse; 101 is worse; 110 is worse.
    let problem = table("bits", "5 9 9 6 5 4 9 2", "0");
    let stop = Stop { generations: Some(9), ..ENDLESS };
    let result = run(&problem, &made(GreedyHillClimbing), &stop, Trace::Genomes);
    assert_eq!(path(&result), [5.0, 5.0, 5.0, 4.0, 4.0, 2.0, 2.0, 2.0, 2.0, 2.0]);
    assert_eq!((result.evaluations, result.best_text), (10, None));
}

/// In a valley with constraints, infeasible genomes are worse than feasible ones.
#[test]
fn greedy_hill_climbing_goes_by_the_constraints() {
    let problem = constrained_table("bits", "5 1 4 0", "0 2 0 1", "0");
    let stop = Stop { generations: Some(6), ..ENDLESS };
    let set = crate::search::OperatorSet::new(
        String::new(),
        made(GreedyHillClimbing),
        Some(crate::operators::Constraints::FeasibilityFirst),
        [],
        None,
    );
    let result = super::run_set(&problem, &set, &stop, Trace::Best, super::seeds(1));
    // From 00, 10 is better and feasible; 11 and 01 are not feasible.
    assert_eq!((result.best_fitness, result.best_violation), (Some(4.0), Some(0.0)));
}

fn all() -> Vec<Arc<dyn Algorithm>> {
    let normal = |factor, rounding| Control::Normal { strength: 2.0, factor, rounding };
    let controls = [
        Control::TwoRate { strength: 2.0 },
        normal(1.0, Rounding::Truncate),
        normal(1.0, Rounding::Nearest),
        normal(0.98, Rounding::Truncate),
        Control::LogNormal { rate: 0.2 },
    ];
    let mut all: Vec<Arc<dyn Algorithm>> =
        controls.map(|control| made(SelfAdjustingOnePlusLambda { lambda: 3, control })).into();
    all.push(made(GreedyHillClimbing));
    all.push(made(Umda { population: 20, selected: 10, margin: 0.01 }));
    all.push(made(Pbil {
        population: 20,
        learning_rate: 0.1,
        negative_learning_rate: 0.075,
        mutation_probability: 0.02,
        mutation_shift: 0.05,
        margin: 0.0,
    }));
    all.push(made(Cga { virtual_population: 40, margin: 0.01 }));
    all
}

#[test]
fn all_solve_one_max_of_any_length() {
    for bits_of in [1, 2, 3, 4, 7, 8, 30, 65] {
        let problem = bits(bits_of);
        let stop = Stop { target: Some(0.0), evaluations: Some(1_000_000), ..ENDLESS };
        for algorithm in all() {
            let result = run(&problem, &algorithm, &stop, Trace::None);
            assert_eq!(result.outcome, Outcome::Solved, "{algorithm:?} on {bits_of} bits");
        }
    }
}

/// Each trial is that of its seed, also after another trial with the same buffers.
#[test]
fn a_trial_leaves_nothing_to_the_next() {
    use crate::search::{Seeds, executor_for};
    use crate::system::interrupt::Interrupt;
    let problem = bits(20);
    let stop = Stop { generations: Some(30), ..ENDLESS };
    for algorithm in all() {
        let set = super::operator_set(&algorithm);
        let mut executor = executor_for(&problem, &set, &stop, None, Trace::Genomes);
        for trial in [1, 2, 1] {
            let seeds = Seeds { trial, start: None, number: 0 };
            let again = executor.run(seeds, &Interrupt::default()).expect("nobody interrupts");
            let alone = run_seed(&problem, &algorithm, &stop, Trace::Genomes, trial);
            assert_eq!(again.trace, alone.trace, "{algorithm:?}");
            assert_eq!(again.traced_genes, alone.traced_genes, "{algorithm:?}");
        }
    }
}

#[test]
fn models_without_margins_end_when_all_strings_are_the_same() {
    let problem = bits(12);
    for algorithm in [
        made(Cga { virtual_population: 5, margin: 0.0 }),
        made(Umda { population: 6, selected: 3, margin: 0.0 }),
    ] {
        let result = run(&problem, &algorithm, &ENDLESS, Trace::None);
        assert_eq!(result.outcome, Outcome::Stagnated, "{algorithm:?}");
    }
}
