//! Choice of the arms that a command works on.

use super::folders::of_results;
use crate::cli::Failure;
use crate::cli::arguments::ArmArguments;
use crate::cli::message::show;
use crate::plan::{ArmKey, ArmPatterns, Plan};
use crate::present::remarks::{imported, unfinished};
use crate::results::Results;
use crate::words::{count, counted};
use std::path::{Path, PathBuf};

impl ArmArguments {
    fn patterns(&self) -> ArmPatterns {
        ArmPatterns::new(self.arms.clone())
    }
}

/// Chooses the arms of experiments that are run. Removes experiments without a chosen arm, and
/// prints a note for each.
pub(super) fn choose(
    arguments: &ArmArguments,
    plans: &mut Vec<Plan>,
) -> Result<ArmPatterns, Failure> {
    let patterns = arguments.patterns();
    check(&patterns, plans.iter().flat_map(|plan| &plan.arms).map(ArmKey::from))?;
    plans.retain(|plan| {
        let chosen = patterns.chosen(&plan.arms).contains(&true);
        if !chosen {
            note!("{}: no arm of --arm is in it; it is not run", plan.source.path.display());
        }
        chosen
    });
    Ok(patterns)
}

/// Opens results with the chosen arms only, and prints how many were chosen.
///
/// # Errors
/// Returns an error if the results cannot be read, or a pattern matches no arm.
pub(super) fn open(folder: &Path, arguments: &ArmArguments) -> Result<Results, Failure> {
    let opened = open_all(&[folder.to_owned()], arguments)?;
    Ok(opened.into_iter().next().expect("one folder is opened as one"))
}

/// Opens several results folders with the chosen arms only. Each pattern must match an arm of at
/// least one folder. Folders without a chosen arm are left out.
///
/// # Errors
/// Returns an error if the results cannot be read, or a pattern matches no arm.
pub(super) fn open_all(
    folders: &[PathBuf],
    arguments: &ArmArguments,
) -> Result<Vec<Results>, Failure> {
    let patterns = arguments.patterns();
    let mut opened = of_results(folders)
        .into_iter()
        .map(|folder| Results::open(folder))
        .collect::<Result<Vec<_>, _>>()?;
    opened.iter().for_each(tell_imported);
    if patterns.is_empty() {
        return Ok(opened);
    }
    check(&patterns, opened.iter().flat_map(Results::arms).map(ArmKey::from))?;
    let mut found = Vec::new();
    for results in opened.drain(..) {
        let chosen = patterns.chosen(results.arms());
        note!("{}: {}", results.folder().display(), of_all(&chosen));
        if chosen.contains(&true) {
            found.push(results.only(&chosen)?);
        }
    }
    Ok(found)
}

/// Prints a note if trials are missing.
pub(super) fn tell_unfinished(results: &Results) {
    let name = results.folder().display().to_string();
    unfinished(results, &name).iter().for_each(show);
}

/// Prints a note if another program ran these trials.
pub(super) fn tell_imported(results: &Results) {
    let name = results.folder().display().to_string();
    imported(results, &name).iter().for_each(show);
}

/// Returns a text such as "2 of 5 arms".
pub(super) fn of_all(chosen: &[bool]) -> String {
    let some = chosen.iter().filter(|chosen| **chosen).count();
    format!("{} of {}", count(some as u64), counted(chosen.len() as u64, "arm"))
}

fn check<'arm>(
    patterns: &ArmPatterns,
    arms: impl Iterator<Item = ArmKey<'arm>>,
) -> Result<(), Failure> {
    patterns.check(arms).map_err(|error| Failure::usage(format!("--arm: {error}")))
}
