//! `runner import`: turns trials that another program ran into a results folder.

use super::output::line;
use crate::cli::Failure;
use crate::cli::arguments::ImportArguments;
use crate::exit::Exit;
use crate::results::import::{ImportError, Report, Request, import as import_trials};
use crate::words::counted;
use std::path::Path;

pub(super) fn import(arguments: &ImportArguments) -> Result<Exit, Failure> {
    let request = Request {
        file: arguments.file.clone(),
        map: arguments.map.clone(),
        target: arguments.target,
        name: name(arguments)?,
        out: arguments.out.clone(),
        beside: arguments.beside.clone(),
    };
    match import_trials(&request) {
        Ok(Report { folder, arms, trials }) => {
            line!(
                "{}: {} of {}",
                folder.display(),
                counted(trials, "trial"),
                counted(arms as u64, "arm")
            );
            Ok(Exit::Done)
        }
        Err(ImportError::Results(error)) => Err(error.into()),
        Err(faults) => Err(Failure::usage(faults.to_string())),
    }
}

/// Returns the name of the experiment, which is also the name of its folder.
fn name(arguments: &ImportArguments) -> Result<String, Failure> {
    let stem = || {
        let file = arguments.file.file_stem().or_else(|| arguments.file.file_name());
        file.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    };
    let name = arguments.name.clone().unwrap_or_else(stem);
    let one_folder = Path::new(&name).file_name().is_some_and(|own| own == name.as_str());
    if one_folder && !name.starts_with('.') {
        return Ok(name);
    }
    Err(Failure::usage(format!(
        "--name `{name}`: it is to be the name of a folder, without / and without a dot at its \
        beginning; give another"
    )))
}
