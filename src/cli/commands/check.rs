//! `runner check`: validates files and tries one trial of each arm; writes nothing.

mod first_trial;

use super::isolation::{isolation, worker_memory};
use super::load::{expanded, load, search_path};
use super::memory::check_memory;
use super::output::{line, put};
use super::trace::{check_traces, trace_lines};
use super::tune::load as load_tuning;
use crate::cli::Failure;
use crate::cli::arguments::{CheckArguments, ExperimentArguments};
use crate::cli::progress::duration;
use crate::config::{Catalogue, Overrides, is_tuning};
use crate::exit::Exit;
use crate::plan::Plan;
use crate::present::report::outlined;
use crate::present::terminal::{self, FirstTrial, plan_table};
use crate::run::{Isolation, PluginLoader, default_jobs};
use crate::system::interrupt::Interrupt;
use crate::words::{count, counted, first_listed};
use first_trial::{ALL, Tried, try_arms};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Minimum seconds per evaluation for which idle workers help the others.
const SLOW: f64 = 1e-3;

pub(super) fn check(arguments: &CheckArguments) -> Result<Exit, Failure> {
    let isolation = isolation(&arguments.isolation, &arguments.experiments.plugins)?;
    let loader = isolation.plugin_loader(&Interrupt::default());
    let (tunings, configs) = expanded(&arguments.experiments.configs)
        .into_iter()
        .partition::<Vec<PathBuf>, _>(|path| is_tuning(path));
    let experiments = ExperimentArguments { configs, ..arguments.experiments.clone() };
    check_tunings(&tunings, &experiments, &loader)?;
    if experiments.configs.is_empty() {
        return Ok(Exit::Done);
    }
    let plans = load(&experiments, &loader)?;
    let jobs = arguments.jobs.map_or_else(default_jobs, NonZeroUsize::get);
    check_traces(&plans, Path::new("results"))?;
    check_memory(&plans, jobs, worker_memory(&arguments.isolation)?)?;
    let (mut all, mut failed, mut is_least) = (0.0, 0, false);
    for plan in &plans {
        let Estimate { seconds, is_cut, failures } =
            check_plan(plan, jobs, arguments.rows, &isolation).map_err(Failure::plugin)?;
        all += seconds;
        failed += failures;
        is_least |= is_cut;
    }
    if plans.len() > 1 {
        let trials = plans.iter().map(Plan::trials).sum();
        let time = time(all, is_least);
        line!("{} experiments, {} trials, {time}", plans.len(), count(trials));
    }
    Ok(if failed > 0 { Exit::SomeFailed } else { Exit::Done })
}

/// Prints the plans of tunings.
fn check_tunings(
    tunings: &[PathBuf],
    arguments: &ExperimentArguments,
    loader: &PluginLoader,
) -> Result<(), Failure> {
    let ExperimentArguments { set, seed, repeats, plugins, .. } = arguments;
    if let (Some(repeats), Some(path)) = (repeats, tunings.first()) {
        return Err(Failure::usage(format!(
            "--repeats {repeats}: {} is a tuning, whose budget and race decide how many trials it \
            makes; leave out --repeats, or set a key of [tune] with --set",
            path.display()
        )));
    }
    for path in tunings {
        let overrides = Overrides { set: set.clone(), repeats: None, seed: seed.clone() };
        let mut catalogue = Catalogue::opening(search_path(plugins), loader.opener());
        let (_, tuning) = load_tuning(path, &overrides, &mut catalogue)?;
        put(&terminal::tuning_plan(&tuning));
    }
    Ok(())
}

/// Returns the words for a time: "about 3 s".
fn time(seconds: f64, is_least: bool) -> String {
    let time = duration(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    if is_least { format!("at least {time}") } else { format!("about {time}") }
}

/// Estimate for an experiment.
struct Estimate {
    /// Seconds of all trials with the given number of threads.
    seconds: f64,
    /// Whether first trials were cut short and may take any time.
    is_cut: bool,
    /// Number of arms whose trial failed.
    failures: u64,
}

/// Prints the plan of an experiment. Returns the estimate for `jobs` threads.
fn check_plan(
    plan: &Plan,
    jobs: usize,
    rows: usize,
    isolation: &Isolation,
) -> Result<Estimate, String> {
    let tried = try_arms(plan, isolation)?;
    let trials_at_once = (jobs as u64).min(plan.trials()).max(1);
    // Idle workers help with the slow evaluations of a trial that has several at a time.
    let side_by_side = |(arm, tried): &(usize, Tried)| {
        let is_slow = tried.evaluation.is_some_and(|seconds| seconds >= SLOW);
        let algorithm = &plan.arms[*arm].settings.operators.algorithm;
        // Without a population, a generation is a row of steps from genome to genome.
        let batch = match algorithm.population_setting() {
            Some(population) => algorithm.evaluations_per_generation().unwrap_or(population),
            None => algorithm.traced_individuals().unwrap_or(1),
        };
        let helpers = if is_slow { batch as u64 } else { 1 };
        trials_at_once.saturating_mul(helpers).clamp(1, jobs.max(1) as u64) as f64
    };
    let seconds: f64 = tried.iter().map(|one| one.1.seconds / side_by_side(one)).sum();
    let all = seconds / tried.len().max(1) as f64 * plan.trials() as f64;
    let failures = tried.iter().filter(|(_, tried)| tried.shown.error.is_some()).count() as u64;
    let is_cut = tried.iter().any(|(_, tried)| tried.is_cut);
    let (name, path) = (&plan.name, plan.source.path.display());
    match failures {
        0 => line!("{name} ({path}): valid"),
        _ => line!("{name} ({path}): the settings are valid, but not every first trial ran"),
    }
    put(&sweep_lines(plan));
    put(&table(plan, tried, rows));
    put(&race_lines(plan));
    put(&trace_lines(plan));
    let most = if plan.stopping_rule.is_some() { "up to " } else { "" };
    put(&indented(&format!(
        "{} x {most}{} = {}, {} on {}",
        counted(plan.arms.len() as u64, "arm"),
        counted(plan.repeats, "trial"),
        count(plan.trials()),
        time(all, is_cut),
        counted(jobs as u64, "thread")
    )));
    line!();
    Ok(Estimate { seconds: all, is_cut, failures })
}

/// Returns the table of the first trials, one row per arm.
fn table(plan: &Plan, tried: Vec<(usize, Tried)>, rows: usize) -> String {
    let (some, arms) = (tried.len(), plan.arms.len());
    let mut trials: Vec<Option<FirstTrial>> = vec![None; arms];
    tried.into_iter().for_each(|(index, tried)| trials[index] = Some(tried.shown));
    let mut text = plan_table(plan, &trials, rows, terminal::width());
    if some < arms {
        text.push_str(&indented(&format!(
            "{} of {} arms were tried within {}; the estimate for the others is based on these",
            count(some as u64),
            count(arms as u64),
            duration(ALL)
        )));
    }
    text
}

/// Returns the minimum and maximum cost of a race; empty if arms do not race.
fn race_lines(plan: &Plan) -> String {
    let cost = plan.stopping_rule.as_ref().and_then(|rule| rule.cost_of_races(plan.repeats));
    let Some((least, most)) = cost else { return String::new() };
    indented(&format!(
        "race: from {} trials, if all arms but the best drop out at the first look, to {}, if \
        none does",
        count(least),
        count(most)
    ))
}

/// Returns a text in lines that fit the terminal, indented as those of a plan.
fn indented(text: &str) -> String {
    outlined("  ", text, terminal::width().into())
}

/// Maximum number of listed values per swept key.
const VALUES: usize = 12;

/// Returns one line per swept key with its values, and the number of combinations.
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
        if values.is_empty() {
            continue;
        }
        combinations = combinations.saturating_mul(values.len() as u64);
        text.push_str(&indented(&format!("sweep: {key} = {}", first_listed(values, VALUES))));
    }
    if !plan.swept_keys.is_empty() {
        let (searches, sets) = searches(plan);
        let all = if combinations.saturating_mul(sets) == searches {
            format!("{} for each operator set", counted(combinations, "combination"))
        } else {
            format!("{} in all", counted(searches, "combination"))
        };
        text.push_str(&format!("  sweep: {all}\n"));
        plan.samples.iter().for_each(|sample| text.push_str(&format!("  sweep: {sample}\n")));
        let repeated = plan.repeated as u64;
        if repeated > 0 {
            let arms = if repeated == 1 { "arm" } else { "arms" };
            let number = count(repeated);
            text.push_str(&format!("  sweep: {number} {arms} of an earlier sweep made once\n"));
        }
    }
    text
}

/// Returns the number of arms that are not baselines, and the number of their operator sets.
fn searches(plan: &Plan) -> (u64, u64) {
    let baselines: BTreeSet<usize> = plan.arms.iter().filter_map(|arm| arm.baseline).collect();
    let own = plan.arms.iter().filter(|arm| !baselines.contains(&arm.index));
    let names: Vec<&str> = own.map(|arm| arm.settings.operators.name.as_str()).collect();
    (names.len() as u64, names.iter().collect::<BTreeSet<_>>().len() as u64)
}
