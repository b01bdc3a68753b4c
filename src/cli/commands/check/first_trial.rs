//! First trials: one trial per arm, with its result and the estimated time of a whole trial.

use crate::cli::progress::{Wait, duration};
use crate::plan::settings::{ArmSettings, Stop};
use crate::plan::{Arm, Plan};
use crate::present::terminal::FirstTrial;
use crate::record::{Outcome, Timing, TrialId, TrialRecord};
#[cfg(unix)]
use crate::run::collect_trials;
use crate::run::{Difference, differences};
use crate::run::{Isolation, limit_calls};
use crate::search::executor_for;
use crate::system::call_limit::{self, Loss};
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use crate::system::shell::shell_path;
use crate::words::count;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// Maximum seconds per trial. The time of a longer trial is estimated from its progress.
const TRIAL: f64 = 2.0;
/// Maximum time for all trials of an experiment. Arms that are not tried by then are estimated from
/// the others.
pub(super) const ALL: Duration = Duration::from_secs(60);

/// Outcome of an arm's first trial.
pub(super) struct Tried {
    pub shown: FirstTrial,
    /// Estimated seconds of a whole trial; the seconds of this one if no estimate is possible.
    pub seconds: f64,
    /// Whether the trial was cut short and no estimate is possible.
    pub is_cut: bool,
    /// Seconds per evaluation; `None` if unknown.
    pub evaluation: Option<f64>,
}

impl Tried {
    fn new(shown: FirstTrial, seconds: f64) -> Self {
        Tried {
            shown: FirstTrial { time: Some(short(seconds)), ..shown },
            seconds,
            is_cut: false,
            evaluation: None,
        }
    }

    /// A trial that was cut short after `seconds`, and may take any time.
    fn cut(shown: FirstTrial, seconds: f64) -> Self {
        Tried { shown, seconds, is_cut: true, evaluation: None }
    }

    /// Sets the time per evaluation of a trial that took `seconds`.
    fn timed(mut self, seconds: f64) -> Self {
        let evaluations = self.shown.evaluations.filter(|evaluations| *evaluations > 0);
        self.evaluation = evaluations.map(|evaluations| seconds / evaluations as f64);
        self.shown.evaluation = self.evaluation.map(short);
        self
    }

    fn failed(error: &str, seconds: f64) -> Self {
        let shown = FirstTrial { outcome: "failed".to_owned(), ..FirstTrial::default() };
        Tried::new(FirstTrial { error: Some(error.to_owned()), ..shown }, seconds)
    }
}

/// Formats a time for readers, including short ones: "80 ns", "31 µs", "4 ms", "3.2 s".
fn short(seconds: f64) -> String {
    match seconds {
        0.0..0.000_000_999_5 => format!("{:.0} ns", seconds * 1e9),
        0.0..0.000_999_5 => format!("{:.0} µs", seconds * 1e6),
        0.0..0.999_5 => format!("{:.0} ms", seconds * 1e3),
        _ => duration(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
    }
}

/// Tries one trial of each arm, or of as many arms as the time allows. Returns arm numbers and
/// outcomes.
pub(super) fn try_arms(plan: &Plan, isolation: &Isolation) -> Result<Vec<(usize, Tried)>, String> {
    let started = Instant::now();
    let (done, arms) = (Arc::new(AtomicUsize::new(0)), plan.arms.len());
    let (name, number) = (plan.name.clone(), Arc::clone(&done));
    let _wait = Wait::begin(move || {
        let number = number.load(Ordering::Relaxed);
        format!("{name}: tried {} of {} arms", count(number as u64), count(arms as u64))
    });
    let mut tried: Vec<(usize, Tried)> = Vec::new();
    let mut repeated = HashSet::new();
    for index in spread(arms) {
        if index > 0 && started.elapsed() > ALL {
            break;
        }
        let arm = &plan.arms[index];
        guard::arm(&arm.label, None);
        guard::trial(0);
        let one = match isolation {
            Isolation::Threads => try_arm(plan, arm),
            #[cfg(unix)]
            Isolation::Processes(_) => try_apart(plan, arm, isolation)?,
        };
        if one.evaluation.is_some() && repeated.insert(Arc::as_ptr(&arm.problem)) {
            warn_of_change(plan, arm, &one, isolation);
        }
        guard::no_trial();
        tried.push((index, one));
        done.fetch_add(1, Ordering::Relaxed);
    }
    tried.sort_by_key(|(index, _)| *index);
    Ok(tried)
}

/// Returns all numbers below `count`, each once, such that neighbours are far from each other. Any
/// prefix of them is spread over the whole range.
fn spread(count: usize) -> impl Iterator<Item = usize> {
    // Steps of the golden section (Weyl 1916, doi:10.1007/BF01475864), coprime to the count.
    let divides = |mut step: usize| {
        let mut rest = count;
        while step > 0 {
            (rest, step) = (step, rest % step);
        }
        rest > 1
    };
    let golden = (count as f64 * 0.618_033_988_749_895) as usize;
    let step = (golden.max(1)..).find(|step| !divides(*step)).unwrap_or(1);
    (0..count).map(move |number| (number as u128 * step as u128 % count.max(1) as u128) as usize)
}

fn try_arm(plan: &Plan, arm: &Arm) -> Tried {
    let Arm { problem, settings, .. } = arm;
    // The arm's own limit may be shorter.
    let limit = settings.stop.trial_seconds.filter(|seconds| *seconds <= TRIAL);
    let stop = Stop { trial_seconds: limit.or(Some(TRIAL)), ..settings.stop.clone() };
    let started = Instant::now();
    let interrupt = Interrupt::default();
    let mut executor =
        executor_for(problem, &settings.operators, &stop, settings.start.as_ref(), plan.trace);
    limit_calls(&stop, Duration::ZERO, &interrupt);
    let result = executor.run(arm.seeds(plan.seed, 0), &interrupt).expect("nobody interrupts it");
    let seconds = started.elapsed().as_secs_f64();
    if call_limit::loss() == Some(Loss::Late) {
        let shown = |outcome| FirstTrial { outcome, ..FirstTrial::default() };
        return match limit {
            Some(_) => Tried::new(shown(Outcome::TimedOut.to_string()), seconds),
            None => Tried::cut(shown(still_running(seconds)), seconds),
        };
    }
    if let Some(error) = &result.error {
        return Tried::failed(error, seconds);
    }
    let shown = FirstTrial {
        outcome: result.outcome.to_string(),
        evaluations: Some(result.evaluations),
        best_fitness: result.best_fitness,
        best_violation: result.best_violation,
        ..FirstTrial::default()
    };
    if result.outcome != Outcome::TimedOut || limit.is_some() {
        return Tried::new(shown, seconds).timed(seconds);
    }
    let shown = FirstTrial { outcome: still_running(seconds), ..shown };
    let whole = share(&result, settings).map(|share| seconds / share);
    // The arm's own limit may end the trial earlier.
    let whole = whole.into_iter().chain(settings.stop.trial_seconds).reduce(f64::min);
    match whole {
        Some(whole) => Tried::new(shown, whole),
        None => Tried::cut(shown, seconds),
    }
    .timed(seconds)
}

/// Maximum seconds for evaluating the first genomes of a problem again.
const AGAIN: f64 = 0.25;

/// Warns if the problem gives the same genomes another fitness. The first evaluations of the trial
/// are made twice. In worker processes a whole trial is run twice, unless it takes long.
fn warn_of_change(plan: &Plan, arm: &Arm, one: &Tried, isolation: &Isolation) {
    let both = match isolation {
        Isolation::Threads => {
            let possible = one.evaluation.map_or(2, |seconds| (AGAIN / seconds) as u64).max(2);
            let evaluations = one.shown.evaluations.map_or(possible, |all| all.min(possible));
            let is_slow = one.evaluation.unwrap_or(one.seconds) > AGAIN;
            if is_slow { None } else { begin_twice(plan, arm, evaluations) }
        }
        #[cfg(unix)]
        Isolation::Processes(_) if one.seconds > 4.0 * AGAIN => None,
        #[cfg(unix)]
        Isolation::Processes(_) => {
            let interrupt = Interrupt::default();
            let run = || collect_trials(plan, [(arm.index, 0)], 1, isolation, &interrupt).ok();
            let first = |records: Vec<TrialRecord>| records.into_iter().next();
            run().and_then(first).zip(run().and_then(first))
        }
    };
    let found = both.map_or_else(Vec::new, |(one, other)| differences(&one, &other));
    let Some(found) = found.first() else { return };
    let what = match found {
        Difference::Figure { name, then, now } => format!("{name} {then}, then {now}"),
        Difference::Other | Difference::Unfinished => "another best genome".to_owned(),
    };
    let library = arm.problem.library();
    let (name, file) = (library.name(), shell_path(library.path()));
    warning!(
        "{}: the fitness of `{name}` changes when the same genomes are evaluated again (arm \
        `{}`, trial 0, twice: {what}), so that no trial can be reproduced; a fitness may depend on \
        the genome alone, and not on random numbers, the clock or earlier calls: `runner \
        conformance {file}` tests that",
        plan.name,
        arm.label,
    );
}

/// Runs the first trial twice, up to a number of evaluations.
fn begin_twice(plan: &Plan, arm: &Arm, evaluations: u64) -> Option<(TrialRecord, TrialRecord)> {
    let Arm { problem, settings, .. } = arm;
    let evaluations = Some(evaluations);
    let stop = Stop { trial_seconds: None, evaluations, ..settings.stop.clone() };
    let mut executor =
        executor_for(problem, &settings.operators, &stop, settings.start.as_ref(), plan.trace);
    let interrupt = Interrupt::default();
    let mut run = || {
        limit_calls(&settings.stop, Duration::ZERO, &interrupt);
        let result = executor.run(arm.seeds(plan.seed, 0), &interrupt)?;
        let trial = TrialId { arm: arm.index, trial: 0, seed: 0 };
        Some(result.with_id(trial, Timing::default()))
    };
    run().zip(run())
}

fn still_running(seconds: f64) -> String {
    format!("still running after {}", short(seconds))
}

/// Tries an arm like [`try_arm`], but in a worker process. The progress of a trial that exceeds the
/// time is unknown.
#[cfg(unix)]
fn try_apart(plan: &Plan, arm: &Arm, isolation: &Isolation) -> Result<Tried, String> {
    let interrupt = Interrupt::default();
    let (ended, ends) = mpsc::channel::<()>();
    let ran = std::thread::scope(|scope| {
        let late = interrupt.clone();
        let watch = move || {
            if ends.recv_timeout(Duration::from_secs_f64(TRIAL))
                == Err(mpsc::RecvTimeoutError::Timeout)
            {
                late.raise();
            }
        };
        std::thread::Builder::new()
            .spawn_scoped(scope, watch)
            .map_err(|error| format!("no thread can be started: {error}"))?;
        let ran = collect_trials(plan, [(arm.index, 0)], 1, isolation, &interrupt);
        drop(ended);
        ran.map_err(|error| error.to_string())
    });
    let records = ran?;
    let Some(record) = records.first() else {
        let shown = FirstTrial { outcome: still_running(TRIAL), ..FirstTrial::default() };
        return Ok(match arm.settings.stop.trial_seconds {
            Some(limit) => Tried::new(shown, limit),
            None => Tried::cut(shown, TRIAL),
        });
    };
    let seconds = record.timing.seconds;
    if let Some(error) = &record.error {
        return Ok(Tried::failed(error, seconds));
    }
    let shown = FirstTrial {
        outcome: record.outcome.to_string(),
        evaluations: Some(record.evaluations),
        best_fitness: record.best_fitness,
        best_violation: record.best_violation,
        ..FirstTrial::default()
    };
    Ok(Tried::new(shown, seconds).timed(seconds))
}

/// Returns the share of its budget that a trial has spent; `None` if it has no such budget, or
/// spent nothing.
fn share(result: &TrialRecord, settings: &ArmSettings) -> Option<f64> {
    let Stop { generations, evaluations, .. } = settings.stop;
    let in_evaluations = generations.and_then(|all| settings.operators.evaluations(all));
    let spent = [
        (result.evaluations, evaluations),
        (result.evaluations, in_evaluations),
        (result.generations, generations),
    ];
    let shares =
        spent.into_iter().filter_map(|(spent, budget)| Some(spent as f64 / budget? as f64));
    shares.reduce(f64::max).filter(|share| *share > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_times_read_well() {
        assert_eq!(
            [0.000_000_08, 0.000_031, 0.004, 0.999_4, 3.21, 125.0].map(short),
            ["80 ns", "31 µs", "4 ms", "999 ms", "3.2 s", "2 min 5 s"]
        );
    }

    #[test]
    fn every_arm_has_its_turn_and_the_first_ones_are_far_apart() {
        for count in [1, 2, 3, 8, 97, 1_000] {
            let mut all: Vec<usize> = spread(count).collect();
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
        assert_eq!(spread(0).count(), 0);
        let mut first: Vec<usize> = spread(1_000).take(10).collect();
        first.sort_unstable();
        assert!(first.windows(2).all(|pair| pair[1] - pair[0] >= 30), "{first:?}");
    }
}
