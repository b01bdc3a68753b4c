//! `runner check`: validates files and tries one trial of each arm; writes nothing.

use super::isolation::isolation;
use super::load::load;
use super::memory::check_memory;
use super::output::{line, put};
use crate::cli::progress::{Wait, duration};
use crate::cli::{CheckArguments, Failure};
use crate::exit::Exit;
use crate::plan::settings::Stop;
use crate::plan::{Arm, Plan};
use crate::present::format::count;
use crate::record::{Outcome, TrialResult};
#[cfg(unix)]
use crate::run::collect_trials;
use crate::run::{Isolation, default_jobs};
use crate::search::executor_for;
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// Arms listed one by one; of larger sweeps the first ones.
const LISTED: usize = 20;
/// Seconds that one trial gets; what goes on longer is estimated from how far it came.
const TRIAL: f64 = 2.0;
/// What the trials of an experiment get together; arms that are not tried by then are estimated
/// from those that are.
const ALL: Duration = Duration::from_secs(60);

pub(super) fn check(arguments: &CheckArguments) -> Result<Exit, Failure> {
    let isolation = isolation(&arguments.isolation, &arguments.experiments.plugins)?;
    let plans = load(&arguments.experiments, &isolation.plugin_loader(&Interrupt::default()))?;
    let jobs = arguments.jobs.map_or_else(default_jobs, NonZeroUsize::get);
    check_memory(&plans, jobs, None)?;
    let (mut all, mut failed) = (0.0, 0);
    for plan in &plans {
        let (seconds, failures) = check_plan(plan, jobs, &isolation).map_err(Failure::plugin)?;
        all += seconds;
        failed += failures;
    }
    if plans.len() > 1 {
        let trials = plans.iter().map(Plan::trials).sum();
        line!("{} experiments, {} trials, about {}", plans.len(), count(trials), time(all));
    }
    Ok(if failed > 0 { Exit::SomeFailed } else { Exit::Done })
}

fn time(seconds: f64) -> String {
    duration(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

/// One trial of an arm.
struct Tried {
    words: String,
    /// Of a whole trial.
    seconds: f64,
    failed: bool,
}

/// The estimated seconds on `jobs` threads, and how many arms failed their trial.
fn check_plan(plan: &Plan, jobs: usize, isolation: &Isolation) -> Result<(f64, u64), String> {
    let tried = try_arms(plan, isolation)?;
    let seconds: f64 = tried.iter().map(|(_, tried)| tried.seconds).sum();
    let side_by_side = (jobs as u64).min(plan.trials()).max(1) as f64;
    let all = seconds / tried.len().max(1) as f64 * plan.trials() as f64 / side_by_side;
    let failures = tried.iter().filter(|(_, tried)| tried.failed).count() as u64;
    line!("{} ({}): valid", plan.name, plan.source.path.display());
    put(&sweep_lines(plan));
    put(&arm_lines(plan, &tried));
    put(&race_lines(plan));
    let most = if plan.stopping_rule.is_some() { "up to " } else { "" };
    let arms = plan.arms.len();
    line!(
        "  {} arm{} x {most}{} trials = {}, about {} on {jobs} thread{}\n",
        count(arms as u64),
        if arms == 1 { "" } else { "s" },
        count(plan.repeats),
        count(plan.trials()),
        time(all),
        if jobs == 1 { "" } else { "s" }
    );
    Ok((all, failures))
}

/// What a race can cost, where arms race.
fn race_lines(plan: &Plan) -> String {
    let cost = plan.stopping_rule.as_ref().and_then(|rule| rule.cost_of_races(plan.repeats));
    let Some((least, most)) = cost else { return String::new() };
    format!(
        "  race: from {} trials, if all arms but the best drop out at the first look, to {}, if \
        none does\n",
        count(least),
        count(most)
    )
}

/// Tries one trial of each arm, or of as many as there is time for; by arm.
fn try_arms(plan: &Plan, isolation: &Isolation) -> Result<Vec<(usize, Tried)>, String> {
    let started = Instant::now();
    let (done, arms) = (Arc::new(AtomicUsize::new(0)), plan.arms.len());
    let (name, number) = (plan.name.clone(), Arc::clone(&done));
    let _wait = Wait::begin(move || {
        let number = number.load(Ordering::Relaxed);
        format!("{name}: tried {} of {} arms", count(number as u64), count(arms as u64))
    });
    let mut tried: Vec<(usize, Tried)> = Vec::new();
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
        guard::no_trial();
        tried.push((index, one));
        done.fetch_add(1, Ordering::Relaxed);
    }
    tried.sort_by_key(|(index, _)| *index);
    Ok(tried)
}

/// What came of the trials, a line each for the first arms; an error that several arms have once.
fn arm_lines(plan: &Plan, tried: &[(usize, Tried)]) -> String {
    let (mut text, mut listed) = (String::new(), 0);
    let mut errors: BTreeMap<&str, u64> = BTreeMap::new();
    for (index, Tried { words, failed, .. }) in tried {
        // What the plugin says of many arms is printed with the first of them.
        let others =
            failed.then(|| errors.entry(words).and_modify(|others| *others += 1).or_insert(0));
        if others.map_or(listed < LISTED, |others| *others == 0) {
            listed += 1;
            let arm = &plan.arms[*index];
            text.push_str(&format!("  {} {}: {words}\n", arm.id(), arm.label));
        }
    }
    let alike: u64 = errors.values().sum();
    for (error, others) in errors.into_iter().filter(|(_, others)| *others > 0) {
        let (others, error) = (count(others), error.trim_start_matches("FAILED: "));
        text.push_str(&format!("  {others} more arms FAILED with the same error: {error}\n"));
    }
    let (listed, arms) = (listed + alike as usize, plan.arms.len());
    if arms > listed {
        text.push_str(&format!("  … and {} more arms\n", count((arms - listed) as u64)));
    }
    if tried.len() < arms {
        text.push_str(&format!(
            "  {} of {} arms were tried within {}; the estimate for the others is based on these\n",
            count(tried.len() as u64),
            count(arms as u64),
            duration(ALL)
        ));
    }
    text
}

/// All numbers below `count`, each once, neighbours far apart: however many of them are taken, they
/// are spread over all.
fn spread(count: usize) -> impl Iterator<Item = usize> {
    // Steps of the golden section (Weyl 1916, doi:10.1007/BF01475864), prime to the count.
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
    // Its own limit may be the shorter one.
    let limit = settings.stop.trial_seconds.filter(|seconds| *seconds <= TRIAL);
    let stop = Stop { trial_seconds: limit.or(Some(TRIAL)), ..settings.stop.clone() };
    let started = Instant::now();
    let mut executor = executor_for(problem, &settings.operators, &stop, plan.trace);
    let result =
        executor.run(arm.seeds(plan.seed, 0), &Interrupt::default()).expect("nobody interrupts it");
    let seconds = started.elapsed().as_secs_f64();
    if let Some(error) = &result.error {
        return Tried { words: format!("FAILED: {error}"), seconds, failed: true };
    }
    let best = result.best_fitness.map_or_else(|| "-".into(), |best| best.to_string());
    let evaluations = count(result.evaluations);
    if result.outcome != Outcome::TimedOut || limit.is_some() {
        let words = format!("{} in {evaluations} evaluations, best {best}", result.outcome);
        return Tried { words, seconds, failed: false };
    }
    let so_far =
        format!("still running after {} and {evaluations} evaluations, best {best}", time(seconds));
    let share = share(&result, &settings.stop);
    let whole = share.map(|share| seconds / share);
    // Its own limit may end it before.
    let whole = whole.into_iter().chain(settings.stop.trial_seconds).reduce(f64::min);
    let words = match whole {
        Some(whole) => format!("{so_far}; about {} in total", time(whole)),
        None => format!("{so_far}; its total time cannot be estimated"),
    };
    Tried { words, seconds: whole.unwrap_or(seconds), failed: false }
}

/// As [`try_arm`], in a worker process. How far a trial came that takes too long is not known.
#[cfg(unix)]
fn try_apart(plan: &Plan, arm: &Arm, isolation: &Isolation) -> Result<Tried, String> {
    let interrupt = Interrupt::default();
    let (ended, ends) = mpsc::channel::<()>();
    let ran = std::thread::scope(|scope| {
        let late = interrupt.clone();
        scope.spawn(move || {
            if ends.recv_timeout(Duration::from_secs_f64(TRIAL))
                == Err(mpsc::RecvTimeoutError::Timeout)
            {
                late.raise();
            }
        });
        let ran = collect_trials(plan, [(arm.index, 0)], 1, isolation, &interrupt);
        drop(ended);
        ran
    });
    let records = ran.map_err(|error| error.to_string())?;
    let Some(record) = records.first() else {
        let words =
            format!("still running after {}; its total time cannot be estimated", time(TRIAL));
        return Ok(Tried {
            words,
            seconds: arm.settings.stop.trial_seconds.unwrap_or(TRIAL),
            failed: false,
        });
    };
    let (words, failed) = match &record.error {
        Some(error) => (format!("FAILED: {error}"), true),
        None => {
            let best = record.best_fitness.map_or_else(|| "-".into(), |best| best.to_string());
            (
                format!(
                    "{} in {} evaluations, best {best}",
                    record.outcome,
                    count(record.evaluations)
                ),
                false,
            )
        }
    };
    Ok(Tried { words, seconds: record.timing.seconds, failed })
}

/// The part of its budget that a trial has spent; none: it has no such budget, or spent nothing.
fn share(result: &TrialResult, stop: &Stop) -> Option<f64> {
    let spent = [(result.evaluations, stop.evaluations), (result.generations, stop.generations)];
    let shares =
        spent.into_iter().filter_map(|(spent, budget)| Some(spent as f64 / budget? as f64));
    shares.reduce(f64::max).filter(|share| *share > 0.0)
}

/// Values of a swept key that are listed.
const VALUES: usize = 12;

/// The swept keys with their values, a line each, and how many combinations there are.
fn sweep_lines(plan: &Plan) -> String {
    let mut text = String::new();
    let mut combinations: u64 = 1;
    for (place, key) in plan.swept_keys.iter().enumerate() {
        let (mut seen, mut values) = (BTreeSet::new(), Vec::new());
        for value in plan.arms.iter().filter_map(|arm| arm.settings.swept[place].as_ref()) {
            let shown = value.to_string();
            if seen.insert(shown.clone()) {
                values.push(shown);
            }
        }
        combinations = combinations.saturating_mul(values.len() as u64);
        let more = values.len().saturating_sub(VALUES);
        values.truncate(VALUES);
        let more =
            if more > 0 { format!(" and {} more", count(more as u64)) } else { String::new() };
        text.push_str(&format!("  sweep: {key} = {}{more}\n", values.join(", ")));
    }
    if !plan.swept_keys.is_empty() {
        let (searches, sets) = searches(plan);
        let all = if combinations.saturating_mul(sets) == searches {
            format!("{} combinations for each operator set", count(combinations))
        } else {
            format!("{} combinations in all", count(searches))
        };
        text.push_str(&format!("  sweep: {all}\n"));
    }
    text
}

/// Arms that are no baselines, and how many operator sets they have.
fn searches(plan: &Plan) -> (u64, u64) {
    let baselines: BTreeSet<usize> = plan.arms.iter().filter_map(|arm| arm.baseline).collect();
    let own = plan.arms.iter().filter(|arm| !baselines.contains(&arm.index));
    let names: Vec<&str> = own.map(|arm| arm.settings.operators.name.as_str()).collect();
    (names.len() as u64, names.iter().collect::<BTreeSet<_>>().len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

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
