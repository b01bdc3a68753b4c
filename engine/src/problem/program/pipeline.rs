//! A process and its queue of requests. Requests wait in the pipe in the order in which they were
//! sent. The process therefore finds the next request as soon as it has answered one. Answers are
//! read in the same order, each by the thread that sent the request. A fault belongs to the request
//! that is being served. The requests behind it are sent to another process.

use super::frame::{self, Expected, Fault, HEAD, Head, Request, Status, TAIL};
use super::process::Process;
use crate::problem::Permitted;
use crate::system::call_limit::{self, CallLimit, Loss};
use crate::system::guard::{self, PluginNumber};
use crate::system::interrupt::is_asked_to_stop_within;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::process::{ChildStdin, ChildStdout};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Interval between checks of the limits.
pub(super) const TICK: Duration = Duration::from_millis(20);
/// Maximum time for a program to start, and to create a problem.
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum wait for this process's own request to stop after one has ended the program.
const SETTLE: Duration = Duration::from_secs(2);
/// Size of the read buffer for answers in bytes.
const BUFFER: usize = 1 << 16;
/// Maximum length of a failure message in bytes.
const MESSAGE: usize = 1 << 20;

/// Process with its queue of requests.
pub(super) struct Pipeline {
    process: Process,
    /// Secret shared only with the process; a frame that contains it is an answer.
    secret: u64,
    requests: Mutex<Requests>,
    answers: Mutex<Answers>,
    turns: Mutex<Turns>,
    turned: Condvar,
}

/// Request pipe, and the state of the process that requests changed.
pub(super) struct Requests {
    pipe: ChildStdin,
    frame: Vec<u8>,
    /// Instances that the process has created.
    pub made: BTreeSet<u32>,
    /// Number of the program's dropped instances that the process was told of.
    pub told: usize,
}

struct Answers {
    pipe: BufReader<ChildStdout>,
    frame: Vec<u8>,
    /// Id of the process that answered first.
    process: Option<u32>,
}

/// State of the queue.
#[derive(Debug, Default)]
struct Turns {
    /// Number of requests so far.
    taken: u64,
    /// Number of answered requests, which is also the number of the request being served.
    served: u64,
    /// Whether the process is unusable.
    ended: bool,
}

/// Request to a process.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub request: Request,
    /// Consecutive pieces of the body.
    pub pieces: &'a [&'a [u8]],
    /// Maximum length in bytes of a successful answer.
    pub longest: usize,
    pub time: Time,
    pub plugin: PluginNumber,
}

/// Time limit that applies once the request is served.
#[derive(Clone, Copy, Debug)]
pub(super) enum Time {
    /// Fixed limit, for requests that prepare the process.
    Preparation,
    /// The caller's limit; the caller has waited since this instant.
    Callers(Instant),
}

impl Time {
    /// Starts the limit now.
    fn begins(self) -> CallLimit {
        match self {
            Time::Preparation => {
                let deadline = Some(Instant::now() + PATIENCE);
                let (seconds, waited) = (Some(PATIENCE.as_secs_f64()), Duration::ZERO);
                CallLimit { deadline, seconds, waited, ..call_limit::current() }
            }
            Time::Callers(since) => {
                call_limit::wait(since.elapsed());
                call_limit::current()
            }
        }
    }
}

/// Reason for a missing answer. The process is unusable afterwards.
#[derive(Debug)]
pub(super) enum Lost {
    /// The time limit expired, or the run is over; with the limit in seconds.
    Expired(Loss, Option<f64>),
    /// The process failed, in words that follow "the program".
    Gone(String),
    /// The process ended before it served the request, which can be sent to another process.
    Unserved,
}

/// Answer to a request.
pub(super) struct Answered<R> {
    /// Result of the receiver. The error is the program's message, or the receiver's message if the
    /// bytes are no valid answer.
    pub result: Result<R, String>,
    /// Time span in which the request was served.
    pub begun: Instant,
    pub ended: Instant,
}

impl Pipeline {
    /// Starts a process with an empty queue.
    ///
    /// # Errors
    /// Returns an error of the system.
    pub(super) fn start(location: &Permitted) -> io::Result<Self> {
        let (process, requests, answers) = Process::start(location)?;
        Ok(Pipeline {
            process,
            secret: getrandom::u64().map_err(io::Error::other)?,
            requests: Mutex::new(Requests {
                pipe: requests,
                frame: Vec::new(),
                made: BTreeSet::new(),
                told: 0,
            }),
            answers: Mutex::new(Answers {
                pipe: BufReader::with_capacity(BUFFER, answers),
                frame: Vec::new(),
                process: None,
            }),
            turns: Mutex::default(),
            turned: Condvar::new(),
        })
    }

    /// Locks the request pipe, so that no other thread can send requests meanwhile.
    pub(super) fn requests(&self) -> MutexGuard<'_, Requests> {
        lock(&self.requests)
    }

    /// Returns whether the process has stopped answering.
    pub(super) fn is_ended(&self) -> bool {
        lock(&self.turns).ended
    }

    /// Waits for `patience` and checks that nothing arrives that was not requested. Returns an
    /// error if something arrives or the process ended.
    pub(super) fn is_silent(&self, patience: Duration) -> Result<(), String> {
        // While the lock is held, no other request is sent.
        let _requests = self.requests();
        let mut answers = lock(&self.answers);
        let since = Instant::now();
        while since.elapsed() < patience {
            if !wait_for(answers.pipe.get_ref(), PollFlags::IN) {
                continue;
            }
            return Err(match answers.pipe.fill_buf() {
                Ok(bytes) if !bytes.is_empty() => Fault::Surplus(bytes.len()).words(),
                _ => self.process.last_words(),
            });
        }
        Ok(())
    }

    /// Records that this thread is about to send a request. `is_short`: whether it is probably
    /// short.
    pub(super) fn is_asked(&self, is_short: bool) {
        let is_idle = {
            let turns = lock(&self.turns);
            turns.served == turns.taken
        };
        self.process.is_asked(is_idle, is_short);
    }

    /// Sends a request and enters it in the queue.
    ///
    /// # Errors
    /// Returns the reason why there will be no answer.
    pub(super) fn send<'line>(
        &'line self,
        requests: &mut Requests,
        question: Question<'line>,
    ) -> Result<Turn<'line>, Lost> {
        let Question { request, pieces, .. } = question;
        let written = frame::write(&mut requests.frame, request, self.secret, pieces);
        written.map_err(|length| {
            Lost::Gone(format!("cannot be sent {length} bytes at once: genomes are too long"))
        })?;
        let mut turn = self.take_turn(question)?;
        frame::number(&mut requests.frame, turn.number);
        turn.send(requests)?;
        Ok(turn)
    }

    fn take_turn<'line>(&'line self, question: Question<'line>) -> Result<Turn<'line>, Lost> {
        let mut turns = lock(&self.turns);
        if turns.ended {
            return Err(Lost::Unserved);
        }
        let number = turns.taken;
        turns.taken += 1;
        Ok(Turn { line: self, number, question, begun: None, answered: false })
    }

    /// Ends the process. Waiting requests become unserved.
    pub(super) fn end(&self) {
        lock(&self.turns).ended = true;
        self.process.kill();
        self.turned.notify_all();
    }
}

/// Place of a request in the queue of a process. Dropping it without an answer ends the process,
/// because no thread would read the answer.
pub(super) struct Turn<'line> {
    line: &'line Pipeline,
    number: u64,
    question: Question<'line>,
    /// Start of service and the limit; `None` before service.
    begun: Option<(Instant, CallLimit)>,
    answered: bool,
}

impl Turn<'_> {
    fn send(&mut self, Requests { pipe, frame, .. }: &mut Requests) -> Result<(), Lost> {
        let mut rest = &frame[..];
        while !rest.is_empty() {
            match pipe.write(rest) {
                Ok(sent) => rest = &rest[sent..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    // The process may be serving other requests.
                    self.look()?;
                    wait_for(pipe, PollFlags::OUT);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => {
                    // The request that is being served reports the fault. Once all earlier requests
                    // are done, that is this one.
                    self.wait()?;
                    return Err(self.gone());
                }
            }
        }
        Ok(())
    }

    /// Checks whether the request is being served, and whether to give up.
    fn look(&mut self) -> Result<(), Lost> {
        if self.begun.is_none() && self.has_come(&lock(&self.line.turns))? {
            self.begin();
        }
        let Some((_, limit)) = &self.begun else { return unless_interrupted() };
        match limit.expired() {
            // If the process has already ended, that cause takes precedence.
            Some(_) if self.line.is_ended() => Err(Lost::Unserved),
            Some(loss) => Err(Lost::Expired(loss, limit.seconds)),
            None => Ok(()),
        }
    }

    fn has_come(&self, turns: &Turns) -> Result<bool, Lost> {
        if turns.ended { Err(Lost::Unserved) } else { Ok(turns.served == self.number) }
    }

    /// Waits until all earlier requests are served.
    fn wait(&mut self) -> Result<(), Lost> {
        let mut turns = lock(&self.line.turns);
        while self.begun.is_none() {
            if self.has_come(&turns)? {
                drop(turns);
                self.begin();
                return Ok(());
            }
            let waited = self.line.turned.wait_timeout(turns, TICK);
            (turns, _) = waited.unwrap_or_else(PoisonError::into_inner);
            unless_interrupted()?;
        }
        Ok(())
    }

    /// Marks the start of service and starts the time limit.
    fn begin(&mut self) {
        self.begun = Some((Instant::now(), self.question.time.begins()));
        if let Some(call) = self.question.request.call() {
            guard::enter(self.question.plugin, call);
        }
    }

    /// Waits for the answer and passes it to `take` unless it is a failure.
    ///
    /// # Errors
    /// Returns the reason for a missing answer.
    pub(super) fn answer<R>(
        mut self,
        take: impl FnOnce(Status, &[u8]) -> Result<R, String>,
    ) -> Result<Answered<R>, Lost> {
        self.wait()?;
        let line = self.line;
        let mut answers = lock(&line.answers);
        let status = self.read(&mut answers)?;
        let bytes = &answers.frame[HEAD..answers.frame.len() - TAIL];
        let result = match status {
            Status::Failed => Err(String::from_utf8_lossy(bytes).into_owned()),
            // An invalid answer ends the process.
            _ => {
                let taken = take(status, bytes);
                self.answered = taken.is_ok();
                taken
            }
        };
        self.answered |= status == Status::Failed;
        drop(answers);
        let ended = Instant::now();
        let begun = self.begun.as_ref().map_or(ended, |(since, _)| *since);
        Ok(Answered { result, begun, ended })
    }

    /// Reads the frame of the answer, and checks that it is from the started process and for this
    /// request.
    fn read(&mut self, answers: &mut Answers) -> Result<Status, Lost> {
        let wrong = |fault: Fault| Lost::Gone(fault.words());
        answers.frame.clear();
        self.read_to(HEAD, answers)?;
        let Some(head) = answers.frame.first_chunk().map(Head::of) else {
            unreachable!("read above");
        };
        let expected = Expected {
            secret: self.line.secret,
            number: self.number,
            process: answers.process,
            longest: self.question.longest,
            words: MESSAGE,
        };
        let (status, length) = head.check(&expected).map_err(wrong)?;
        self.read_to(HEAD + length + TAIL, answers)?;
        if !answers.frame.ends_with(&self.line.secret.to_le_bytes()) {
            return Err(wrong(Fault::Unsealed));
        }
        answers.process = Some(head.process);
        // Bytes after the answer belong to no request if no other request has been sent.
        let surplus = answers.pipe.buffer().len();
        if surplus > 0 && lock(&self.line.turns).taken == self.number + 1 {
            return Err(wrong(Fault::Surplus(surplus)));
        }
        Ok(status)
    }

    /// Reads until the frame has `length` bytes.
    fn read_to(&mut self, length: usize, answers: &mut Answers) -> Result<(), Lost> {
        let Answers { pipe, frame, .. } = answers;
        let mut have = frame.len();
        frame.resize(length, 0);
        while have < length {
            if pipe.buffer().is_empty() && !wait_for(pipe.get_ref(), PollFlags::IN) {
                self.look()?;
                // A child of the process may keep the pipe open.
                if self.line.process.has_ended() && !can_read(pipe.get_ref()) {
                    return Err(self.gone());
                }
                continue;
            }
            match pipe.read(&mut frame[have..]) {
                Ok(0) => return Err(self.gone()),
                Ok(more) => have += more,
                Err(error) if may_go_on(&error) => {}
                Err(_) => return Err(self.gone()),
            }
        }
        Ok(())
    }

    /// Returns the reason why a pipe is closed. The reason is [`Lost::Unserved`] if this side ended
    /// the process.
    fn gone(&self) -> Lost {
        if self.line.is_ended() {
            return Lost::Unserved;
        }
        let words = self.line.process.last_words();
        if self.line.process.was_asked_to_stop() && is_asked_to_stop_within(SETTLE) {
            return Lost::Expired(Loss::Interrupted, None);
        }
        Lost::Gone(words)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.begun.is_some() && self.question.request.call().is_some() {
            guard::leave();
        }
        if self.answered {
            lock(&self.line.turns).served += 1;
            self.line.turned.notify_all();
        } else {
            self.line.end();
        }
    }
}

fn unless_interrupted() -> Result<(), Lost> {
    if call_limit::is_interrupted() {
        return Err(Lost::Expired(Loss::Interrupted, None));
    }
    Ok(())
}

fn may_go_on(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Waits until the pipe is ready or it is time to check the limits. Returns whether the pipe is
/// ready or closed; the next operation shows which.
fn wait_for(pipe: &impl AsFd, flags: PollFlags) -> bool {
    is_ready(pipe, flags, TICK)
}

/// Returns whether the pipe holds data or is closed.
fn can_read(pipe: &impl AsFd) -> bool {
    is_ready(pipe, PollFlags::IN, Duration::ZERO)
}

fn is_ready(pipe: &impl AsFd, flags: PollFlags, patience: Duration) -> bool {
    let patience = Timespec { tv_sec: 0, tv_nsec: i64::from(patience.subsec_nanos()) };
    let ready = poll(&mut [PollFd::new(pipe, flags)], Some(&patience));
    !matches!(ready, Ok(0) | Err(rustix::io::Errno::INTR))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A poisoned lock is usable: a thread that panics drops its turn, which ends the process.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
