//! Checks of whole algorithms. The populations of their first generations are compared with every
//! outcome that the definitions allow.

mod adaptive_evolution;
mod differential_evolution;
mod local_search;
mod one_plus_lambda_lambda;
mod particle_swarm;

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
    let mut all = one_plus_lambda_lambda::checks();
    all.extend(differential_evolution::checks());
    all.extend(adaptive_evolution::checks());
    all.extend(particle_swarm::checks());
    all.extend(local_search::checks());
    all
}

/// Stop rules that never end a trial.
const STOP: Stop = Stop {
    target: None,
    generations: None,
    evaluations: None,
    stagnation: None,
    trial_seconds: None,
    on_success: OnSuccess::Continue,
    keep_ended: false,
};

/// Runs trials of `generations` generations from given genomes, with all genomes in their traces.
pub(super) fn trials(
    problem: &Problem,
    algorithm: &Arc<dyn Algorithm>,
    start: &[Vec<f64>],
    generations: u64,
    random: &mut Random,
    visit: impl FnMut(TrialResult),
) {
    let stop = Stop { generations: Some(generations), ..STOP };
    trials_until(&stop, TRIALS, problem, algorithm, start, random, visit);
}

/// Runs `count` trials under stop rules, from given genomes and random ones.
pub(super) fn trials_until(
    stop: &Stop,
    count: u32,
    problem: &Problem,
    algorithm: &Arc<dyn Algorithm>,
    start: &[Vec<f64>],
    random: &mut Random,
    mut visit: impl FnMut(TrialResult),
) {
    let genomes = Arc::new(GivenGenomes::new(String::new(), start.to_vec()));
    let given = Start { genomes, count: start.len() };
    let given = (!start.is_empty()).then_some(&given);
    let set = OperatorSet::new(String::new(), Arc::clone(algorithm), None, [], None);
    let mut executor = executor_for(problem, &set, stop, given, Trace::Genomes);
    for _ in 0..count {
        let seeds = Seeds { trial: random.next_u64(), start: None, number: 0 };
        visit(executor.run(seeds, &Interrupt::default()).expect("nobody interrupts"));
    }
}
