//! Programs that are run.

use crate::Outcome;
use std::process::{Command, Stdio};

/// Runs it; fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Outcome<()> {
    let status = command.status().map_err(|error| not_started(command, &error))?;
    status.success().then_some(()).ok_or_else(|| format!("{command:?}: {status}").into())
}

/// Returns the output of a command; fails unless the command succeeds.
pub(crate) fn output(command: &mut Command) -> Outcome<Vec<u8>> {
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|error| not_started(command, &error))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!("{command:?}: {}", output.status).into()),
    }
}

/// Returns the output of a command as text.
pub(crate) fn text(command: &mut Command) -> Outcome<String> {
    Ok(String::from_utf8(output(command)?)?)
}

fn not_started(command: &Command, error: &std::io::Error) -> String {
    format!("cannot start {}: {error}", command.get_program().display())
}
