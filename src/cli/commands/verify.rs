//! `runner verify`: runs trials again and compares them with the table.

use super::arms::tell_unfinished;
use super::isolation::processes;
use super::memory::check_memory;
use super::open_replay::open_replay;
use super::output::line;
use super::report::record_of_tuning;
use crate::cli::Failure;
use crate::cli::arguments::{PluginDirs, RecordedPluginArguments, VerifyArguments};
use crate::exit::Exit;
use crate::present::pack::OpenedPack;
use crate::problem::SearchPath;
use crate::results::{Contradiction, Results, is_tuning_folder};
use crate::run::{
    Choice, Chosen, Difference, DifferingTrial, Isolation, NoWorker, Reason, Replay, Verification,
};
use crate::words::{count, first_texts};
use std::path::Path;

/// Maximum number of differing trials that are listed.
pub(super) const NAMED: usize = 20;

pub(super) fn verify(arguments: &VerifyArguments) -> Result<Exit, Failure> {
    if arguments.folder.is_file() {
        return verify_pack(arguments);
    }
    verify_folder(&arguments.folder, &arguments.plugins, arguments)
}

/// Checks the files of a pack, and verifies its results. The plugin in it is loaded only if the
/// user trusts the pack.
fn verify_pack(arguments: &VerifyArguments) -> Result<Exit, Failure> {
    let pack = OpenedPack::open(&arguments.folder).map_err(Failure::results)?;
    let files = count(pack.files() as u64);
    line!("{files} of {files} files are as they were packed");
    let RecordedPluginArguments { plugins, trust } = &arguments.plugins;
    let (mut plugin_dir, packed) = (plugins.plugin_dir.clone(), pack.plugin_folders());
    let is_offered = !packed.is_empty() && !trust;
    if *trust {
        plugin_dir.extend(packed);
    }
    let plugins = RecordedPluginArguments { plugins: PluginDirs { plugin_dir }, trust: *trust };
    verify_folder(&pack.results(), &plugins, arguments).map_err(|failure| {
        match is_offered && failure.exit == Exit::Plugin {
            true => {
                failure.also("the pack has a plugin: if you trust whoever made it, add --trust")
            }
            false => failure,
        }
    })
}

/// Verifies the results in a folder, with the plugin from where `plugins` allows: of a tuning, all
/// of its experiments.
fn verify_folder(
    folder: &Path,
    plugins: &RecordedPluginArguments,
    arguments: &VerifyArguments,
) -> Result<Exit, Failure> {
    if !is_tuning_folder(folder) {
        return verify_experiment(folder, plugins, arguments);
    }
    let mut all = Exit::Done;
    for path in record_of_tuning(folder)?.experiments(folder) {
        line!("{}:", path.file_name().unwrap_or_default().display());
        // Each other setting may have dropped out before the comparison.
        if Results::open(&path)?.summary()?.all_trials() == 0 {
            line!("no trials");
            continue;
        }
        match verify_experiment(&path, plugins, arguments)? {
            Exit::Done => {}
            other => all = other,
        }
    }
    Ok(all)
}

/// Verifies the results of an experiment.
fn verify_experiment(
    folder: &Path,
    plugins: &RecordedPluginArguments,
    arguments: &VerifyArguments,
) -> Result<Exit, Failure> {
    let replay = open_replay(folder, plugins)?;
    tell_unfinished(&replay.results);
    let chosen = choose(&replay, arguments)?;
    let jobs = arguments.jobs.number();
    check_memory(std::slice::from_ref(&replay.plan), jobs, None)?;
    let failed = |error: NoWorker| Failure::results(error.to_string());
    let verification = replay.verify(&chosen, jobs).map_err(failed)?;
    show(&replay, &verification);
    let elsewhere = elsewhere(&verification, &plugins.plugins)?;
    for reason in replay.reasons(&verification, &elsewhere).map_err(failed)? {
        line!("why: {}", why(&reason));
    }
    let contradictions = if arguments.all { contradictions(&replay)? } else { Vec::new() };
    first_texts(&contradictions, NAMED, "").iter().for_each(|text| line!("{text}"));
    let same = verification.differing.is_empty() && chosen.gone == 0 && contradictions.is_empty();
    Ok(if same { Exit::Done } else { Exit::SomeFailed })
}

/// Returns what the summary says otherwise than the trials.
fn contradictions(replay: &Replay) -> Result<Vec<Contradiction>, Failure> {
    let plan = &replay.plan;
    let is_fixed = plan.stopping_rule.is_none() && !replay.results.is_raced_by_tuning();
    Ok(replay.results.contradictions(is_fixed.then_some(plan.repeats))?)
}

/// Chooses the requested trials.
fn choose(replay: &Replay, arguments: &VerifyArguments) -> Result<Chosen, Failure> {
    let chosen = replay.choose(match arguments.all {
        true => Choice::All,
        false => Choice::Random { trials: arguments.trials, seed: arguments.seed },
    })?;
    if chosen.gone > 0 {
        let gone = count(chosen.gone);
        warning!("{gone} trials belong to arms that the config does not have here");
        replay.changes().iter().for_each(|change| note!("{change}"));
    }
    if chosen.skipped > 0 {
        let skipped = count(chosen.skipped);
        note!("{skipped} trials that crashed or timed out are left out");
    }
    if chosen.is_empty() {
        return Err(Failure::results(format!(
            "{}: there is no trial to compare: its tables contain no finished trial that can be \
            run again here",
            arguments.folder.display()
        )));
    }
    Ok(chosen)
}

/// Prints the trials that differ, and the number of equal ones.
pub(super) fn show(replay: &Replay, Verification { compared, differing, .. }: &Verification) {
    let texts = first_texts(differing.iter().map(|one| words(replay, one)), NAMED, "");
    texts.iter().for_each(|text| line!("{text}"));
    let same = count(compared - differing.len() as u64);
    line!("{same} of {} trials are the same", count(*compared));
}

/// Returns the differences of a trial in words.
pub(super) fn words(replay: &Replay, one: &DifferingTrial) -> String {
    let DifferingTrial { arm, trial, differences, unstable, .. } = one;
    let itself = if *unstable { "; and different again the third time" } else { "" };
    let words: Vec<String> = differences.iter().map(Difference::to_string).collect();
    format!("{} trial {trial}: {}{itself}", replay.plan.arms[*arm].label, words.join("; "))
}

pub(super) fn why(reason: &Reason) -> String {
    match reason {
        Reason::Unstable => "the plugin gives different results for the same trial: its results \
            cannot be reproduced"
            .to_owned(),
        Reason::Moves => {
            "the plugin's moves do not have the fitness of the genomes that they lead \
            to: its results are the same each time, and wrong; `runner conformance` shows a move"
                .to_owned()
        }
        Reason::OtherProcess => "the plugin gives different results in another process, so they \
            depend on the process (its id, its addresses, its environment): its results cannot be \
            reproduced"
            .to_owned(),
        Reason::Failed => {
            "the plugin failed in the run, and does not fail here: something that it \
            used was not there or not as it is here; the run's command with --retry-failed runs \
            these trials again"
                .to_owned()
        }
        Reason::Unknown => "unknown; runner and plugin are the same as in the run, so the tables \
            or a machine must be at fault"
            .to_owned(),
        Reason::Changed(change) => change.to_string(),
    }
}

/// Returns the isolation in which differing trials are run again.
fn elsewhere(verification: &Verification, plugins: &PluginDirs) -> Result<Isolation, Failure> {
    if verification.differing.is_empty() {
        return Ok(Isolation::Threads);
    }
    let search = SearchPath::new(&plugins.plugin_dir);
    processes(&search).map_err(Failure::results)
}
