use super::{
    ENDLESS, annealing, exhaustive, hill_climbing, operator_set, random_search, run, seeds,
};
use crate::problem::fixtures::table;
use crate::record::Outcome;
use crate::search::algorithms::PivotingRule;
use crate::search::{EvaluationLog, OnSuccess, SnapshotFile, Speed, Stop, Trace, executor_for};
use crate::system::interrupt::Interrupt;
use std::time::Duration;

#[test]
fn the_target_ends_the_trial_with_its_generation() {
    let problem = table("integer", "9 8 7 6 5 4 3 2 1 0", "");
    let stop = Stop { target: Some(5.0), ..ENDLESS };
    let result = run(&problem, &exhaustive(3), &stop, Trace::None);
    assert_eq!((result.outcome, result.success), (Outcome::Solved, true));
    assert_eq!((result.generations, result.evaluations), (1, 6));
    assert_eq!(result.evaluations_to_success, Some(5));
    // The best genome is that of the whole generation.
    assert_eq!(result.best_fitness, Some(4.0));
}

/// A fitness that misses the ideal by rounding only has reached it; any other target is exact.
#[test]
fn the_ideal_is_reached_within_its_tolerance() {
    let evaluations_to = |fitness, target| {
        let stop = Stop { target: Some(target), ..ENDLESS };
        run(&table("integer", fitness, ""), &exhaustive(1), &stop, Trace::None)
            .evaluations_to_success
    };
    assert_eq!(evaluations_to("3 5e-10 0", 0.0), Some(2));
    assert_eq!(evaluations_to("3 1.0000000005 1 0", 1.0), Some(3));
}

#[test]
fn without_a_target_nothing_is_a_success() {
    let problem = table("integer", "-1e300 0", "");
    let result = run(&problem, &exhaustive(1), &ENDLESS, Trace::None);
    assert_eq!((result.outcome, result.success), (Outcome::Exhausted, false));
    assert_eq!((result.evaluations_to_success, result.best_fitness), (None, Some(-1e300)));
}

#[test]
fn a_success_that_does_not_stop_is_counted_all_the_same() {
    let problem = table("integer", "9 1 0 5 5 5 5 5", "");
    let on_success = OnSuccess::Continue;
    let stop = Stop { target: Some(1.0), generations: Some(2), on_success, ..ENDLESS };
    let result = run(&problem, &exhaustive(2), &stop, Trace::None);
    assert_eq!((result.outcome, result.success), (Outcome::Generations, true));
    // The count is that of the first genome that reached the target, not of the best.
    assert_eq!((result.evaluations, result.evaluations_to_success), (6, Some(2)));
    assert_eq!(result.best_fitness, Some(0.0));
}

#[test]
fn evaluations_to_success_are_exact_within_a_batch() {
    let problem = table("integer", "12 11 10 9 8 7 6 5 4 3 2 1", "");
    for batch in 1..=13 {
        for place in 0..12u32 {
            for on_success in [OnSuccess::Stop, OnSuccess::Continue] {
                let stop = Stop { target: Some(f64::from(12 - place)), on_success, ..ENDLESS };
                let result = run(&problem, &exhaustive(batch), &stop, Trace::None);
                let exact = u64::from(place) + 1;
                assert_eq!(result.evaluations_to_success, Some(exact), "batches of {batch}");
                let ended = match on_success {
                    OnSuccess::Stop => (Outcome::Solved, exact.next_multiple_of(batch as u64)),
                    OnSuccess::Continue => (Outcome::Exhausted, 12),
                };
                assert_eq!((result.outcome, result.evaluations), (ended.0, ended.1.min(12)));
            }
        }
    }
}

#[test]
fn stagnation_is_counted_from_the_last_improvement() {
    let algorithm = exhaustive(2);
    for (fitness, allowed, generations) in [
        ("9 9 9 9 9 9 9 9 9 9", 0, 0),
        ("9 9 9 9 9 9 9 9 9 9", 1, 1),
        ("9 9 9 9 9 9 9 9 9 9", 3, 3),
        ("9 9 9 5 9 9 9 9 9 9", 2, 3),
        // Equal fitness is not an improvement.
        ("9 5 9 5 9 5 9 9 9 9", 2, 2),
        ("9 9 8 9 9 7 9 9 9 9", 2, 4),
    ] {
        let stop = Stop { stagnation: Some(allowed), ..ENDLESS };
        let result = run(&table("integer", fitness, ""), &algorithm, &stop, Trace::None);
        // The fifth batch is the last.
        let outcome = if generations == 4 { Outcome::Exhausted } else { Outcome::Stagnated };
        assert_eq!((result.outcome, result.generations), (outcome, generations), "{fitness}");
        assert_eq!(result.evaluations, 2 * generations + 2, "{fitness}");
    }
}

#[test]
fn a_limit_of_no_seconds_ends_the_trial_after_its_first_generation() {
    let problem = table("bits", "3 2 1 0", "");
    let stop = Stop { trial_seconds: Some(0.0), ..ENDLESS };
    for (algorithm, evaluations) in [
        (random_search(5), 5),
        (hill_climbing(PivotingRule::Steepest), 1),
        (hill_climbing(PivotingRule::FirstImprovement), 1),
        (annealing(1.0, 1.0, 5), 1),
        (exhaustive(3), 3),
    ] {
        let result = run(&problem, &algorithm, &stop, Trace::None);
        assert_eq!(
            (result.outcome, result.generations, result.evaluations),
            (Outcome::TimedOut, 0, evaluations),
            "{algorithm:?}"
        );
    }
}

#[test]
fn a_limit_beyond_all_time_is_none() {
    let problem = table("bits", "1 1", "");
    let stop = Stop { trial_seconds: Some(f64::MAX), generations: Some(3), ..ENDLESS };
    let result = run(&problem, &random_search(1), &stop, Trace::None);
    assert_eq!((result.outcome, result.generations), (Outcome::Generations, 3));
}

/// All rules apply at the end of generation 0. They are removed one by one.
#[test]
fn of_several_rules_the_first_in_order_gives_the_outcome() {
    let problem = table("integer", "0 0 0 0", "");
    let all = Stop {
        target: Some(0.0),
        generations: Some(0),
        evaluations: Some(4),
        stagnation: Some(0),
        diversity: None,
        trial_seconds: Some(0.0),
        on_success: OnSuccess::Stop,
        keep_ended: false,
    };
    let outcome = |algorithm, stop: &Stop| run(&problem, &algorithm, stop, Trace::None).outcome;
    assert_eq!(outcome(exhaustive(4), &all), Outcome::Solved);
    let stop = Stop { on_success: OnSuccess::Continue, ..all };
    assert_eq!(outcome(exhaustive(4), &stop), Outcome::Exhausted);
    assert_eq!(outcome(random_search(4), &stop), Outcome::Generations);
    let stop = Stop { generations: None, ..stop };
    assert_eq!(outcome(random_search(4), &stop), Outcome::Evaluations);
    let stop = Stop { evaluations: None, ..stop };
    assert_eq!(outcome(random_search(4), &stop), Outcome::Stagnated);
    let stop = Stop { stagnation: None, ..stop };
    assert_eq!(outcome(random_search(4), &stop), Outcome::TimedOut);
}

/// Files of a trial that took this long before it was interrupted, and have nothing else.
struct Spent(Duration);

impl EvaluationLog for Spent {
    fn recall(&mut self, _: u32) -> Option<(f64, f64)> {
        None
    }

    fn append(&mut self, _: u32, _: f64, _: f64) {}

    fn write_if_due(&mut self) {}

    fn write(&mut self) {}

    fn interval(&self) -> Duration {
        Duration::MAX
    }

    fn spent(&self) -> Duration {
        self.0
    }
}

impl SnapshotFile for Spent {
    fn snapshot(&mut self) -> Option<Vec<u8>> {
        None
    }

    fn spent(&self) -> Duration {
        self.0
    }

    fn is_due(&self) -> bool {
        false
    }

    fn is_worth_saving(&self) -> bool {
        false
    }

    fn write(&mut self, _: u64, _: &[u8]) {}
}

/// The time before an interrupt counts, whichever file has it.
#[test]
fn a_time_limit_includes_the_time_before_an_interrupt() {
    let problem = table("integer", "9 8 7 6 5 4 3 2 1 0", "");
    let stop = Stop { trial_seconds: Some(3600.0), evaluations: Some(5000), ..ENDLESS };
    let set = operator_set(&random_search(1));
    let (none, all) = (Duration::ZERO, Duration::from_secs(3601));
    let due = [(none, none), (all, none), (none, all)];
    for ((log, snapshot), due) in
        due.into_iter().zip([Outcome::Evaluations, Outcome::TimedOut, Outcome::TimedOut])
    {
        let mut executor = executor_for(&problem, &set, &stop, None, Trace::None);
        executor.keep_snapshots(Box::new(Spent(snapshot)));
        executor.begin_log(Box::new(Spent(log)), Speed::default());
        let result = executor.run(seeds(1), &Interrupt::default()).expect("nobody interrupts");
        assert_eq!(result.outcome, due);
    }
}
