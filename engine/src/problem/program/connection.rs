//! A connection to a process of a program: requests in one pipe, answers in another. One thread
//! uses it at a time. It may send a request before the one ahead is answered. The process then
//! finds the next request as soon as it has answered one.

use super::frame::{self, Expected, Fault, HEAD, Head, Request, Status, TAIL};
use super::process::Process;
use crate::problem::Permitted;
use crate::system::call_limit::{CallLimit, Loss};
use crate::system::interrupt::is_asked_to_stop_within;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Write};
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

/// Interval between checks of the limits.
const TICK: Duration = Duration::from_millis(20);
/// Maximum wait for this process's own request to stop after one has ended the program.
const SETTLE: Duration = Duration::from_secs(2);
/// Minimum number of bytes to read at once.
const BUFFER: usize = 1 << 16;
/// Maximum length of a failure message in bytes.
const MESSAGE: usize = 1 << 20;
/// Maximum number of requests without an answer.
const IN_FLIGHT: usize = 2;

/// Process with its pipes. The process ends when this value is dropped.
pub(super) struct Connection {
    process: Process,
    requests: ChildStdin,
    answers: ChildStdout,
    /// Secret shared only with the process; a frame that contains it is an answer.
    secret: u64,
    /// Id of the process that answered first.
    id: Option<u32>,
    /// Number of requests that were sent.
    sent: u64,
    /// Number of requests that were answered.
    answered: u64,
    /// Frame of the last request.
    outgoing: Vec<u8>,
    /// Bytes that were read, from the last answer on.
    incoming: Vec<u8>,
    /// Length of the last answer, at the start of `incoming`.
    taken: usize,
    /// Whether the process has closed its end of the request pipe.
    is_closed: bool,
    /// Instances that the process has created.
    pub made: BTreeSet<u32>,
    /// Number of the program's dropped instances that the process was told of.
    pub told: usize,
}

/// Requests of one kind, one for each part of a batch.
pub(super) struct Exchange<'a> {
    pub request: Request,
    /// Number of requests.
    pub parts: usize,
    /// Function that appends the body of the request for a part.
    pub body: &'a dyn Fn(usize, &mut Vec<u8>),
    /// Maximum length in bytes of a successful answer.
    pub longest: usize,
}

/// Reason for a missing answer. The process is unusable afterwards.
#[derive(Debug)]
pub(super) enum Lost {
    /// The time limit expired, or the run is over; with the limit in seconds.
    Expired(Loss, Option<f64>),
    /// The process failed, in words that follow "the program".
    Gone(String),
    /// The answer is none to this request, in words that follow the call.
    Invalid(String),
}

impl Connection {
    /// Starts a process.
    pub(super) fn start(location: &Permitted) -> io::Result<Self> {
        let (process, requests, answers) = Process::start(location)?;
        Ok(Connection {
            process,
            requests,
            answers,
            secret: getrandom::u64().map_err(io::Error::other)?,
            id: None,
            sent: 0,
            answered: 0,
            outgoing: Vec::new(),
            incoming: Vec::new(),
            taken: 0,
            is_closed: false,
            made: BTreeSet::new(),
            told: 0,
        })
    }

    /// Sends all requests and passes each answer to `take`, in the order of the parts. `take`
    /// returns an error if the bytes are no valid answer. Returns the program's message if it
    /// answers that a part failed; the later parts are then skipped.
    ///
    /// # Errors
    /// Returns the reason for a missing answer.
    pub(super) fn exchange(
        &mut self,
        exchange: &Exchange<'_>,
        limit: &CallLimit,
        mut take: impl FnMut(usize, Status, &[u8]) -> Result<(), String>,
    ) -> Result<Result<(), String>, Lost> {
        let Exchange { parts, longest, .. } = *exchange;
        let (mut sent, mut failed) = (0, None);
        for part in 0..parts {
            while failed.is_none() && sent < parts.min(part + IN_FLIGHT) {
                self.send(exchange, sent, limit)?;
                sent += 1;
            }
            if part == sent {
                break;
            }
            let (status, bytes) = self.receive(longest, limit)?;
            match status {
                Status::Failed => {
                    failed.get_or_insert_with(|| String::from_utf8_lossy(bytes).into_owned());
                }
                _ if failed.is_none() => take(part, status, bytes).map_err(Lost::Invalid)?,
                _ => {}
            }
        }
        Ok(failed.map_or(Ok(()), Err))
    }

    /// Records that this thread is about to send a request. `is_short`: whether it is probably
    /// short.
    pub(super) fn is_asked(&mut self, is_short: bool) {
        self.process.is_asked(is_short);
    }

    /// Waits for `patience` and checks that nothing arrives that was not requested. Returns an
    /// error if something arrives or the process ended.
    pub(super) fn is_silent(&mut self, patience: Duration) -> Result<(), String> {
        self.drop_taken();
        let since = Instant::now();
        while since.elapsed() < patience {
            if self.can_read(TICK) && self.read(BUFFER).is_err() {
                return Err(self.process.last_words());
            }
            if !self.incoming.is_empty() {
                return Err(Fault::Surplus(self.incoming.len()).words());
            }
        }
        Ok(())
    }

    /// Sends the request for a part.
    fn send(
        &mut self,
        exchange: &Exchange<'_>,
        part: usize,
        limit: &CallLimit,
    ) -> Result<(), Lost> {
        let body = |frame: &mut Vec<u8>| (exchange.body)(part, frame);
        let seal = (self.secret, self.sent);
        frame::write(&mut self.outgoing, exchange.request, seal, body).map_err(|length| {
            Lost::Gone(format!("cannot be sent {length} bytes at once: genomes are too long"))
        })?;
        self.sent += 1;
        let mut written = 0;
        while written < self.outgoing.len() && !self.is_closed {
            match self.requests.write(&self.outgoing[written..]) {
                Ok(more) => written += more,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    check(limit)?;
                    self.make_room(exchange.longest)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The request that is being served shows the fault. Without others, it is this one.
                Err(_) if self.sent > self.answered + 1 => self.is_closed = true,
                Err(_) => return Err(self.gone()),
            }
        }
        Ok(())
    }

    /// Waits until the request pipe has room or is closed. Meanwhile reads answers, because the
    /// process may wait for room in that pipe before it reads the next request.
    fn make_room(&mut self, longest: usize) -> Result<(), Lost> {
        let pipes = &mut [
            PollFd::new(&self.requests, PollFlags::OUT),
            PollFd::new(&self.answers, PollFlags::IN),
        ];
        if poll(pipes, Some(&timeout(TICK))).is_ok() && !pipes[1].revents().is_empty() {
            self.read(BUFFER)?;
        }
        let unasked = self.incoming.len() - self.taken;
        if unasked > IN_FLIGHT * (HEAD + longest.max(MESSAGE) + TAIL) {
            return Err(Lost::Gone(Fault::Surplus(unasked).words()));
        }
        Ok(())
    }

    /// Waits for the next answer, and checks that it is from the started process and for this
    /// request. Returns its status and its body.
    fn receive(&mut self, longest: usize, limit: &CallLimit) -> Result<(Status, &[u8]), Lost> {
        let wrong = |fault: Fault| Lost::Gone(fault.words());
        self.drop_taken();
        self.read_to(HEAD, limit)?;
        let Some(head) = self.incoming.first_chunk().map(Head::of) else {
            unreachable!("read above");
        };
        let expected = Expected {
            secret: self.secret,
            number: self.answered,
            process: self.id,
            longest,
            words: MESSAGE,
        };
        let (status, length) = head.check(&expected).map_err(wrong)?;
        let end = HEAD + length + TAIL;
        self.read_to(end, limit)?;
        if !self.incoming[..end].ends_with(&self.secret.to_le_bytes()) {
            return Err(wrong(Fault::Unsealed));
        }
        self.id = Some(head.process);
        self.answered += 1;
        let surplus = self.incoming.len() - end;
        if surplus > 0 && self.answered == self.sent {
            return Err(wrong(Fault::Surplus(surplus)));
        }
        self.taken = end;
        Ok((status, &self.incoming[HEAD..HEAD + length]))
    }

    /// Forgets the last answer.
    fn drop_taken(&mut self) {
        self.incoming.drain(..self.taken);
        self.taken = 0;
    }

    /// Reads until at least `length` bytes are there.
    fn read_to(&mut self, length: usize, limit: &CallLimit) -> Result<(), Lost> {
        while self.incoming.len() < length {
            if self.can_read(TICK) {
                self.read(length - self.incoming.len())?;
                if self.incoming.len() < length {
                    check(limit)?;
                }
                continue;
            }
            check(limit)?;
            // A child of the process may keep the pipe open.
            if (self.is_closed || self.process.has_ended()) && !self.can_read(Duration::ZERO) {
                return Err(self.gone());
            }
        }
        Ok(())
    }

    /// Reads once, with room for at least `least` bytes.
    fn read(&mut self, least: usize) -> Result<(), Lost> {
        self.incoming.reserve(least.max(BUFFER));
        match rustix::io::read(&self.answers, spare_capacity(&mut self.incoming)) {
            Ok(0) => Err(self.gone()),
            Ok(_) | Err(Errno::AGAIN | Errno::INTR) => Ok(()),
            Err(_) => Err(self.gone()),
        }
    }

    /// Waits until answers can be read or the pipe is closed, at most for `patience`. The next read
    /// shows which.
    fn can_read(&self, patience: Duration) -> bool {
        let ready =
            poll(&mut [PollFd::new(&self.answers, PollFlags::IN)], Some(&timeout(patience)));
        !matches!(ready, Ok(0) | Err(Errno::INTR))
    }

    /// Returns the reason why a pipe is closed.
    fn gone(&mut self) -> Lost {
        let words = self.process.last_words();
        if self.process.was_asked_to_stop() && is_asked_to_stop_within(SETTLE) {
            return Lost::Expired(Loss::Interrupted, None);
        }
        Lost::Gone(words)
    }
}

/// Checks whether to give up.
fn check(limit: &CallLimit) -> Result<(), Lost> {
    limit.expired().map_or(Ok(()), |loss| Err(Lost::Expired(loss, limit.seconds)))
}

fn timeout(patience: Duration) -> Timespec {
    Timespec { tv_sec: 0, tv_nsec: i64::from(patience.subsec_nanos()) }
}
