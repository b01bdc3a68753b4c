//! A process of a program: asked, listened to, and ended.

use super::command::command;
use super::frame::{self, HEAD, Request, Status};
use super::spawner;
use crate::problem::Location;
use crate::system::call_limit::{self, CallLimit};
use crate::system::guard::{ending, report};
use crate::system::notice::Level;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes that a pipe holds, where the system allows it: a batch in one go.
const PIPE: usize = 1 << 20;
/// How often limits are looked at.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
/// Bytes of its standard error that are kept for the message of its end.
const LAST_WORDS: usize = 2048;
/// How long a process without its pipes may take to end.
const LAST_BREATH: Duration = Duration::from_secs(1);

/// A process of a program. It is in a process group of its own, which ends with this value.
pub(super) struct Process {
    child: Child,
    requests: ChildStdin,
    answers: ChildStdout,
    last_words: Arc<Mutex<Vec<u8>>>,
    frame: Vec<u8>,
    answer: Vec<u8>,
    /// The instances that it has made.
    pub made: BTreeSet<u32>,
    /// How many of the program's instances that are gone it was told of.
    pub told: usize,
}

/// Why there is no answer. The process is of no use any more.
#[derive(Debug)]
pub(super) enum Lost {
    /// The time was up, or the run is over.
    Expired(call_limit::Loss),
    /// In words that follow "the program".
    Gone(String),
}

impl Process {
    /// Starts a process.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn start(location: &Location) -> io::Result<Self> {
        let mut command = command(location);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C in a terminal is for the run alone: it ends its programs.
        command.process_group(0);
        let mut child = spawner::spawn(command)?;
        let (requests, answers) = (child.stdin.take(), child.stdout.take());
        let (Some(requests), Some(answers)) = (requests, answers) else {
            unreachable!("asked for above");
        };
        for pipe in [requests.as_fd(), answers.as_fd()] {
            // More than is allowed is no error: what fits goes in one go.
            _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE);
            // The flags are those of this end alone.
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        let last_words = Arc::default();
        if let Some(stderr) = child.stderr.take() {
            let name = location.path.file_name().unwrap_or(location.path.as_os_str());
            let name = name.to_string_lossy().into_owned();
            listen(stderr, name, Arc::clone(&last_words))?;
        }
        Ok(Process {
            child,
            requests,
            answers,
            last_words,
            frame: Vec::new(),
            answer: Vec::new(),
            made: BTreeSet::new(),
            told: 0,
        })
    }

    /// Asks, and waits for the answer: at most `longest` bytes if it is what was asked for.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn ask(
        &mut self,
        request: Request,
        pieces: &[&[u8]],
        longest: usize,
        limit: &CallLimit,
    ) -> Result<(Status, &[u8]), Lost> {
        frame::write(&mut self.frame, request, pieces).map_err(|length| {
            Lost::Gone(format!("cannot be sent {length} bytes at once: genomes are too long"))
        })?;
        self.write(limit)?;
        self.answer.clear();
        self.read(HEAD, limit)?;
        let length = self.answer[..4].iter().rev().fold(0, |sum, byte| sum << 8 | *byte as usize);
        let byte = self.answer[4];
        let most = if byte == 0 { longest } else { MESSAGE };
        let status = Status::of(byte).filter(|_| length <= most).ok_or_else(|| {
            Lost::Gone(format!(
                "sent what is no answer: a frame of {length} bytes that begins with {byte}"
            ))
        })?;
        self.read(HEAD + length, limit)?;
        Ok((status, &self.answer[HEAD..]))
    }

    fn write(&mut self, limit: &CallLimit) -> Result<(), Lost> {
        let mut sent = 0;
        while sent < self.frame.len() {
            match self.requests.write(&self.frame[sent..]) {
                Ok(more) => sent += more,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    wait(&self.requests, PollFlags::OUT, limit)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(self.gone()),
            }
        }
        Ok(())
    }

    /// Reads until the answer has so many bytes.
    fn read(&mut self, length: usize, limit: &CallLimit) -> Result<(), Lost> {
        let mut have = self.answer.len();
        self.answer.resize(length, 0);
        while have < length {
            match self.answers.read(&mut self.answer[have..]) {
                Ok(0) => return Err(self.gone()),
                Ok(more) => have += more,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    wait(&self.answers, PollFlags::IN, limit)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(self.gone()),
            }
        }
        Ok(())
    }

    /// It closed a pipe: how it ended, and what it last said.
    fn gone(&mut self) -> Lost {
        let since = Instant::now();
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if since.elapsed() < LAST_BREATH => {
                    thread::sleep(Duration::from_millis(1));
                }
                _ => break None,
            }
        };
        let mut words = status.map_or_else(|| "closed its pipes".to_owned(), ending);
        let last = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let last = String::from_utf8_lossy(&last);
        if let Some(last) = last.trim_end().lines().next_back().filter(|last| !last.is_empty()) {
            words += &format!("; the last that it wrote: {last}");
        }
        Lost::Gone(words)
    }
}

/// The longest message of a failure.
const MESSAGE: usize = 1 << 20;

/// Waits until the pipe can be used.
fn wait(pipe: &impl AsFd, flags: PollFlags, limit: &CallLimit) -> Result<(), Lost> {
    loop {
        match poll(&mut [PollFd::new(pipe, flags)], Some(&TICK)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            // Ready, or gone: what is done next shows which.
            _ => return Ok(()),
        }
        if let Some(expired) = limit.expired() {
            return Err(Lost::Expired(expired));
        }
    }
}

/// Lines of a program's standard error that are shown, over all its processes; the rest is dropped.
const SHOWN: usize = 20;
/// Bytes of such a line.
const LINE: usize = 300;
static LINES: AtomicUsize = AtomicUsize::new(0);

/// Shows what the program writes to standard error, and keeps the last of it.
fn listen(mut stderr: ChildStderr, name: String, kept: Arc<Mutex<Vec<u8>>>) -> io::Result<()> {
    let work = move || {
        let (mut bytes, mut line) = (vec![0; 1 << 16], Vec::new());
        loop {
            let read = match stderr.read(&mut bytes) {
                Ok(0) => return,
                Ok(read) => &bytes[..read],
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            {
                let mut last = kept.lock().unwrap_or_else(PoisonError::into_inner);
                last.extend_from_slice(&read[read.len().saturating_sub(LAST_WORDS)..]);
                let surplus = last.len().saturating_sub(LAST_WORDS);
                last.drain(..surplus);
            }
            for &byte in read {
                if byte == b'\n' {
                    show(&name, &line);
                    line.clear();
                } else if line.len() < LINE {
                    line.push(byte);
                }
            }
        }
    };
    thread::Builder::new().name("stderr".to_owned()).spawn(work).map(|_| ())
}

fn show(name: &str, line: &[u8]) {
    match LINES.fetch_add(1, Ordering::Relaxed) {
        shown if shown < SHOWN => {
            let line = String::from_utf8_lossy(line);
            report(Level::Note, format!("{name} wrote: {}", line.trim_end()));
        }
        SHOWN => report(Level::Note, format!("{name} writes more, which is not shown")),
        _ => {}
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        _ = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&self.child),
            rustix::process::Signal::KILL,
        );
        // Should it have left its own group.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
