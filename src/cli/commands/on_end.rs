//! `--on-end COMMAND`: a command that runs when an experiment ends, such as a message to the user.

use crate::cli::{Failure, message};
use crate::exit::Exit;
use crate::plan::Plan;
use crate::run::{Ended, SessionOptions};
use runner_engine::named;
use std::path::PathBuf;

named! {
    /// Ending of an experiment, as the command receives it.
    pub(super) enum Outcome {
        /// All trials are done, and the tables are written.
        Finished = "finished",
        /// Only some arms were run, or only a shard.
        Partial = "partial",
        Interrupted = "interrupted",
        /// The experiment stopped because of an error.
        Failed = "failed",
    }
}

impl Outcome {
    pub(super) fn of(ended: &Ended) -> Self {
        match ended {
            Ended::Finished(_) => Outcome::Finished,
            Ended::Partial { .. } | Ended::ShardDone { .. } => Outcome::Partial,
            Ended::Interrupted { .. } => Outcome::Interrupted,
            Ended::AllFailed { .. } => Outcome::Failed,
        }
    }
}

/// Checks that a command can be run on this system.
pub(super) fn check(command: Option<&str>) -> Result<(), Failure> {
    match command {
        Some(command) if !cfg!(unix) => Err(Failure::usage(format!(
            "--on-end '{command}': the command is run by sh, which only Unix systems have"
        ))),
        _ => Ok(()),
    }
}

/// Runs the command and waits for it. Failures are only warnings.
pub(super) fn run(
    command: &str,
    plan: &Plan,
    options: &SessionOptions,
    outcome: Outcome,
    exit: Exit,
) {
    let environment = environment(plan, options, outcome, exit);
    if let Err(words) = shell::run(command, &environment, &options.interrupt) {
        warning!("--on-end: {words}");
    }
}

/// Returns the environment variables for the command.
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
    use crate::system::guard;
    use crate::system::interrupt::Interrupt;
    use crate::system::streams::Stream;
    use std::io::{self, BufRead, BufReader, PipeReader};
    use std::os::unix::process::CommandExt;
    use std::path::PathBuf;
    use std::process::{Child, Command, ExitStatus, Stdio};
    use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
    use std::thread;
    use std::time::Duration;

    /// Maximum wait for output after the command ended, because a program that it started may hold
    /// the pipe open.
    const REST: Duration = Duration::from_millis(500);
    /// First and maximum interval at which the command is polled.
    const LOOK: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(50)];

    /// Runs a command by `sh -c`, in a separate process group. A signal to the run's group does not
    /// end it, but a request to stop the run does. It has no input, and prints to standard error.
    /// With JSON lines, each line that it prints becomes a note.
    pub(super) fn run(
        command: &str,
        environment: &[(&str, PathBuf)],
        interrupt: &Interrupt,
    ) -> Result<(), String> {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).process_group(0).stdin(Stdio::null());
        for (name, value) in environment {
            shell.env(name, value);
        }
        // Processes that the command leaves behind may outlive the run.
        if let Ok((name, value)) = guard::variable_to_stay() {
            shell.env(name, value);
        }
        let ended = if message::are_json_lines() {
            noted(shell, interrupt)
        } else {
            shown(shell, interrupt)
        };
        match ended {
            Ok(Some(status)) if status.success() => Ok(()),
            Ok(Some(status)) => Err(format!("`{command}` ended with {status}")),
            Ok(None) => Err(format!("`{command}` was ended, since the run was asked to stop")),
            Err(error) => Err(format!("`{command}` cannot be run: {error}")),
        }
    }

    /// A running command. Its process group ends with this process.
    struct Running<'run> {
        process: Child,
        interrupt: &'run Interrupt,
        /// Whether the interrupt was raised before the start. An interrupted run also runs the
        /// command. Only another signal ends it, and that signal ends this process at once.
        was_raised: bool,
    }

    impl<'run> Running<'run> {
        fn start(mut shell: Command, interrupt: &'run Interrupt) -> io::Result<Self> {
            let was_raised = interrupt.is_raised();
            let process = shell.spawn()?;
            guard::ends_with_this(Some(process.id()));
            Ok(Running { process, interrupt, was_raised })
        }

        /// Returns the exit status if the command ended; `None` while it runs. The inner `None`
        /// means that it was ended because the run has to stop.
        fn look(&mut self) -> io::Result<Option<Option<ExitStatus>>> {
            if let Some(status) = self.process.try_wait()? {
                return Ok(Some(Some(status)));
            }
            if self.was_raised || !self.interrupt.is_raised() {
                return Ok(None);
            }
            let group = self.process.id();
            guard::end_group(group, || !matches!(self.process.try_wait(), Ok(None)));
            self.process.wait()?;
            Ok(Some(None))
        }
    }

    impl Drop for Running<'_> {
        fn drop(&mut self) {
            guard::ends_with_this(None);
        }
    }

    fn shown(mut shell: Command, interrupt: &Interrupt) -> io::Result<Option<ExitStatus>> {
        shell.stdout(Stream::Error.stdio()?).stderr(Stream::Error.stdio()?);
        let mut running = Running::start(shell, interrupt)?;
        let [mut patience, longest] = LOOK;
        loop {
            if let Some(ended) = running.look()? {
                return Ok(ended);
            }
            thread::sleep(patience);
            patience = (2 * patience).min(longest);
        }
    }

    fn noted(mut shell: Command, interrupt: &Interrupt) -> io::Result<Option<ExitStatus>> {
        let (reader, writer) = io::pipe()?;
        shell.stdout(writer.try_clone()?).stderr(writer);
        let lines = lines(reader)?;
        // The command is dropped inside `start`, because it holds the pipe's other end, which would
        // never close.
        let mut running = Running::start(shell, interrupt)?;
        let mut is_open = true;
        let ended = loop {
            if is_open {
                match lines.recv_timeout(LOOK[1]) {
                    Ok(line) => note!("on-end: {line}"),
                    Err(error) => is_open = error == RecvTimeoutError::Timeout,
                }
            } else {
                thread::sleep(LOOK[1]);
            }
            if let Some(ended) = running.look()? {
                break ended;
            }
        };
        while let Ok(line) = lines.recv_timeout(REST) {
            note!("on-end: {line}");
        }
        Ok(ended)
    }

    /// Returns a channel with the lines of a pipe, as they arrive.
    fn lines(reader: PipeReader) -> io::Result<Receiver<String>> {
        let (sender, receiver) = channel();
        let read = move || {
            let mut reader = BufReader::new(reader);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                line.clear();
                if sender.send(text).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new().name("on-end".to_owned()).spawn(read)?;
        Ok(receiver)
    }
}

#[cfg(not(unix))]
mod shell {
    use std::path::PathBuf;

    /// Reports that there is no shell. The command line was already refused.
    pub(super) fn run(
        command: &str,
        _: &[(&str, PathBuf)],
        _: &crate::system::interrupt::Interrupt,
    ) -> Result<(), String> {
        Err(format!("`{command}` cannot be run: this system has no sh"))
    }
}
