//! `runner challenge`: compares a published results hash with that of a run on this machine.

use super::isolation::{isolation, processes, worker_memory};
use super::load::load;
use super::memory::check_memory;
use super::output::line;
use super::run::note_plugins;
use super::verify::{NAMED, show, why, words};
use crate::cli::Failure;
use crate::cli::arguments::ChallengeArguments;
use crate::cli::failure::has_results;
use crate::cli::progress::display;
use crate::exit::Exit;
use crate::plan::Plan;
use crate::present::report::NOTHING;
use crate::problem::{PluginFile, SearchPath};
use crate::results::{Results, Run};
use crate::run::{
    Choice, Ended, Isolation, NoWorker, Replay, SessionOptions, default_jobs, run_experiment,
};
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use crate::words::count;
use std::path::Path;

/// Maximum number of trials that are compared if the hashes differ.
const COMPARED: u64 = 10_000;

pub(super) fn challenge(
    arguments: &ChallengeArguments,
    interrupt: &Interrupt,
) -> Result<Exit, Failure> {
    let isolation = isolation(&arguments.isolation, &arguments.experiments.plugins)?;
    let mut plans = load(&arguments.experiments, &isolation.plugin_loader(interrupt))?;
    let plan = match (plans.pop(), plans.is_empty()) {
        (Some(plan), true) => plan,
        _ => {
            return Err(Failure::usage(
                "a results hash is that of one experiment: give one config",
            ));
        }
    };
    let published =
        arguments.against.as_deref().map(|folder| open(folder, arguments)).transpose()?;
    if let Some(published) = &published
        && other_arms(&plan, published)
    {
        return Ok(Exit::SomeFailed);
    }
    note_plugins(std::slice::from_ref(&plan));
    let jobs = arguments.jobs.number();
    check_memory(std::slice::from_ref(&plan), jobs, worker_memory(&arguments.isolation)?)?;
    let exit = match (arguments.sample, published) {
        (Some(trials), Some(published)) => {
            let choice = Choice::Random { trials, seed: plan.seed };
            let replay = Replay::of(plan, published)?;
            compare_trials(&replay, choice, jobs, arguments)
        }
        (_, published) => whole(plan, published, isolation, jobs, arguments, interrupt),
    };
    // The failure is printed first: the problems are destroyed later, and that is plugin code
    // again.
    let exit = exit.unwrap_or_else(|failure| failure.print());
    guard::done(exit.code());
    Ok(exit)
}

/// Opens the published tables.
fn open(folder: &Path, arguments: &ChallengeArguments) -> Result<Results, Failure> {
    let results = Results::open(folder)?;
    let folder = folder.display();
    match results.summary()?.results_hash {
        Some(hash) if hash == arguments.hash => Ok(results),
        Some(hash) => Err(Failure::usage(format!(
            "{folder}: these tables have the results hash {hash}, not {}",
            arguments.hash
        ))),
        None => Err(Failure::usage(format!(
            "{folder}: these tables have no results hash: they are unfinished, imported, or of an \
            earlier version; run their experiment again with this version"
        ))),
    }
}

/// Prints the differences between the config and the tables. Returns whether there are any.
fn other_arms(plan: &Plan, published: &Results) -> bool {
    let (arms, rows) = (&plan.arms, published.arms());
    let seed = published.seed().filter(|seed| *seed != plan.seed);
    let seed =
        seed.map(|seed| format!("the seed is {} in this config, {seed} in the tables", plan.seed));
    let absent = rows.iter().filter(|row| arms.iter().all(|arm| arm.id() != row.id));
    let added = arms.iter().filter(|arm| rows.iter().all(|row| arm.id() != row.id));
    let lines = absent
        .map(|row| format!("`{}` of the tables has other settings in this config", row.label))
        .chain(added.map(|arm| format!("`{}` of this config is not in the tables", arm.label)));
    let lines: Vec<String> = seed.into_iter().chain(lines).collect();
    lines.iter().take(NAMED).for_each(|words| line!("{words}"));
    if !lines.is_empty() {
        line!("different: the config is not that of the tables, so no trial was run");
    }
    !lines.is_empty()
}

/// Runs the whole experiment and compares the hashes.
fn whole(
    plan: Plan,
    published: Option<Results>,
    isolation: Isolation,
    jobs: usize,
    arguments: &ChallengeArguments,
    interrupt: &Interrupt,
) -> Result<Exit, Failure> {
    let temporary = tempfile::tempdir().map_err(|error| {
        Failure::results(format!(
            "a temporary folder: {error}; name a folder with --out, or another in TMPDIR"
        ))
    })?;
    let folder = arguments.out.as_deref().unwrap_or(temporary.path());
    // Finished trials are kept, not run again.
    let there = folder.join(&plan.name);
    if has_results(&there) {
        return Err(Failure::usage(format!(
            "{}: it has trials of a run, which would not be run again; name another folder with \
            --out, or none",
            there.display()
        )));
    }
    let options = SessionOptions {
        isolation,
        jobs,
        interrupt: interrupt.clone(),
        keep_going: true,
        ..SessionOptions::new(folder)
    };
    let ended = run_experiment(&plan, &options, display(arguments.progress, None).as_mut())?;
    let Ended::Finished(conclusion) = ended else {
        message!("Interrupted; nothing was compared.");
        return Ok(Exit::Interrupted);
    };
    let here = conclusion.summary.results_hash.as_deref().unwrap_or_default();
    if here == arguments.hash {
        let trials = count(conclusion.summary.all_trials());
        line!("same: {here}, {trials} trials of {} arms", count(plan.arms.len() as u64));
        return Ok(Exit::Done);
    }
    line!("different: {here} here, {} published", arguments.hash);
    let differences = match published {
        Some(published) => {
            let theirs = published.summary()?.all_trials();
            let [ours, theirs] = [conclusion.summary.all_trials(), theirs].map(count);
            if ours != theirs {
                line!("{ours} trials here, {theirs} in the tables: is `repeats` another?");
            }
            let replay = Replay::of(plan, published)?;
            let choice = Choice::Random { trials: COMPARED, seed: replay.plan.seed };
            compare_trials(&replay, choice, jobs, arguments)?;
            return Ok(Exit::SomeFailed);
        }
        None => "not known: --against FOLDER, with the published tables, says which trials differ",
    };
    template(&plan, arguments, here, differences);
    Ok(Exit::SomeFailed)
}

/// Runs some trials of the tables again. Prints the trials that differ, and the reasons.
fn compare_trials(
    replay: &Replay,
    choice: Choice,
    jobs: usize,
    arguments: &ChallengeArguments,
) -> Result<Exit, Failure> {
    let failed = |error: NoWorker| Failure::results(error.to_string());
    let chosen = replay.choose(choice)?;
    let verification = replay.verify(&chosen, jobs).map_err(failed)?;
    show(replay, &verification);
    let Some(first) = verification.differing.first() else { return Ok(Exit::Done) };
    let search = SearchPath::new(&arguments.experiments.plugins.plugin_dir);
    let elsewhere = processes(&search).map_err(Failure::results)?;
    let mut causes: Vec<String> =
        replay.reasons(&verification, &elsewhere).map_err(failed)?.iter().map(why).collect();
    let here = Run::begin(jobs, 0);
    if here.processor != replay.run.processor || here.platform != replay.run.platform {
        causes.push(format!("the machine was {} and is {}", replay.run.machine(), here.machine()));
    }
    causes.iter().for_each(|cause| line!("why: {cause}"));
    template(&replay.plan, arguments, NOTHING, &words(replay, first));
    Ok(Exit::SomeFailed)
}

/// Prints a template for a report of the difference.
fn template(plan: &Plan, arguments: &ChallengeArguments, here: &str, first: &str) {
    let run = Run::begin(default_jobs(), 0);
    let plugin = PluginFile::of(&plan.library);
    let revision = run.git_revision.as_deref().unwrap_or("unknown");
    line!("\nTo report the difference, send this to the authors of the results:\n");
    line!("  experiment  {}, plan {}", plan.name, plan.identity());
    line!("  published   {}", arguments.hash);
    line!("  here        {here}");
    line!("  first       {first}");
    line!(
        "  runner      {}, source {revision}, engine revision {}, {} build",
        run.runner_version,
        run.engine_revision,
        run.build
    );
    line!("  plugin      {} {}, BLAKE3 {}", plugin.name, plugin.version, plugin.blake3);
    line!("  machine     {}", run.machine());
}
