//! `--on-end COMMAND`: what is run when an experiment ended, such as a message to the user.

use crate::cli::{Failure, message};
use crate::exit::Exit;
use crate::plan::Plan;
use crate::run::{Ended, SessionOptions};
use std::path::PathBuf;

/// How an experiment ended, in the word that the command is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Its tables are written.
    Finished,
    /// Only some arms were run, or it is a shard.
    Partial,
    Interrupted,
    /// It could not go on.
    Failed,
}

impl Outcome {
    pub(super) fn of(ended: &Ended) -> Self {
        match ended {
            Ended::Finished(_) => Outcome::Finished,
            Ended::Partial { .. } | Ended::ShardDone { .. } => Outcome::Partial,
            Ended::Interrupted { .. } => Outcome::Interrupted,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Outcome::Finished => "finished",
            Outcome::Partial => "partial",
            Outcome::Interrupted => "interrupted",
            Outcome::Failed => "failed",
        }
    }
}

/// Whether a command can be run here.
///
/// # Errors
/// If it cannot.
pub(super) fn check(command: Option<&str>) -> Result<(), Failure> {
    match command {
        Some(command) if !cfg!(unix) => Err(Failure::usage(format!(
            "--on-end '{command}': the command is run by sh, which only Unix systems have"
        ))),
        _ => Ok(()),
    }
}

/// Runs the command and waits for it; what goes wrong is a warning.
pub(super) fn run(
    command: &str,
    plan: &Plan,
    options: &SessionOptions,
    outcome: Outcome,
    exit: Exit,
) {
    if let Err(words) = shell::run(command, &environment(plan, options, outcome, exit)) {
        warning!("--on-end: {words}");
    }
}

/// What the command finds in its environment.
fn environment(
    plan: &Plan,
    options: &SessionOptions,
    outcome: Outcome,
    exit: Exit,
) -> [(&'static str, PathBuf); 4] {
    let name = match &options.share {
        Some(share) => share.folder(&plan.name),
        None => plan.name.clone(),
    };
    [
        ("RUNNER_NAME", plan.name.clone().into()),
        ("RUNNER_FOLDER", options.results.path.join(name)),
        ("RUNNER_OUTCOME", outcome.as_str().into()),
        ("RUNNER_EXIT_CODE", exit.code().to_string().into()),
    ]
}

#[cfg(unix)]
mod shell {
    use super::message;
    use crate::system::streams::Stream;
    use std::io::{BufRead, BufReader, PipeReader};
    use std::os::unix::process::CommandExt;
    use std::path::PathBuf;
    use std::process::{Command, ExitStatus, Stdio};
    use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
    use std::thread;
    use std::time::Duration;

    /// How long is waited for lines after the command ended: what it started may hold its output.
    const REST: Duration = Duration::from_millis(500);

    /// Runs a command by `sh -c`, in a process group of its own: a signal to the run's group does
    /// not end it. It has no input, and prints to standard error; with JSON lines, each line that
    /// it prints becomes a note.
    pub(super) fn run(command: &str, environment: &[(&str, PathBuf)]) -> Result<(), String> {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).process_group(0).stdin(Stdio::null());
        for (name, value) in environment {
            shell.env(name, value);
        }
        let status = if message::are_json_lines() { noted(shell) } else { shown(shell) };
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("`{command}` ended with {status}")),
            Err(error) => Err(format!("`{command}` cannot be run: {error}")),
        }
    }

    fn shown(mut shell: Command) -> std::io::Result<ExitStatus> {
        shell.stdout(Stream::Error.stdio()?).stderr(Stream::Error.stdio()?).status()
    }

    fn noted(mut shell: Command) -> std::io::Result<ExitStatus> {
        let (reader, writer) = std::io::pipe()?;
        shell.stdout(writer.try_clone()?).stderr(writer);
        let mut process = shell.spawn()?;
        // It holds the pipe's other end, which would never close.
        drop(shell);
        let lines = lines(reader);
        let status = loop {
            match lines.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => note!("on-end: {line}"),
                Err(RecvTimeoutError::Disconnected) => break process.wait()?,
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(status) = process.try_wait()? {
                        break status;
                    }
                }
            }
        };
        while let Ok(line) = lines.recv_timeout(REST) {
            note!("on-end: {line}");
        }
        Ok(status)
    }

    /// The lines of a pipe, as they come.
    fn lines(reader: PipeReader) -> Receiver<String> {
        let (sender, receiver) = channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(reader);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                line.clear();
                if sender.send(text).is_err() {
                    break;
                }
            }
        });
        receiver
    }
}

#[cfg(not(unix))]
mod shell {
    use std::path::PathBuf;

    /// There is no shell: the command line was refused.
    pub(super) fn run(command: &str, _: &[(&str, PathBuf)]) -> Result<(), String> {
        Err(format!("`{command}` cannot be run: this system has no sh"))
    }
}
