//! `runner verify`: trials again, compared with the table.

use super::again::{Again, comparable, difference};
use super::output::line;
use super::room;
use crate::cli::{Failure, VerifyArguments};
use crate::exit::Exit;
use crate::plan::Plan;
use crate::present::format::count;
#[cfg(unix)]
use crate::problem::SearchPath;
use crate::record::{Outcome, TrialRecord};
use crate::results::ResultsError;
#[cfg(unix)]
use crate::run::WorkerCommand;
use crate::run::{Isolation, RunError, Sink, default_jobs, run_trials};
use crate::system::interrupt::Interrupt;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::ops::Range;

/// Differing trials that are named one by one.
const NAMED: usize = 20;

/// Arm and number of a trial.
type Key = (usize, u64);

pub fn verify(arguments: &VerifyArguments) -> Result<Exit, Failure> {
    let again = Again::open(&arguments.folder, &arguments.plugins)?;
    let Chosen { trials, skipped, gone } = choose(&again, arguments)?;
    if gone > 0 {
        message!("warning: {} trials are of arms that the config does not give here", count(gone));
        again.changes().iter().for_each(|change| message!("note: {change}"));
    }
    if skipped > 0 {
        message!("note: {} trials that crashed or ran out of seconds are left out", count(skipped));
    }
    if trials.is_empty() {
        return Err(Failure::results(format!(
            "{}: there is no trial to compare: its tables have none that ended and can be run \
            again here",
            arguments.folder.display()
        )));
    }
    let jobs = arguments.jobs.map_or_else(default_jobs, NonZeroUsize::get);
    room::check(std::slice::from_ref(&again.plan), jobs, None)?;
    let now = run(&again.plan, trials.keys().copied(), jobs, &Isolation::Threads)
        .map_err(Failure::results)?;
    let differing: Vec<(Key, String)> = trials
        .iter()
        .filter_map(|(key, then)| Some((*key, differs(then, now.get(key))?)))
        .collect();
    // Once more: does the plugin at least agree with itself?
    let keys = || differing.iter().map(|(key, _)| *key);
    let once_more = run(&again.plan, keys(), 1, &Isolation::Threads).map_err(Failure::results)?;
    let flaky = |key: &Key| now.get(key) != once_more.get(key);
    for (key @ (arm, trial), words) in differing.iter().take(NAMED) {
        let itself = if flaky(key) { "; and a third time otherwise again" } else { "" };
        line!("{} trial {trial}: {words}{itself}", again.plan.arms[*arm].label);
    }
    if differing.len() > NAMED {
        line!("and {} more", count((differing.len() - NAMED) as u64));
    }
    line!(
        "{} of {} trials are the same",
        count((trials.len() - differing.len()) as u64),
        count(trials.len() as u64)
    );
    if differing.is_empty() {
        return Ok(if gone > 0 { Exit::SomeFailed } else { Exit::Done });
    }
    let changes = again.changes();
    if differing.iter().any(|(key, _)| flaky(key)) {
        line!(
            "why: the plugin does not give the same answer to the same question: its results \
            cannot be repeated"
        );
    } else if elsewhere(&again.plan, keys().take(NAMED), &now, arguments)
        .map_err(Failure::results)?
    {
        line!(
            "why: the plugin gives another answer in another process, so something of the process \
            decides (its number, its addresses, its surroundings): its results cannot be repeated"
        );
    } else if changes.is_empty() {
        line!(
            "why: unknown; runner and plugin are those of the run, so the tables or a machine are \
            at fault"
        );
    }
    changes.iter().for_each(|change| line!("why: {change}"));
    Ok(Exit::SomeFailed)
}

/// What differs, in words.
fn differs(then: &TrialRecord, now: Option<&TrialRecord>) -> Option<String> {
    match now {
        Some(now) => difference(then, now),
        None => Some("it did not come to its end now".to_owned()),
    }
}

/// Processes that are asked, one after the other: what follows from the number of a process alone
/// can be the same in two of them.
const PROCESSES: usize = 4;

/// Whether trials come out otherwise than `now` in other processes.
#[cfg(unix)]
fn elsewhere(
    plan: &Plan,
    trials: impl Iterator<Item = Key> + Clone,
    now: &BTreeMap<Key, TrialRecord>,
    arguments: &VerifyArguments,
) -> Result<bool, String> {
    let command = WorkerCommand::of(&SearchPath::new(&arguments.plugins.plugins.plugin_dir))?;
    let isolation = Isolation::Processes(command);
    for _ in 0..PROCESSES {
        let there = run(plan, trials.clone(), 1, &isolation)?;
        if trials.clone().any(|key| there.get(&key) != now.get(&key)) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(not(unix))]
fn elsewhere(
    _plan: &Plan,
    _trials: impl Iterator<Item = Key> + Clone,
    _now: &BTreeMap<Key, TrialRecord>,
    _arguments: &VerifyArguments,
) -> Result<bool, String> {
    Ok(false)
}

/// The trials to compare, as the table has them, and how many are left out.
struct Chosen {
    trials: BTreeMap<Key, TrialRecord>,
    skipped: u64,
    gone: u64,
}

fn choose(again: &Again, arguments: &VerifyArguments) -> Result<Chosen, ResultsError> {
    let rows = again.results.arms();
    let arm_of: Vec<Option<usize>> =
        rows.iter().map(|row| again.plan.arms.iter().position(|arm| arm.id() == row.id)).collect();
    let mut chosen = Chosen { trials: BTreeMap::new(), skipped: 0, gone: 0 };
    // A reservoir: every trial as likely, in one pass over the table (Vitter 1985,
    // doi:10.1145/3147.3165).
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(arguments.seed);
    let (mut seen, mut kept): (u64, Vec<Key>) = (0, Vec::new());
    let visit = |record: TrialRecord| -> Result<(), ResultsError> {
        let Some(arm) = arm_of[record.arm] else {
            chosen.gone += 1;
            return Ok(());
        };
        if matches!(record.outcome, Outcome::Crashed | Outcome::TimedOut) {
            chosen.skipped += 1;
            return Ok(());
        }
        let key = (arm, record.trial);
        seen += 1;
        if arguments.all || (kept.len() as u64) < arguments.trials {
            kept.push(key);
        } else {
            let place = rng.random_range(0..seen);
            if place >= arguments.trials {
                return Ok(());
            }
            let before = std::mem::replace(&mut kept[place as usize], key);
            chosen.trials.remove(&before);
        }
        chosen.trials.insert(key, comparable(&record, arm));
        Ok(())
    };
    again.results.trials(visit)?;
    Ok(chosen)
}

/// Runs these trials.
fn run(
    plan: &Plan,
    trials: impl Iterator<Item = Key>,
    jobs: usize,
    isolation: &Isolation,
) -> Result<BTreeMap<Key, TrialRecord>, String> {
    struct Collected(BTreeMap<Key, TrialRecord>);
    impl Sink for Collected {
        type Error = Infallible;
        fn running(&mut self, _: usize) {}
        fn records(&mut self, records: Vec<TrialRecord>) -> Result<(), Infallible> {
            self.0.extend(
                records
                    .iter()
                    .map(|record| ((record.arm, record.trial), comparable(record, record.arm))),
            );
            Ok(())
        }
    }
    let mut missing: Vec<Vec<Range<u64>>> = vec![Vec::new(); plan.arms.len()];
    trials.for_each(|(arm, trial)| missing[arm].push(trial..trial + 1));
    let mut collected = Collected(BTreeMap::new());
    match run_trials(plan, &missing, jobs, isolation, &Interrupt::default(), &mut collected) {
        Ok(_) => Ok(collected.0),
        Err(RunError::Worker(message)) => Err(message),
        Err(RunError::Sink(never)) => match never {},
    }
}
