//! The parent: waits for the process that does the work, and reports how it ended.
#![expect(unsafe_code, reason = "fork is safe only where there is one thread")]

use super::board::{self, Board, UnderWay};
#[cfg(target_os = "linux")]
use super::keeper;
use super::report::report;
use super::verdict::{Duty, Killed, Verdict, list};
use super::{faults, memory};
use crate::exit::Exit;
use crate::system::interrupt::Signals;
use crate::system::notice::Level;
use crate::system::processes::is_ending;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{ForkResult, Pid, fork};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{WaitOptions, waitpid};
use signal_hook::low_level::pipe;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};
use std::time::{Duration, Instant};

/// Time from a request to stop until the calls under way are named.
const HINT: Duration = Duration::from_secs(1);
/// Time from a request to stop until the process is killed, if a call does not return.
const GRACE: Duration = Duration::from_secs(5);
/// Time within which a further request counts as the same one. Batch systems signal the process and
/// also its group.
const SAME: Duration = Duration::from_secs(1);
/// Time that the process may take to end when all work is done. It covers `destroy` and functions
/// that plugins registered for the exit.
const ENDING: Duration = Duration::from_secs(10);
/// Time after which a call is named. The next call is named if it takes twice as long.
pub const LONG: Duration = Duration::from_secs(10);
/// Time after `stop.trial-seconds` until a call is named. The search checks that limit only between
/// calls.
const BEYOND: Duration = Duration::from_secs(1);
/// Maximum time between the closing of the descriptors and the end of the process.
const CLOSING: Duration = Duration::from_millis(500);
const LOOK: Duration = Duration::from_millis(500);

/// Runs `body` in a child process and waits for it. Must be called while the process has one
/// thread. If no process can be created, `body` runs in this one.
pub fn over(duty: Duty, signals: &Signals, body: impl FnOnce() -> Exit) -> ExitCode {
    let pipe = || rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC);
    let prepared = memory::shared().and_then(|board| Ok((board, pipe()?, pipe()?)));
    let Ok((board, (alive, lifeline), (gone, here))) = prepared else { return body().into() };
    let parent = Pid::this();
    if duty.stops() {
        signals.leave_to_the_guard();
    }
    #[cfg(target_os = "linux")]
    let adopts = keeper::adopt();
    // SAFETY: there is one thread, so no operation is unfinished in the child.
    match unsafe { fork() } {
        Err(_) => body().into(),
        Ok(ForkResult::Child) => {
            drop((alive, here));
            #[cfg(target_os = "linux")]
            let parent = if adopts && keeper::adopt() {
                let keeper = Pid::this();
                // SAFETY: there is still one thread, so no operation is unfinished in the child.
                match unsafe { fork() } {
                    Ok(ForkResult::Parent { child }) => {
                        drop(lifeline);
                        keeper::keep(board, child, gone)
                    }
                    Ok(ForkResult::Child) => keeper,
                    // Without a second child, this process does the work.
                    Err(_) => parent,
                }
            } else {
                parent
            };
            drop(gone);
            end_with(parent);
            board.worker.set(Some(std::process::id()));
            board::share(board);
            faults::mark();
            let code = body().code();
            board::done(code);
            // The pipe stays open until here. If it closes earlier, the plugin closed it, or
            // replaced this program by another one.
            std::mem::forget(lifeline);
            ExitCode::from(code)
        }
        Ok(ForkResult::Parent { child }) => {
            drop((lifeline, gone));
            let code =
                Watch::new(duty, board, child, alive).and_then(|mut watch| watch.wait(signals));
            // The pipe stays open until here. If it closes earlier, the keeper ends everything.
            drop(here);
            // The keeper has already ended everything, unless there was none or it was killed.
            if board.ended.get().is_none() {
                end_all(board);
            }
            code.unwrap_or_else(|error| {
                let words = format!(
                    "cannot watch the worker process: {error}; look at the limits of this shell, \
                    such as `ulimit -n`; finished trials are saved"
                );
                report(Level::Error, words);
                _ = kill(child, Signal::SIGKILL);
                Exit::Results.into()
            })
        }
    }
}

#[cfg(target_os = "linux")]
use super::keeper::end_all;

/// Ends the command of `--on-end` that is under way.
#[cfg(not(target_os = "linux"))]
fn end_all(board: &Board) {
    use nix::sys::signal::killpg;
    if let Some(group) = board.group.get() {
        let id = Pid::from_raw(group as i32);
        super::end_group(group, || killpg(id, None).is_err());
    }
}

/// Makes this process end with its parent.
fn end_with(parent: Pid) {
    #[cfg(target_os = "linux")]
    {
        _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    }
    if Pid::parent() != parent {
        signal_hook::low_level::exit(i32::from(Exit::Interrupted.code()));
    }
}

struct Watch {
    duty: Duty,
    board: &'static Board,
    /// ID of the keeper, or of the process that does the work if there is no keeper.
    child: Pid,
    /// Pipe that reaches its end once the child has no descriptors any more.
    alive: Option<OwnedFd>,
    closed: Option<Instant>,
    /// Socket that has something to read after each signal.
    wake: UnixStream,
    stop: Option<Stop>,
    /// Time since when all work is done; `None` before.
    done: Option<Instant>,
    /// Calls under way at the last look, by the place of their thread.
    calls: BTreeMap<usize, Seen>,
    /// Time after which a call without a limit is named.
    long: Duration,
    /// Reason why this process killed the child; `None` if it did not.
    killed: Option<Killed>,
}

/// Request to stop.
struct Stop {
    since: Instant,
    hinted: bool,
    /// Signal of the request; `None` once it is passed on.
    signal: Option<Signal>,
}

struct Seen {
    number: u64,
    since: Instant,
    is_named: bool,
}

impl Watch {
    fn new(duty: Duty, board: &'static Board, child: Pid, alive: OwnedFd) -> io::Result<Self> {
        let (wake, write) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        for signal in [Signal::SIGCHLD, Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
            // Signals that the user has ignored stay ignored: see `Signals`.
            if signal == Signal::SIGCHLD || (duty.stops() && Signals::catches(signal as i32)) {
                pipe::register(signal as i32, write.try_clone()?)?;
            }
        }
        let (stop, calls) = (None, BTreeMap::new());
        Ok(Watch {
            duty,
            board,
            child,
            alive: Some(alive),
            closed: None,
            wake,
            stop,
            done: None,
            calls,
            long: LONG,
            killed: None,
        })
    }

    fn wait(&mut self, signals: &Signals) -> io::Result<ExitCode> {
        loop {
            let child = rustix::process::Pid::from_raw(self.child.as_raw());
            if let Some((_, status)) = waitpid(child, WaitOptions::NOHANG)? {
                return Ok(self.ended(status.as_raw()));
            }
            if self.duty.stops() {
                for (signal, insisted) in signals.take() {
                    self.asked(signal, insisted);
                }
            }
            self.look();
            self.sleep()?;
        }
    }

    /// Returns the exit code after the child ended with this status. The end of the process that
    /// does the work takes precedence.
    fn ended(&self, child: i32) -> ExitCode {
        let status = self.board.ended.get().map_or(child, |status| status as i32);
        let done = self.board.done.get().map(|code| code as u8);
        let (duty, killed, calls) = (self.duty, self.killed, self.board.under_way());
        ExitCode::from(Verdict { duty, killed, done, calls }.on(ExitStatus::from_raw(status)))
    }

    fn sleep(&mut self) -> io::Result<()> {
        let mut fds = vec![PollFd::new(&self.wake, PollFlags::IN)];
        if let Some(alive) = self.alive.as_ref() {
            fds.push(PollFd::new(alive, PollFlags::IN));
        }
        let patience = if self.stop.is_some() || self.closed.is_some() { LOOK / 5 } else { LOOK };
        let timeout = Timespec { tv_sec: 0, tv_nsec: patience.as_nanos() as i64 };
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let closed = fds.get(1).is_some_and(|fd| !fd.revents().is_empty());
        if closed {
            self.alive = None;
            self.closed = Some(Instant::now());
        }
        let mut bytes = [0; 64];
        while self.wake.read(&mut bytes).is_ok_and(|read| read == bytes.len()) {}
        Ok(())
    }

    /// Handles a signal that asks to stop.
    fn asked(&mut self, signal: i32, insisted: bool) {
        match &self.stop {
            None => {
                let signal = Signal::try_from(signal).ok();
                self.stop = Some(Stop { since: Instant::now(), hinted: false, signal });
            }
            Some(stop) if insisted || stop.since.elapsed() > SAME => self.kill(Killed::AtOnce),
            Some(_) => {}
        }
    }

    /// Returns the process that does the work.
    fn worker(&self) -> Pid {
        self.board.worker.get().map_or(self.child, |id| Pid::from_raw(id as i32))
    }

    fn kill(&mut self, why: Killed) {
        if self.killed.is_none() {
            self.killed = Some(why);
            let worker = self.worker();
            if self.board.ended.get().is_none() {
                _ = kill(worker, Signal::SIGKILL);
            }
        }
    }

    /// Passes on a request to stop, once there is a process that does the work.
    fn pass_on(&mut self) {
        let Some(stop) = &mut self.stop else { return };
        let Some(worker) = self.board.worker.get() else { return };
        // The process already has the signal if it went to the group. A second one changes nothing.
        if let Some(signal) = stop.signal.take()
            && self.board.ended.get().is_none()
        {
            _ = kill(Pid::from_raw(worker as i32), signal);
        }
    }

    fn look(&mut self) {
        self.pass_on();
        let now = Instant::now();
        // On a busy machine, a process may take long to end after its descriptors are closed.
        let is_late = self.closed.is_some_and(|since| now - since > CLOSING);
        if is_late && self.board.ended.get().is_none() && !is_ending(self.worker()) {
            self.kill(Killed::Closed);
        }
        if self.board.done.get().is_some() && now - *self.done.get_or_insert(now) > ENDING {
            self.kill(Killed::AfterAll);
        }
        let calls = self.board.under_way();
        if let Some(stop) = &mut self.stop
            && !calls.is_empty()
            && self.killed.is_none()
        {
            if !stop.hinted && now - stop.since > HINT {
                stop.hinted = true;
                report(
                    Level::Info,
                    format!(
                        "Stopping; waiting for {}. Press Ctrl-C again to end at once.",
                        list(&calls)
                    ),
                );
            }
            if now - stop.since > GRACE {
                report(
                    Level::Info,
                    format!("Ended without waiting any longer: {} did not return.", list(&calls)),
                );
                self.kill(Killed::Stuck);
            }
        }
        self.name_long(&calls, now);
    }

    /// Reports calls that take long.
    fn name_long(&mut self, calls: &[UnderWay], now: Instant) {
        self.calls.retain(|place, seen| {
            calls.iter().any(|call| call.thread == *place && call.number == seen.number)
        });
        let long = self.long;
        let mut others = 0;
        let mut first = None;
        for call in calls {
            let limit = call.limit.map(|limit| Duration::from_millis(limit.into()) + BEYOND);
            let number = call.number;
            let new = || Seen { number, since: now, is_named: false };
            let seen = self.calls.entry(call.thread).or_insert_with(new);
            let time = now - seen.since;
            if seen.is_named || time < limit.unwrap_or(long) {
                continue;
            }
            seen.is_named = true;
            if limit.is_none() {
                self.long = self.long.max(2 * time);
            }
            match first {
                None => first = Some((call, limit, time)),
                Some(_) => others += 1,
            }
        }
        let Some((call, limit, time)) = first else { return };
        let way_out = match limit {
            Some(_) => "with --isolation process, stop.trial-seconds ends such a call",
            None => "stop.trial-seconds ends such a call, of a library with --isolation process",
        };
        let others = match others {
            0 => String::new(),
            1 => ", nor has another call".to_owned(),
            others => format!(", nor have {others} other calls"),
        };
        let (words, place, seconds) = (call.words(), call.place(), time.as_secs());
        report(
            Level::Warning,
            format!("{words} has not returned for {seconds} s{place}{others}; {way_out}"),
        );
    }
}
