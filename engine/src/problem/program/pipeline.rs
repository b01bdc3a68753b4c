//! A process with the requests that wait for it. They lie in its pipe in the order in which they
//! were sent, so that it finds the next one there when it has answered one; answers are read in the
//! same order, each by the thread that asked. A fault is that of the request being served: those
//! behind it are asked again of another process.

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

/// How often limits are looked at.
pub(super) const TICK: Duration = Duration::from_millis(20);
/// How long a program may take to start, and to make a problem.
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum wait for this process's own request to stop after one has ended the program.
const SETTLE: Duration = Duration::from_secs(2);
/// Bytes of answers that are read at once.
const BUFFER: usize = 1 << 16;
/// The longest message of a failure.
const MESSAGE: usize = 1 << 20;

/// A process, and who waits for its answers.
pub(super) struct Pipeline {
    process: Process,
    /// Known to the process alone: what has it is an answer.
    secret: u64,
    requests: Mutex<Requests>,
    answers: Mutex<Answers>,
    turns: Mutex<Turns>,
    turned: Condvar,
}

/// Where requests go, and what the process has.
pub(super) struct Requests {
    pipe: ChildStdin,
    frame: Vec<u8>,
    /// The instances that it has made.
    pub made: BTreeSet<u32>,
    /// How many of the program's instances that are gone it was told of.
    pub told: usize,
}

struct Answers {
    pipe: BufReader<ChildStdout>,
    frame: Vec<u8>,
    /// The process that answered first.
    process: Option<u32>,
}

/// Whose request is served.
#[derive(Debug, Default)]
struct Turns {
    /// Requests so far.
    taken: u64,
    /// Those that are answered: the number of the one that is served.
    served: u64,
    /// The process is of no use any more.
    ended: bool,
}

/// A request.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub request: Request,
    /// Of its body, one after the other.
    pub pieces: &'a [&'a [u8]],
    /// Bytes that the answer may have, if it is what was asked for.
    pub longest: usize,
    pub time: Time,
    pub plugin: PluginNumber,
}

/// On whose time an answer is waited for, once the request is served.
#[derive(Clone, Copy, Debug)]
pub(super) enum Time {
    /// Nobody's: the process is made ready.
    Preparation,
    /// The caller's, who has waited since then.
    Callers(Instant),
}

impl Time {
    /// The limit from now on.
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

/// Why there is no answer. The process is of no use any more.
#[derive(Debug)]
pub(super) enum Lost {
    /// The time was up, or the run is over; and the limit in seconds.
    Expired(Loss, Option<f64>),
    /// In words that follow "the program".
    Gone(String),
    /// The process ended before it served the request, which another process can be asked.
    Unserved,
}

/// An answer as it was taken.
pub(super) struct Answered<R> {
    /// The program's words, or those of who took it, where it is none.
    pub result: Result<R, String>,
    /// From when to when the request was served.
    pub begun: Instant,
    pub ended: Instant,
}

impl Pipeline {
    /// Starts a process.
    ///
    /// # Errors
    /// The system's.
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

    /// What is needed to ask; nobody else asks meanwhile.
    pub(super) fn requests(&self) -> MutexGuard<'_, Requests> {
        lock(&self.requests)
    }

    /// Whether it answers no more.
    pub(super) fn is_ended(&self) -> bool {
        lock(&self.turns).ended
    }

    /// Waits for what nobody asked for: an error, if it comes or the process ended.
    pub(super) fn is_silent(&self, patience: Duration) -> Result<(), String> {
        // While requests are held, no other is sent.
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

    /// This thread is about to ask it something; whether that is probably short.
    pub(super) fn is_asked(&self, is_short: bool) {
        let is_idle = {
            let turns = lock(&self.turns);
            turns.served == turns.taken
        };
        self.process.is_asked(is_idle, is_short);
    }

    /// Sends a request, and takes its turn.
    ///
    /// # Errors
    /// Why there will be no answer.
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

    /// Ends the process: what waits for it is unserved.
    pub(super) fn end(&self) {
        lock(&self.turns).ended = true;
        self.process.kill();
        self.turned.notify_all();
    }
}

/// The place of a request among those of a process. Dropped without an answer, it ends the process:
/// nobody would read what comes.
pub(super) struct Turn<'line> {
    line: &'line Pipeline,
    number: u64,
    question: Question<'line>,
    /// Since when it is served, and the limit.
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
                    // It may be serving others.
                    self.look()?;
                    wait_for(pipe, PollFlags::OUT);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => {
                    // Who is served finds out; if nobody is, it is this one.
                    self.wait()?;
                    return Err(self.gone());
                }
            }
        }
        Ok(())
    }

    /// Looks whether the turn has come, and whether to give up.
    fn look(&mut self) -> Result<(), Lost> {
        if self.begun.is_none() && self.has_come(&lock(&self.line.turns))? {
            self.begin();
        }
        let Some((_, limit)) = &self.begun else { return unless_interrupted() };
        match limit.expired() {
            // What ended the process meanwhile came first.
            Some(_) if self.line.is_ended() => Err(Lost::Unserved),
            Some(loss) => Err(Lost::Expired(loss, limit.seconds)),
            None => Ok(()),
        }
    }

    fn has_come(&self, turns: &Turns) -> Result<bool, Lost> {
        if turns.ended { Err(Lost::Unserved) } else { Ok(turns.served == self.number) }
    }

    /// Waits until all before it are served.
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

    /// From now on the request is served, on the caller's time.
    fn begin(&mut self) {
        self.begun = Some((Instant::now(), self.question.time.begins()));
        if let Some(call) = self.question.request.call() {
            guard::enter(self.question.plugin, call);
        }
    }

    /// Waits for the answer; `take` has it if it is no failure.
    ///
    /// # Errors
    /// Why there is none.
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
            // Bytes that are no answer end the process.
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

    /// Reads the frame of the answer: of the request, and of the process that was started.
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
        // What was read with it belongs to no request, if no other one has been sent.
        let surplus = answers.pipe.buffer().len();
        if surplus > 0 && lock(&self.line.turns).taken == self.number + 1 {
            return Err(wrong(Fault::Surplus(surplus)));
        }
        Ok(status)
    }

    /// Reads until the frame has so many bytes.
    fn read_to(&mut self, length: usize, answers: &mut Answers) -> Result<(), Lost> {
        let Answers { pipe, frame, .. } = answers;
        let mut have = frame.len();
        frame.resize(length, 0);
        while have < length {
            if pipe.buffer().is_empty() && !wait_for(pipe.get_ref(), PollFlags::IN) {
                self.look()?;
                // A child of it may hold the pipe open.
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

    /// A pipe is closed: why, unless the process was ended from here.
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

/// Waits until the pipe can be used, or it is time to look at limits. Whether it can, or is gone:
/// what is done next shows which.
fn wait_for(pipe: &impl AsFd, flags: PollFlags) -> bool {
    is_ready(pipe, flags, TICK)
}

/// Whether something lies in the pipe, or it is gone.
fn can_read(pipe: &impl AsFd) -> bool {
    is_ready(pipe, PollFlags::IN, Duration::ZERO)
}

fn is_ready(pipe: &impl AsFd, flags: PollFlags, patience: Duration) -> bool {
    let patience = Timespec { tv_sec: 0, tv_nsec: i64::from(patience.subsec_nanos()) };
    let ready = poll(&mut [PollFd::new(pipe, flags)], Some(&patience));
    !matches!(ready, Ok(0) | Err(rustix::io::Errno::INTR))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panics drops its turn, which ends the process.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
