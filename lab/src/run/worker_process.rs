//! A worker process as the run sees it: started, asked, and ended, whatever the plugin in it does.

use super::message::{Inbox, send};
use crate::exit::Exit;
use crate::problem::{PluginPolicy, SearchPath};
use crate::system::guard::{self, Call, Reached, UnderWay, ending};
use crate::system::interrupt::Interrupt;
use crate::system::processes::end_with_descendants;
use rustix::process::{Pid, WaitId, WaitIdOptions};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::num::NonZeroU64;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Command that starts a worker process.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    /// The program: the runner itself.
    pub program: PathBuf,
    /// Limit of the address space, in MB.
    pub memory: Option<NonZeroU64>,
    /// Maximum time for loading a plugin, and for making a problem or a plan.
    pub patience: Duration,
    /// Folders in which plugins are searched for.
    pub folders: Vec<PathBuf>,
    /// Policy for the plugins that may be opened. A process knows it before any request.
    pub policy: PluginPolicy,
    /// Whether it writes its messages as JSON lines.
    pub json_lines: bool,
}

impl WorkerCommand {
    /// Returns the command of this program. It has plugins from these folders that the policy
    /// permits, no limit of memory, and a minute of patience.
    ///
    /// # Errors
    /// Returns a message if the program does not find itself.
    pub fn of(search: &SearchPath, policy: PluginPolicy) -> Result<Self, String> {
        let program = std::env::current_exe()
            .map_err(|error| format!("worker processes need this program's file: {error}"))?;
        let folders = search.dirs().to_vec();
        let patience = Duration::from_secs(60);
        Ok(WorkerCommand { program, memory: None, patience, folders, policy, json_lines: false })
    }
}

/// Interval at which a silent process is looked at.
const TICK: Duration = Duration::from_millis(20);
/// Maximum time in which a process without its connection may end.
const LAST_BREATH: Duration = Duration::from_secs(1);

/// A worker process. It is in a separate process group, which ends when this value is dropped.
#[derive(Debug)]
pub struct WorkerProcess {
    process: Child,
    stream: UnixStream,
    inbox: Inbox,
    /// Stamp of the last request that was sent.
    stamp: u64,
    /// File in which the process writes the call that it is in.
    board: Option<File>,
    /// Exit status of the process, once its process id is released.
    status: Option<ExitStatus>,
}

/// Purpose of a worker process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// Plugins and trials of a run.
    Run,
    /// A search that is watched.
    Live,
}

/// A way to a process that is answering.
#[derive(Debug)]
pub struct Line {
    stream: UnixStream,
    stamp: u64,
}

impl Line {
    /// Sends a message. A process that is gone shows when its answer is read.
    pub fn tell(&mut self, message: &impl Serialize) {
        _ = send(&mut self.stream, self.stamp, message);
    }
}

/// Reason why there is no answer. For all but the first, the process is gone.
#[derive(Debug)]
pub enum Silence {
    /// The run is over.
    Interrupted,
    /// The time was up.
    Late,
    /// The process ended.
    Ended(ExitStatus),
    /// The process sent something that is no answer, or closed its connection.
    Broken(&'static str),
}

impl WorkerProcess {
    /// Starts a process.
    ///
    /// # Errors
    /// Returns the system's error if it gives no process or no descriptors.
    pub fn start(command: &WorkerCommand, duty: Duty) -> io::Result<Self> {
        let (stream, theirs) = UnixStream::pair()?;
        stream.set_read_timeout(Some(TICK))?;
        let board = guard::file().ok();
        let mut process = Command::new(&command.program);
        process.arg("worker");
        if duty == Duty::Live {
            process.arg("--live");
        }
        if let Some(megabytes) = command.memory {
            process.arg(format!("--memory={megabytes}"));
        }
        if command.json_lines {
            process.arg("--json");
        }
        process.stdin(OwnedFd::from(theirs));
        // In place of standard output, which a worker has no use for: see the command `worker`.
        process.stdout(match &board {
            Some(board) => Stdio::from(board.try_clone()?),
            None => Stdio::null(),
        });
        // Ctrl-C in a terminal is for the run alone: it ends its workers.
        process.process_group(0);
        let process = process.spawn()?;
        let mut worker = WorkerProcess {
            process,
            stream,
            inbox: Inbox::default(),
            stamp: 0,
            board,
            status: None,
        };
        worker.ask(&command.policy);
        Ok(worker)
    }

    /// Sends a request; the answers that come from now on are those to it.
    pub fn ask(&mut self, request: &impl Serialize) {
        // The stamp cannot be guessed, so an answer that a plugin forges is detected.
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u64(self.stamp);
        self.stamp = hasher.finish();
        // A process that is gone shows when its answer is read.
        _ = send(&mut self.stream, self.stamp, request);
    }

    /// Returns a line for adding to a request that is being answered.
    ///
    /// # Errors
    /// Returns the system's error if it gives no descriptor.
    pub fn line(&self) -> io::Result<Line> {
        Ok(Line { stream: self.stream.try_clone()?, stamp: self.stamp })
    }

    /// Waits for an answer, until `deadline` at most.
    ///
    /// # Errors
    /// Returns the reason why there is no answer.
    pub fn answer<M: DeserializeOwned>(
        &mut self,
        deadline: Option<Instant>,
        interrupt: &Interrupt,
    ) -> Result<M, Silence> {
        self.answer_watched(deadline, interrupt, |_| ())
    }

    /// Waits for an answer like [`Self::answer`], and calls `look` while there is none.
    pub(super) fn answer_watched<M: DeserializeOwned>(
        &mut self,
        deadline: Option<Instant>,
        interrupt: &Interrupt,
        mut look: impl FnMut(&Self),
    ) -> Result<M, Silence> {
        let mut ended = false;
        loop {
            match self.inbox.receive(&mut self.stream, Some(self.stamp)) {
                Ok((_, reply)) => return Ok(reply),
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    ) =>
                {
                    if interrupt.is_raised() {
                        return Err(Silence::Interrupted);
                    }
                    // What it had sent has been read by now. Its connection may be open all the
                    // same: a child of the plugin holds it.
                    if ended {
                        return Err(self.end("closed its connection"));
                    }
                    if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                        self.kill();
                        return Err(Silence::Late);
                    }
                    ended = self.has_ended();
                    look(self);
                }
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    self.kill();
                    return Err(Silence::Broken(
                        "sent what is no answer: the plugin wrote to a descriptor that is not its \
                        own",
                    ));
                }
                Err(_) => {
                    return Err(self.end(
                        "closed its connection: the plugin closed a descriptor that is not its own",
                    ));
                }
            }
        }
    }

    /// Returns the file that both the process and the run read and write.
    pub(super) fn board(&self) -> Option<&File> {
        self.board.as_ref()
    }

    /// Returns the call that the process is, or was, in.
    pub(super) fn under_way(&self) -> Option<UnderWay> {
        self.board.as_ref().and_then(guard::call_in)
    }

    /// Returns the figures of the process's trial at the end of its last generation.
    pub(super) fn reached(&self) -> Reached {
        self.board.as_ref().map_or_else(Reached::default, guard::reached_in)
    }

    /// Returns the call that the process is, or was, in; `None` outside calls.
    #[must_use]
    pub fn call(&self) -> Option<Call> {
        self.under_way()?.call
    }

    /// Returns the name of the plugin whose call that is.
    pub(super) fn plugin(&self) -> Option<String> {
        Some(self.under_way()?.plugin).filter(|name| !name.is_empty())
    }

    /// Returns whether the process has ended. Its process id is not reused until `kill`.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let ended = rustix::process::waitid(WaitId::Pid(Pid::from_child(&self.process)), options);
        !matches!(ended, Ok(None))
    }

    /// Waits for the end of the process and returns how it ended. Returns `otherwise` if the
    /// process must be killed.
    fn end(&mut self, otherwise: &'static str) -> Silence {
        let since = Instant::now();
        while !self.has_ended() {
            if since.elapsed() > LAST_BREATH {
                self.kill();
                return Silence::Broken(otherwise);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        match self.kill() {
            Some(status) => Silence::Ended(status),
            None => Silence::Broken(otherwise),
        }
    }

    /// Ends the process and all that it started.
    fn kill(&mut self) -> Option<ExitStatus> {
        if self.status.is_some() {
            return self.status;
        }
        end_with_descendants(self.process.id());
        self.status = self.process.wait().ok();
        self.status
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Silence {
    /// Returns whether it may be that somebody outside ends the whole run.
    pub(super) fn is_from_outside(&self) -> bool {
        use rustix::process::Signal;
        let signals = [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM, Signal::KILL]
            .map(Signal::as_raw);
        let Silence::Ended(status) = self else { return false };
        status.signal().is_some_and(|signal| signals.contains(&signal))
    }

    /// Returns whether the worker gave up a trial because it was asked to stop.
    pub(super) fn is_interrupted(&self) -> bool {
        let interrupted = Some(i32::from(Exit::Interrupted.code()));
        matches!(self, Silence::Ended(status) if status.code() == interrupted)
    }

    /// Describes how the process ended, after "the worker process".
    pub fn words(&self) -> String {
        match self {
            Silence::Interrupted => "was interrupted".to_owned(),
            Silence::Late => "did not come back in time".to_owned(),
            Silence::Broken(words) => (*words).to_owned(),
            Silence::Ended(status) => ending(*status),
        }
    }
}
