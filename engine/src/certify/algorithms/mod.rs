//! Checks of whole algorithms. The populations of their first generations are compared with every
//! outcome that the definitions allow.

mod cma_es;
mod differential_evolution;
mod estimation;
mod greedy_hill_climbing;
mod one_plus_lambda_lambda;
mod one_plus_one_es;
mod self_adjusting;

use super::Check;
use crate::problem::Problem;
use crate::random::draws::Random;
use crate::record::TrialResult;
use crate::search::start::GivenGenomes;
use crate::search::{Algorithm, OnSuccess, OperatorSet, Seeds, Start, Stop, Trace, executor_for};
use crate::system::interrupt::Interrupt;
use rand::Rng;
use std::sync::Arc;

/// Number of trials per check.
const TRIALS: u32 = 20_000;

pub(super) fn checks() -> Vec<Check> {
    let all = [
        one_plus_lambda_lambda::checks(),
        differential_evolution::checks(),
        cma_es::checks(),
        one_plus_one_es::checks(),
        self_adjusting::checks(),
        greedy_hill_climbing::checks(),
        estimation::checks(),
    ];
    all.into_iter().flatten().collect()
}

/// Runs trials of `generations` generations from given genomes, with all genomes in their traces.
pub(super) fn trials(
    problem: &Problem,
    algorithm: &Arc<dyn Algorithm>,
    start: &[Vec<f64>],
    generations: u64,
    random: &mut Random,
    visit: impl FnMut(TrialResult),
) {
    some_trials(TRIALS, problem, algorithm, start, generations, random, visit);
}

/// Runs `count` trials like [`trials`].
fn some_trials(
    count: u32,
    problem: &Problem,
    algorithm: &Arc<dyn Algorithm>,
    start: &[Vec<f64>],
    generations: u64,
    random: &mut Random,
    mut visit: impl FnMut(TrialResult),
) {
    let genomes = Arc::new(GivenGenomes::new(String::new(), start.to_vec()));
    let start = Start { genomes, count: start.len() };
    let stop = Stop {
        target: None,
        generations: Some(generations),
        evaluations: None,
        stagnation: None,
        trial_seconds: None,
        on_success: OnSuccess::Continue,
        keep_ended: false,
    };
    let set = OperatorSet::new(String::new(), Arc::clone(algorithm), None, [], None);
    let mut executor = executor_for(problem, &set, &stop, Some(&start), Trace::Genomes);
    for _ in 0..count {
        let seeds = Seeds { trial: random.next_u64(), start: None, number: 0 };
        visit(executor.run(seeds, &Interrupt::default()).expect("nobody interrupts"));
    }
}
