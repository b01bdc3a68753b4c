//! `runner check`: validates files and tries one trial of each arm; writes nothing.

use super::load::load;
use super::output::{line, put};
use crate::cli::CheckArguments;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::plan::{Arm, Plan};
use crate::progress::duration;
use crate::report::count;
use crate::search::searcher;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Arms listed one by one; of larger sweeps the first ones.
const LISTED: usize = 20;

pub fn check(arguments: &CheckArguments) -> Exit {
    let plans = match load(&arguments.experiments) {
        Ok(plans) => plans,
        Err(exit) => return exit,
    };
    let jobs = arguments.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, Into::into);
    let (mut all, mut failed) = (Duration::ZERO, 0);
    for plan in &plans {
        let (time, failures) = check_plan(plan, jobs);
        all += time;
        failed += failures;
    }
    if plans.len() > 1 {
        let trials = plans.iter().map(Plan::trials).sum();
        line!("{} experiments, {} trials, about {}", plans.len(), count(trials), duration(all));
    }
    if failed > 0 { Exit::SomeFailed } else { Exit::Done }
}

/// The estimated time on `jobs` threads, and how many arms failed their trial.
fn check_plan(plan: &Plan, jobs: usize) -> (Duration, u64) {
    let interrupt = Interrupt::default();
    let (mut all, mut failures) = (Duration::ZERO, 0);
    let mut lines = String::new();
    let mut errors: BTreeMap<String, u64> = BTreeMap::new();
    for arm in &plan.arms {
        let Arm { problem, settings, label, .. } = arm;
        let mut search = searcher(problem, &settings.operators, &settings.stop, plan.trace);
        let started = Instant::now();
        let Some(record) = search.run(arm.seeds(plan.seed, 0), &interrupt) else { continue };
        let one = started.elapsed();
        all += one.mul_f64(plan.repeats as f64 / jobs.min(plan.repeats as usize).max(1) as f64);
        let words = match &record.error {
            Some(error) => {
                failures += 1;
                format!("FAILED: {error}")
            }
            None => {
                let best = record.best_fitness.map_or_else(|| "-".into(), |best| best.to_string());
                format!("{} in {} evaluations, best {best}", record.outcome, count(record.evaluations))
            }
        };
        // What the plugin says of many arms is printed with the first of them.
        let told = record.error.as_ref().is_some_and(|error| match errors.get_mut(error) {
            Some(others) => {
                *others += 1;
                true
            }
            None => errors.insert(error.clone(), 0).is_some(),
        });
        if !told && (arm.index < LISTED || record.error.is_some()) {
            lines.push_str(&format!("  {} {label}: {words}\n", arm.id()));
        }
    }
    let (arms, repeats) = (plan.arms.len(), count(plan.repeats));
    let most = if plan.enough.is_some() { "up to " } else { "" };
    line!("{} ({}): valid", plan.name, plan.source.path.display());
    put(&sweep_lines(plan));
    put(&lines);
    for (error, others) in errors.into_iter().filter(|(_, others)| *others > 0) {
        line!("  {} more arms FAILED alike: {error}", count(others));
    }
    if arms > LISTED {
        line!("  … and {} more arms", count((arms - LISTED) as u64));
    }
    line!(
        "  {arms} arm{} x {most}{repeats} trials = {}, about {} on {jobs} thread{}\n",
        if arms == 1 { "" } else { "s" },
        count(plan.trials()),
        duration(all),
        if jobs == 1 { "" } else { "s" }
    );
    (all, failures)
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
        let more = if more > 0 { format!(" and {} more", count(more as u64)) } else { String::new() };
        text.push_str(&format!("  sweep: {key} = {}{more}\n", values.join(", ")));
    }
    if !plan.swept_keys.is_empty() {
        text.push_str(&format!("  sweep: {} combinations for each operator set\n", count(combinations)));
    }
    text
}
