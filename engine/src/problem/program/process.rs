//! A process of a program: its start, its standard error, and its end.

use super::command::command;
use super::spawner;
use crate::problem::Permitted;
use crate::system::guard::{ending, report};
use crate::system::interrupt::asks_to_stop;
use crate::system::notice::Level;
use crate::system::processes::end_with_descendants;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Capacity of a pipe in bytes, if the system allows it: a whole batch at once.
const PIPE: usize = 1 << 20;
/// Number of bytes at the end of its standard error that are kept for the message about its end.
const LAST_WORDS: usize = 2048;
/// Maximum time for a process to end after its pipes are closed.
const LAST_BREATH: Duration = Duration::from_secs(1);

/// Process of a program. It has its own process group, which ends when this value is dropped.
pub(super) struct Process {
    child: Child,
    said: Arc<Said>,
    #[cfg(target_os = "linux")]
    place: super::place::Place,
}

/// Last output of a process on standard error.
#[derive(Default)]
struct Said {
    words: Mutex<LastWords>,
    closed: Condvar,
}

#[derive(Default)]
struct LastWords {
    bytes: Vec<u8>,
    /// Whether the output has ended.
    is_complete: bool,
}

impl Said {
    fn words(&self) -> MutexGuard<'_, LastWords> {
        self.words.lock()
    }

    /// Waits until all output is read or `patience` has passed, and returns the last line. The wait
    /// is limited because a child of the process may keep its standard error open.
    fn last_line(&self, patience: Duration) -> Option<String> {
        let more = |words: &mut LastWords| !words.is_complete;
        let mut words = self.words();
        self.closed.wait_while_for(&mut words, more, patience);
        let text = String::from_utf8_lossy(&words.bytes);
        text.trim_end().lines().next_back().filter(|line| !line.is_empty()).map(str::to_owned)
    }
}

impl Process {
    /// Starts a process. Returns it with its request pipe and its answer pipe.
    pub(super) fn start(location: &Permitted) -> io::Result<(Self, ChildStdin, ChildStdout)> {
        let mut command = command(location);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C in a terminal must reach only the run, which then ends its programs.
        command.process_group(0);
        let mut child = spawner::spawn(command)?;
        let (requests, answers, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Process {
            child,
            said: Arc::default(),
            #[cfg(target_os = "linux")]
            place: Default::default(),
        };
        let (Some(requests), Some(answers)) = (requests, answers) else {
            unreachable!("asked for above");
        };
        for pipe in [requests.as_fd(), answers.as_fd()] {
            // A size above the limit is no error: the pipe just holds less at once.
            _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE);
            // The flags affect only this end of the pipe.
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        if let Some(stderr) = stderr {
            let name = location.path.file_name().unwrap_or(location.path.as_os_str());
            let name = name.to_string_lossy().into_owned();
            listen(stderr, name, Arc::clone(&process.said))?;
        }
        Ok((process, requests, answers))
    }

    /// Records that this thread is about to send a request. `is_short`: whether the request is
    /// probably short.
    pub(super) fn is_asked(&mut self, is_short: bool) {
        #[cfg(target_os = "linux")]
        self.place.asked(&mut self.child, is_short);
        #[cfg(not(target_os = "linux"))]
        let _ = is_short;
    }

    /// Returns whether the process has ended.
    pub(super) fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Returns whether the process was ended by a signal that asks programs to stop.
    pub(super) fn was_asked_to_stop(&mut self) -> bool {
        let status = self.child.try_wait().ok().flatten();
        status.and_then(|status| status.signal()).is_some_and(asks_to_stop)
    }

    /// Describes the end of a process that closed a pipe, with its last output, in words that
    /// follow "the program".
    pub(super) fn last_words(&mut self) -> String {
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
        if let Some(last) = self.said.last_line(LAST_BREATH.saturating_sub(since.elapsed())) {
            words += &format!("; the last that it wrote: {last}");
        }
        words
    }
}

impl Drop for Process {
    /// Kills the process and all of its descendants.
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            end_with_descendants(self.child.id());
        } else {
            _ = rustix::process::kill_process_group(
                rustix::process::Pid::from_child(&self.child),
                rustix::process::Signal::KILL,
            );
        }
        _ = self.child.wait();
    }
}

/// Maximum number of lines on standard error that are shown for all processes; the rest is dropped.
const SHOWN: usize = 20;
/// Maximum length of a shown line in bytes.
const LINE: usize = 300;
static LINES: AtomicUsize = AtomicUsize::new(0);

/// Shows the program's standard error and keeps the end of it.
fn listen(mut stderr: ChildStderr, name: String, said: Arc<Said>) -> io::Result<()> {
    let work = move || {
        let (mut bytes, mut line) = (vec![0; 1 << 16], Vec::new());
        loop {
            let read = match stderr.read(&mut bytes) {
                Ok(read) if read > 0 => &bytes[..read],
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                _ => {
                    if !line.is_empty() {
                        show(&name, &line);
                    }
                    said.words().is_complete = true;
                    said.closed.notify_all();
                    return;
                }
            };
            {
                let mut words = said.words();
                let last = &mut words.bytes;
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
