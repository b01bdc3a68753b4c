//! Restarts: a trial with restarts is a sequence of independent trials, number by number.

use super::{ENDLESS, FLIP, run, run_set, seeds};
use crate::operators::values::{Context, Values};
use crate::operators::{Mutation, Rearrangement, Replacement, Scaling, Selection, Unit};
use crate::problem::fixtures::{bits, permutation, reals, table};
use crate::problem::parameter::{Kind, Value};
use crate::problem::{Genome, Problem};
use crate::record::{Outcome, TraceRow, TrialRecord};
use crate::search::algorithm::Parts;
use crate::search::algorithms::{ALGORITHMS, IteratedLocalSearch};
use crate::search::restarts::luby;
use crate::search::start::GivenGenomes;
use crate::search::{
    Algorithm, OperatorSet, RestartRule, Restarts, Seeds, Start, Stop, Trace, executor_for,
};
use crate::system::interrupt::Interrupt;
use std::sync::Arc;

/// Returns each algorithm of the registry that a problem can restart, with its defaults.
pub(super) fn restartable(problem: &Problem) -> Vec<Arc<dyn Algorithm>> {
    let parts = Parts {
        scaling: Some(Scaling::None),
        selection: Some(Selection::Uniform),
        mutation: Some(Mutation { kind: FLIP, rate: 1.0 }),
        replacement: Some(Replacement::Generational),
        ..Parts::default()
    };
    let is_bits = problem.description().gene == crate::problem::GeneKind::U8
        && problem.description().encoding == crate::problem::Encoding::Bits;
    let none = Parts { mutation: None, ..parts };
    let parts = if is_bits { parts } else { none };
    let fitting = ALGORITHMS.entries.iter().filter(|entry| {
        let fits = entry.operator.fits(ALGORITHMS.slot, problem.description()).is_ok();
        // Crowding copies individuals without a mutation, and refuses that.
        let varies = is_bits || entry.operator.name != "deterministic-crowding";
        fits && varies && entry.make.has_runs()
    });
    let algorithms = fitting.map(|entry| {
        let mut values = Values::new(&entry.operator, |parameter| {
            let none = match parameter.kind {
                Kind::Boolean => Value::Boolean(false),
                _ => Value::Text("none".into()),
            };
            (parameter.key == "restarts").then_some(none)
        });
        let context = Context::new(10, problem.description());
        (entry.make.make)(&mut values, &parts, context).expect("defaults fit")
    });
    algorithms.filter(|algorithm| !algorithm.plans_over(Unit::Evaluations)).collect()
}

fn set(algorithm: &Arc<dyn Algorithm>, rule: RestartRule, unit: Unit) -> OperatorSet {
    let set = OperatorSet::new(String::new(), algorithm.clone(), None, [], None);
    set.with_restarts(Some(Restarts { rule, unit }))
}

/// Returns the trace of a trial with the generations and evaluations counted from others.
fn moved(trace: &[TraceRow], generations: u64, evaluations: u64) -> Vec<(u64, u64, u64, u64)> {
    let row = |row: &TraceRow| {
        let figures = (row.best.to_bits(), row.worst.to_bits());
        (row.generation + generations, row.evaluations + evaluations, figures.0, figures.1)
    };
    trace.iter().map(row).collect()
}

/// Every run is the trial of its seed, genome by genome: exact for every algorithm of the registry.
#[test]
fn a_run_is_the_trial_of_its_seed() {
    const GENERATIONS: u64 = 120;
    for problem in [bits(6), reals(3), permutation(5)] {
        let algorithms = restartable(&problem);
        assert!(algorithms.len() >= 6, "only {} algorithms", algorithms.len());
        for algorithm in algorithms {
            let plain = OperatorSet::new(String::new(), algorithm.clone(), None, [], None);
            let every = |_| Stop { generations: Some(5), ..ENDLESS };
            let doubling = |run| Stop { generations: Some(2 * luby(run + 1)), ..ENDLESS };
            let stagnating = |_| Stop { stagnation: Some(3), ..ENDLESS };
            let rules: [(_, &dyn Fn(u64) -> Stop); 3] = [
                (RestartRule::Every(5), &every),
                (RestartRule::Luby(2), &doubling),
                (RestartRule::Stagnation(3), &stagnating),
            ];
            for (rule, stop_of) in rules {
                let whole = Stop { generations: Some(GENERATIONS), ..ENDLESS };
                let restarted = set(&algorithm, rule, Unit::Generations);
                let got = run_set(&problem, &restarted, &whole, Trace::Genomes, seeds(7));
                let (mut rows, mut genes, mut number) = (Vec::new(), Vec::new(), 0);
                let (mut generations, mut evaluations) = (0, 0);
                while generations <= GENERATIONS {
                    let seed = seeds(7).of_run(number);
                    let one =
                        run_set(&problem, &plain, &stop_of(number), Trace::Genomes, seeds(seed));
                    rows.extend(moved(&one.trace, generations, evaluations));
                    genes.extend(numbers(one.traced_genes.as_ref()));
                    generations += one.generations + 1;
                    evaluations += one.evaluations;
                    number += 1;
                }
                let due = got.trace.len();
                assert_eq!(moved(&got.trace, 0, 0), rows[..due], "{algorithm:?} {rule:?}");
                let got = numbers(got.traced_genes.as_ref());
                assert_eq!(got, genes[..got.len()], "{algorithm:?} {rule:?}");
                assert!(number > 2, "{algorithm:?} {rule:?} never restarted");
            }
        }
    }
}

fn numbers(genes: Option<&Genome>) -> Vec<f64> {
    match genes.expect("genomes are traced") {
        Genome::U8(genes) => genes.iter().copied().map(f64::from).collect(),
        Genome::U16(genes) => genes.iter().copied().map(f64::from).collect(),
        Genome::U32(genes) => genes.iter().copied().map(f64::from).collect(),
        Genome::F64(genes) => genes.clone(),
    }
}

#[test]
fn a_rule_that_never_ends_a_run_changes_nothing() {
    let stop = Stop { generations: Some(20), ..ENDLESS };
    for problem in [bits(6), reals(3)] {
        for algorithm in restartable(&problem) {
            let plain = OperatorSet::new(String::new(), algorithm.clone(), None, [], None);
            let due = run_set(&problem, &plain, &stop, Trace::Genomes, seeds(3));
            if due.outcome != Outcome::Generations {
                // A search that ends by itself is restarted.
                continue;
            }
            for unit in [Unit::Generations, Unit::Evaluations] {
                let most = RestartRule::Stagnation(u64::MAX);
                for rule in [RestartRule::Every(u64::MAX), RestartRule::Luby(u64::MAX), most] {
                    let set = set(&algorithm, rule, unit);
                    let got = run_set(&problem, &set, &stop, Trace::Genomes, seeds(3));
                    assert_eq!(got, due, "{algorithm:?}");
                }
            }
        }
    }
}

/// From 0, iterated local search without luck stays; a run of 10 evaluations ends with the
/// generation in which it has spent them.
#[test]
fn a_run_of_evaluations_ends_with_its_generation() {
    let algorithm: Arc<dyn Algorithm> =
        Arc::new(IteratedLocalSearch { perturbation: 1, neighbors: Rearrangement::Swap });
    let problem = table("bits", "3 2 4 5 4 3 1 1", "");
    let stop = Stop { target: Some(0.0), generations: Some(200), ..ENDLESS };
    let set = set(&algorithm, RestartRule::Every(10), Unit::Evaluations);
    let result = run_set(&problem, &set, &stop, Trace::Best, seeds(5));
    let (mut began, mut restarts, mut before) = (0, 0, 0);
    for row in &result.trace {
        if row.evaluations == before + 1 {
            // An initial population of one; a climb has three neighbours or more.
            assert!(before == 0 || before - began >= 10, "{row:?}");
            (began, restarts) = (before, restarts + 1);
        } else {
            assert!(before - began < 10, "{row:?}");
        }
        before = row.evaluations;
    }
    assert!(restarts > 20, "{restarts}");
}

#[test]
fn given_and_paired_genomes_are_those_of_the_first_run() {
    let problem = bits(12);
    let genome = vec![vec![1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0]];
    let given = GivenGenomes::new(String::new(), genome.clone());
    let start = Start { genomes: Arc::new(given), count: 1 };
    let algorithm: Arc<dyn Algorithm> =
        Arc::new(IteratedLocalSearch { perturbation: 1, neighbors: Rearrangement::Swap });
    let set = set(&algorithm, RestartRule::Every(1), Unit::Generations);
    let stop = Stop { generations: Some(5), ..ENDLESS };
    let first = |start: Option<&Start>, seeds: Seeds| {
        let mut executor = executor_for(&problem, &set, &stop, start, Trace::Genomes);
        let result = executor.run(seeds, &Interrupt::default()).expect("nobody interrupts");
        let genes = numbers(result.traced_genes.as_ref());
        [genes[..12].to_vec(), genes[24..36].to_vec()]
    };
    let [one, other] = first(Some(&start), seeds(1));
    assert_eq!(one, genome[0]);
    assert_ne!(other, genome[0]);
    let paired = |trial| first(None, Seeds { trial, start: Some(9), number: 0 });
    let (one, other) = (paired(1), paired(2));
    assert_eq!(one[0], other[0]);
    assert_ne!(one[1], one[0]);
    assert_ne!(one[1], other[1]);
}

/// The rule `stagnation` of the trial counts over all runs.
#[test]
fn the_trial_stagnates_over_all_its_runs() {
    let problem = bits(20);
    let stop = Stop { stagnation: Some(30), ..ENDLESS };
    for algorithm in restartable(&problem) {
        let set = set(&algorithm, RestartRule::Every(4), Unit::Generations);
        let result = run_set(&problem, &set, &stop, Trace::Best, seeds(2));
        assert_eq!(result.outcome, Outcome::Stagnated, "{algorithm:?}");
        let last = result.trace.last().expect("a trace");
        let improved = result.trace.iter().find(|row| row.best_so_far == last.best_so_far);
        let improved = improved.expect("a best").generation;
        assert_eq!(result.generations, improved + 30, "{algorithm:?}");
    }
}

/// Hill climbing that is stuck ends its run, not the trial.
#[test]
fn a_search_that_ends_by_itself_begins_anew() {
    use crate::search::algorithms::{HillClimbing, PivotingRule};
    let problem = table("bits", "3 2 4 5 4 3 1 0", "");
    let settings = HillClimbing {
        pivoting_rule: PivotingRule::Steepest,
        sideways: 0,
        restarts: false,
        neighbors: Rearrangement::Swap,
    };
    let algorithm: Arc<dyn Algorithm> = Arc::new(settings);
    let stop = Stop { target: Some(0.0), evaluations: Some(10_000), ..ENDLESS };
    let solved = |set: &OperatorSet| {
        let trials = (0..100).map(|seed| run_set(&problem, set, &stop, Trace::None, seeds(seed)));
        trials.filter(|trial: &TrialRecord| trial.outcome == Outcome::Solved).count()
    };
    let set = set(&algorithm, RestartRule::Every(u64::MAX), Unit::Generations);
    assert_eq!(solved(&set), 100);
    let once = (0..100).filter(|seed| {
        super::run_seed(&problem, &algorithm, &stop, Trace::None, *seed).outcome == Outcome::Solved
    });
    assert!(once.count() < 90);
}

#[test]
fn a_trace_has_at_most_the_rows_that_are_announced() {
    for problem in [bits(6), reals(3)] {
        for algorithm in restartable(&problem) {
            for rule in [RestartRule::Every(1), RestartRule::Stagnation(2)] {
                let set = set(&algorithm, rule, Unit::Generations);
                for evaluations in [10, 57, 200] {
                    let stop = Stop { evaluations: Some(evaluations), ..ENDLESS };
                    let result = run_set(&problem, &set, &stop, Trace::Population, seeds(1));
                    let most = set.most_trace_rows(&stop).expect("a bound");
                    assert!(result.trace.len() as u64 <= most, "{algorithm:?} {evaluations}");
                }
                let stop = Stop { generations: Some(17), ..ENDLESS };
                let result = run_set(&problem, &set, &stop, Trace::Population, seeds(1));
                let most = set.most_trace_rows(&stop).unwrap_or(u64::MAX);
                assert!(result.trace.len() as u64 <= most, "{algorithm:?}");
                let due = set.evaluations(17);
                assert!(due.is_none_or(|due| due == result.evaluations), "{algorithm:?}");
            }
            let stop = Stop { generations: Some(17), ..ENDLESS };
            let plain = run(&problem, &algorithm, &stop, Trace::None);
            let set = OperatorSet::new(String::new(), algorithm.clone(), None, [], None);
            assert!(set.evaluations(17).is_none_or(|due| due == plain.evaluations));
        }
    }
}
