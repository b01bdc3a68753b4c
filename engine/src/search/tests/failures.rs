use super::{
    ENDLESS, all_algorithms, arm, evolutionary, exhaustive, made, operator_set, random_search, run,
    seeds,
};
use crate::operators::{Crossover, CrossoverKind, Mutation, MutationKind, Replacement};
use crate::problem::fixtures::{faulty, table};
use crate::problem::{CallError, Genome};
use crate::record::{Outcome, TrialRecord};
use crate::search::Algorithm;
use crate::search::Guidance;
use crate::search::algorithms::SimulatedAnnealing;
use crate::search::evaluator::Evaluator;
use crate::search::population::Population;
use crate::search::trial::Trial;
use crate::search::{OnSuccess, Stop, Trace};
use crate::system::interrupt::Interrupt;
use std::sync::Arc;
use std::time::Duration;

/// Runs three generations of a problem whose plugin panics in this call.
fn panicking(call: &str, fault: &'static str, algorithm: &Arc<dyn Algorithm>) -> TrialRecord {
    let stop = Stop { generations: Some(3), target: Some(8.0), ..ENDLESS };
    let stop = Stop { on_success: OnSuccess::Continue, ..stop };
    let problem = faulty(fault).expect("the fault comes later");
    let result = run(&problem, algorithm, &stop, Trace::Best);
    let error = result.error.as_deref().expect("a panic is an error");
    assert!(error.starts_with(&format!("plugin `faulty`: {call}: panicked: as asked")), "{error}");
    assert_eq!(result.outcome, Outcome::Failed);
    // Every fitness reached the target, but a failed trial is not a success.
    assert!(!result.success && result.evaluations_to_success.is_none());
    result
}

#[test]
fn a_trial_that_fails_at_its_first_call_has_nothing() {
    for algorithm in all_algorithms() {
        let is_exhaustive = algorithm.guidance() == Guidance::Order;
        let first = if is_exhaustive { "enumerate" } else { "sample" };
        let fault = if is_exhaustive { "panic-enumerate" } else { "panic-sample" };
        for (call, fault) in [(first, fault), ("evaluate", "panic-evaluate")] {
            let result = panicking(call, fault, &algorithm);
            let error = result.error.clone();
            assert_eq!(
                result,
                TrialRecord { error, ..TrialRecord::lost(Outcome::Failed, "".into()) }
            );
        }
    }
}

#[test]
fn a_trial_that_fails_in_its_variation_keeps_what_came_before() {
    let mut crossing = evolutionary(4, Replacement::Generational);
    crossing.crossover = Some(Crossover { kind: CrossoverKind::Problem, rate: 1.0, children: 1 });
    let mut mutating = evolutionary(4, Replacement::Generational);
    mutating.mutation = Some(Mutation { kind: MutationKind::Problem, rate: 1.0 });
    let mutation = MutationKind::Problem;
    let annealing = SimulatedAnnealing { temperature: 1.0, cooling: 1.0, moves: 2, mutation };
    for (call, fault, algorithm) in [
        ("crossover", "panic-crossover", made(crossing)),
        ("mutate", "panic-mutate", made(mutating)),
        ("mutate", "panic-mutate", made(annealing)),
    ] {
        let result = panicking(call, fault, &algorithm);
        assert_eq!(result.evaluations, algorithm.population() as u64, "{call}");
        assert_eq!((result.generations, result.trace.len()), (0, 1), "{call}");
        assert!(result.best.is_some() && result.best_text.is_some(), "{call}");
        assert_eq!(result.valid, Some(true), "{call}");
    }
}

#[test]
fn a_trial_whose_best_cannot_be_described_fails() {
    for (call, fault) in [("is_valid", "panic-is_valid"), ("render", "panic-render")] {
        for algorithm in [random_search(4), made(evolutionary(4, Replacement::Generational))] {
            let result = panicking(call, fault, &algorithm);
            assert_eq!((result.generations, result.evaluations), (3, 16), "{call}");
            assert!(result.best.is_some() && result.best_fitness.is_some(), "{call}");
            assert_eq!((result.valid, result.best_text), (None, None), "{call}");
        }
    }
}

#[test]
fn a_trial_that_fails_later_keeps_its_completed_generations() {
    let problem = table("integer", "5 4 3 2 1 error 0", "");
    for (batch, evaluations, generations, best) in
        [(1, 5, 4, Some(4)), (2, 4, 1, Some(3)), (3, 3, 0, Some(2)), (6, 0, 0, None)]
    {
        let result = run(&problem, &exhaustive(batch), &ENDLESS, Trace::Best);
        let error = "plugin `table`: evaluate: entry 5 is an error";
        assert_eq!((result.outcome, result.error.as_deref()), (Outcome::Failed, Some(error)));
        // The batch that failed has no fitness.
        assert_eq!((result.evaluations, result.generations), (evaluations, generations));
        assert_eq!(result.trace.len() as u64, evaluations / batch as u64);
        assert_eq!(result.best, best.map(|gene| Genome::U8(vec![gene])));
    }
}

#[test]
fn the_first_error_is_reported() {
    let problem = faulty("panic-render").expect("the fault comes later");
    let interrupt = Interrupt::default();
    let set = operator_set(&random_search(1));
    let arm = arm(&problem, &set, &ENDLESS);
    let mut evaluator = Evaluator::new(&arm);
    let mut trial = Trial::new(arm, &mut evaluator, seeds(1), &interrupt, Duration::ZERO);
    trial.evaluate(&mut Population::<u8>::new(1, 8)).expect("no fault");
    let first = CallError { plugin: "faulty".into(), call: "mutate", message: "first".into() };
    let result = trial.into_result(Err(first));
    assert_eq!(result.error.as_deref(), Some("plugin `faulty`: mutate: first"));
    assert_eq!((result.outcome, result.best_text), (Outcome::Failed, None));
}
