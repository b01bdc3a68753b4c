//! The stop rule `diversity`: trials end where the distances of traced genomes say so.

use super::restarts::restartable;
use super::{ENDLESS, all_algorithms, evolutionary, made, run};
use crate::operators::Replacement;
use crate::problem::fixtures::{bits, reals, table};
use crate::problem::{Encoding, Genome, Problem};
use crate::record::{Outcome, TrialRecord};
use crate::search::{Algorithm, Stop, Trace};
use std::sync::Arc;

const GENERATIONS: u64 = 60;

/// Returns the mean distance in each traced generation, pair by pair; infinite without a pair.
fn diversities(problem: &Problem, result: &TrialRecord) -> Vec<f64> {
    let genes = result.traced_genes.as_ref().expect("a trace of genomes");
    let genomes = genes.split(problem.description().genome_length);
    let is_real = problem.description().encoding == Encoding::Real;
    let distance = |one: &Genome, other: &Genome| {
        let pairs = one.numbers().into_iter().zip(other.numbers());
        let differences = pairs.map(|(a, b)| (a - b).abs());
        match is_real {
            true => differences.map(|difference| difference.powi(2)).sum::<f64>().sqrt(),
            false => differences.filter(|difference| *difference > 0.0).count() as f64,
        }
    };
    let of_generation = |generation: u64| {
        let rows = result.trace.iter().zip(&genomes);
        let rows: Vec<&Genome> = rows
            .filter(|(row, _)| row.generation == generation)
            .map(|(_, genome)| genome)
            .collect();
        let count = rows.len() as f64;
        let both_ways: f64 =
            rows.iter().map(|one| rows.iter().map(|other| distance(one, other)).sum::<f64>()).sum();
        if rows.len() < 2 { f64::INFINITY } else { both_ways / (count * (count - 1.0)) }
    };
    (0..=result.generations).map(of_generation).collect()
}

/// Runs the trial to its last generation, and with diversities that it passes as the rule.
fn ends_where_the_trace_says(problem: &Problem, algorithm: &Arc<dyn Algorithm>) {
    let whole = Stop { generations: Some(GENERATIONS), ..ENDLESS };
    let result = run(problem, algorithm, &whole, Trace::Genomes);
    let diversities = diversities(problem, &result);
    for place in [0, 5, 20, diversities.len() - 1] {
        // Sums in another order differ in their last digits.
        let least = diversities[place.min(diversities.len() - 1)] * (1.0 + 1e-9);
        if !least.is_finite() {
            continue;
        }
        let end = diversities.iter().position(|now| *now <= least).expect("there is one") as u64;
        let stop = Stop { diversity: Some(least), ..whole.clone() };
        let ended = run(problem, algorithm, &stop, Trace::None);
        assert_eq!(ended.generations, end, "{algorithm:?} {least}");
        let by_rule = end < result.generations;
        assert!(!by_rule || ended.outcome == Outcome::Converged, "{algorithm:?}: {ended:?}");
        assert!(!ended.success);
    }
    let most = diversities.iter().copied().fold(f64::INFINITY, f64::min);
    let stop = Stop { diversity: Some(most * 0.5 - 1e-9), ..whole };
    let ended = run(problem, algorithm, &stop, Trace::Genomes);
    assert_eq!(ended, result, "a diversity that no generation has");
}

#[test]
fn every_population_ends_at_its_diversity() {
    let mut kinds = 0;
    for problem in [bits(10), reals(3)] {
        for algorithm in restartable(&problem).iter().filter(|one| one.has_diversity()) {
            ends_where_the_trace_says(&problem, algorithm);
            kinds += 1;
        }
    }
    assert!(kinds >= 10, "{kinds}");
}

#[test]
fn one_genome_and_samples_have_no_diversity() {
    let has: Vec<bool> = all_algorithms().iter().map(|one| one.has_diversity()).collect();
    assert_eq!(has, [true, false, false, false, false, false]);
    assert!(!made(evolutionary(1, Replacement::Generational)).has_diversity());
}

/// Any population of two bits has a diversity of at most 2, so all rules apply at once.
#[test]
fn the_first_rule_ends_the_trial() {
    let problem = table("bits", "3 2 1 0", "");
    let population = made(evolutionary(4, Replacement::Generational));
    let any = Stop { diversity: Some(2.0), ..ENDLESS };
    let outcome = |stop: &Stop| run(&problem, &population, stop, Trace::None).outcome;
    assert_eq!(outcome(&any), Outcome::Converged);
    assert_eq!(outcome(&Stop { target: Some(3.0), ..any.clone() }), Outcome::Solved);
    assert_eq!(outcome(&Stop { generations: Some(0), ..any.clone() }), Outcome::Generations);
    assert_eq!(outcome(&Stop { evaluations: Some(4), ..any.clone() }), Outcome::Evaluations);
    assert_eq!(outcome(&Stop { stagnation: Some(0), ..any.clone() }), Outcome::Stagnated);
    assert_eq!(outcome(&Stop { trial_seconds: Some(0.0), ..any }), Outcome::Converged);
}
