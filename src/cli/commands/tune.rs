//! `runner tune`: searches the ranges of keys for good settings.

use super::folders::warn_of_nested;
use super::isolation::{isolation, worker_memory};
use super::load::{exit_of, plans_of, search_path};
use super::memory::check_memory;
use super::output::put;
use super::run::{interrupted_early, note_plugins, other_plan};
use super::trace::check_traces;
use crate::cli::Failure;
use crate::cli::arguments::TuneArguments;
use crate::cli::progress::{Wait, display};
use crate::config::{Catalogue, Overrides, Tuning, load_tuning};
use crate::exit::Exit;
use crate::plan::Plan;
use crate::present::terminal;
use crate::run::{Ended, SessionOptions, TimeLimit};
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use crate::tuning::{TuningError, run_tuning};
use std::path::Path;
use std::time::Instant;

pub(super) fn tune(arguments: &TuneArguments, interrupt: &Interrupt) -> Result<Exit, Failure> {
    let started = Instant::now();
    warn_of_nested(&arguments.out);
    let isolation = isolation(&arguments.isolation, &arguments.plugins)?;
    let worker = worker_memory(&arguments.isolation)?;
    let overrides =
        Overrides { set: arguments.set.clone(), repeats: None, seed: arguments.seed.clone() };
    let search = search_path(&arguments.plugins);
    let loader = isolation.plugin_loader(interrupt);
    let mut catalogue = Catalogue::opening(search.clone(), loader.opener());
    let loaded = load(&arguments.config, &overrides, &mut catalogue);
    if let Some(exit) = interrupted_early(interrupt) {
        return Ok(exit);
    }
    let (plans, tuning) = loaded?;
    if let Some(submitted) = arguments.plan.as_ref().filter(|plan| **plan != tuning.identity) {
        return Err(other_plan(&tuning.source.path, &tuning.identity, submitted));
    }
    // A process that loads plugins ends with the thread that started it, so the run has another.
    let loader = isolation.plugin_loader(interrupt);
    let mut catalogue = Catalogue::opening(search, loader.opener());
    let options = SessionOptions {
        isolation,
        jobs: arguments.jobs.number(),
        interrupt: interrupt.clone(),
        time_limit: arguments
            .time_limit
            .map_or_else(TimeLimit::default, |time| TimeLimit::after(started, time)),
        accept_plugin_change: arguments.accept_plugin_change,
        retry_failed: arguments.retry_failed,
        ..SessionOptions::new(&arguments.out)
    };
    check_traces(&plans, &arguments.out)?;
    check_memory(&plans, options.jobs, worker)?;
    note_plugins(&plans);
    let mut display = display(arguments.progress, None);
    let exit =
        match run_tuning(&tuning, &mut catalogue, &options, arguments.shard, display.as_mut()) {
            Ok(result) => {
                put(&terminal::tuning_result(&result, terminal::width().into()));
                if result.record.all_failures() > 0 { Exit::SomeFailed } else { Exit::Done }
            }
            Err(error) => ending(error).unwrap_or_else(|failure| failure.print()),
        };
    guard::done(exit.code());
    Ok(exit)
}

/// Loads a tuning, with the plan of the settings that it begins with; prints warnings.
pub(super) fn load(
    path: &Path,
    overrides: &Overrides,
    catalogue: &mut Catalogue,
) -> Result<(Vec<Plan>, Tuning), Failure> {
    let wait = Wait::begin(|| "reading".to_owned());
    let (outcome, tuning) = guard::in_own_surroundings(|| load_tuning(path, overrides, catalogue));
    drop(wait);
    let plans = plans_of(outcome)?;
    Ok((plans, tuning.expect("a file without faults has a tuning")))
}

/// Prints why a tuning ended early. Returns the exit code, or the failure.
fn ending(error: TuningError) -> Result<Exit, Failure> {
    match error {
        TuningError::Session(error) => Err(error.into()),
        TuningError::Results(error) => Err(error.into()),
        TuningError::Config(outcome) => {
            Err(Failure::new(exit_of(&outcome), "the tuning cannot go on").below((*outcome).into()))
        }
        TuningError::Other(folder) => Err(Failure::results(format!(
            "{}: it has other settings than this tuning tries, so it is of another tuning. One \
            goes on with the same budget, keys, seed, plugins and runner only, because a change \
            draws other settings. Give this one another name or --out; to go on from what that \
            one found, extend its survivors.toml",
            folder.display()
        ))),
        TuningError::Shards { experiment, of } => Err(Failure::usage(format!(
            "{experiment} is in a round of {of} shards; give --shard I/{of} until the tuning ends"
        ))),
        TuningError::Stopped(name, ended) => match *ended {
            Ended::Interrupted { is_time_up, .. } => {
                let why = if is_time_up { "The time limit is reached" } else { "Interrupted" };
                message!(
                    "{why} in {name}; finished trials are saved. Run the same command again to \
                    continue."
                );
                Ok(Exit::Interrupted)
            }
            _ => {
                message!(
                    "{name}: stopped, because all of its first trials failed; correct the cause \
                    and run the same command with --retry-failed"
                );
                Ok(Exit::SomeFailed)
            }
        },
    }
}
