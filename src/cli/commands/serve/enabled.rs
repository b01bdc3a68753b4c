//! The command in a program that has the page.

use super::super::load::search_path;
use super::super::output::line;
use crate::cli::Failure;
use crate::cli::arguments::ServeArguments;
use crate::exit::Exit;
use crate::system::interrupt::Interrupt;
use crate::system::memory::free;
pub(crate) use runner_page::live::serve_orders;
use runner_page::serve::{self as page, ServeError, ServeOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) fn serve(arguments: &ServeArguments, interrupt: &Interrupt) -> Result<Exit, Failure> {
    let here = arguments.host.is_loopback();
    let token = (!here)
        .then(page::unguessable)
        .transpose()
        .map_err(|error| Failure::results(format!("no token can be made: {error}")))?;
    let there = || Path::new("configs").is_dir().then(|| PathBuf::from("configs"));
    let configs = arguments.configs.clone().or_else(there);
    check_folder(&arguments.out)?;
    let options = ServeOptions {
        host: arguments.host,
        port: arguments.port,
        out: arguments.out.clone(),
        configs: configs.clone().unwrap_or_else(|| PathBuf::from(".")),
        // The working folder may have any content, so it is offered only if it is named.
        data: configs,
        base_path: arguments.base_path.clone().unwrap_or_default(),
        search: search_path(&arguments.plugins),
        trust: arguments.trust,
        runs: arguments.runs,
        // If the free memory is unknown, the total is not limited.
        memory: arguments.memory.or_else(|| free().map(|free| free / 2)).unwrap_or(u64::MAX),
        patience: Duration::from_secs(arguments.read_seconds.into()),
        token,
    };
    let announce = |address: &str| {
        line!("{address}");
        message!("Open this address in a browser. Ctrl-C ends the server and its searches.");
        if arguments.open {
            open(address);
        }
    };
    page::serve(options, interrupt, announce).map_err(|error| match error {
        ServeError::Worker(_) => Failure::plugin(error.to_string()),
        ServeError::Listen { .. } => Failure::usage(format!(
            "{error}; choose another with --port or --host; --port 0 takes one that is free"
        )),
        ServeError::Start(_) => Failure::results(error.to_string()),
    })?;
    Ok(Exit::Done)
}

/// Checks that results can be shown from the folder. A missing folder is allowed, because a run may
/// create it.
fn check_folder(out: &Path) -> Result<(), Failure> {
    match std::fs::read_dir(out) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            let why = match out.symlink_metadata() {
                Ok(_) if !out.is_dir() => "this is no folder".to_owned(),
                _ => format!("it cannot be read: {error}"),
            };
            let way_out = "name the folder that has a results folder for each experiment";
            Err(Failure::usage(format!("--out {}: {why}; {way_out}", out.display())))
        }
        _ => Ok(()),
    }
}

/// Opens an address in the user's browser.
fn open(address: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = std::process::Command::new(program);
    command.arg(address).stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    // The browser stays open when the server ends.
    if let Ok((name, value)) = crate::system::guard::variable_to_stay() {
        command.env(name, value);
    }
    if let Err(error) = command.spawn() {
        warning!("--open: {program} cannot be started: {error}; open the address by hand");
    }
}
