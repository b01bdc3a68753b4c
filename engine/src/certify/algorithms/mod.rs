//! Checks of whole algorithms. The populations of their first generations are compared with every
//! outcome that the definitions allow.

mod adaptive_evolution;
mod climbs;
mod cma_es;
mod cma_es_restarts;
mod conflict_minimization;
mod differential_evolution;
mod estimation;
mod evolutionary;
mod exhaustive;
mod greedy_hill_climbing;
mod hill_climbing;
mod iterated_local_search;
mod landscapes;
mod local_search;
mod min_conflicts;
mod one_plus_lambda_lambda;
mod one_plus_one_es;
mod particle_swarm;
mod random_search;
mod schedules;
mod self_adaptation;
mod self_adjusting;
mod sharing;
mod simulated_annealing;
mod structured;
mod variable_neighborhood_search;

use super::Check;
use crate::problem::Problem;
use crate::random::draws::Random;
use crate::record::TrialRecord;
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
        adaptive_evolution::checks(),
        particle_swarm::checks(),
        iterated_local_search::checks(),
        local_search::checks(),
        structured::checks(),
        min_conflicts::checks(),
        conflict_minimization::checks(),
        variable_neighborhood_search::checks(),
        schedules::checks(),
        sharing::checks(),
        self_adaptation::checks(),
        simulated_annealing::checks(),
        hill_climbing::checks(),
        random_search::checks(),
        exhaustive::checks(),
        evolutionary::checks(),
        cma_es_restarts::checks(),
    ];
    all.into_iter().flatten().collect()
}

/// Stop rules that never end a trial.
const STOP: Stop = Stop {
    target: None,
    generations: None,
    evaluations: None,
    stagnation: None,
    diversity: None,
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
    visit: impl FnMut(TrialRecord),
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
    mut visit: impl FnMut(TrialRecord),
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
