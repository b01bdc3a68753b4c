//! Verdict on the process that did the work, after its end: reports the cause, and gives the exit
//! code.

use super::board::{EXITED, UnderWay};
use super::call::Call;
use super::report::report;
use super::signal_name;
use crate::exit::Exit;
use crate::system::notice::Level;
use nix::sys::signal::Signal;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

const GO_ON: &str = "Finished trials are saved; run the same command again to continue.";

/// Task of the watched process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// Runs trials and saves them. The same command continues an interrupted run.
    Run,
    /// Saves the trials that worker processes run.
    Isolated,
    /// Serves pages.
    Serve,
    /// Any other task.
    Other,
}

impl Duty {
    /// Returns whether the process ends in an orderly way when it is asked to stop.
    pub(super) fn stops(self) -> bool {
        self != Duty::Other
    }

    /// Returns the hint on how to continue after an interrupt, to be appended to other text.
    fn go_on(self) -> String {
        let words = matches!(self, Duty::Run | Duty::Isolated).then(|| format!(" {GO_ON}"));
        words.unwrap_or_default()
    }
}

/// Reason why the parent killed the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Killed {
    /// A second request to stop arrived.
    AtOnce,
    /// A plugin call did not return after a request to stop.
    Stuck,
    /// The descriptors of the child were closed.
    Closed,
    /// All work was done, but the child did not end.
    AfterAll,
}

/// State of the process at its end.
pub(super) struct Verdict {
    pub duty: Duty,
    /// Reason why the parent killed the process; `None` if it did not.
    pub killed: Option<Killed>,
    /// Exit code, if all requested work was done.
    pub done: Option<u8>,
    /// Calls that had not returned.
    pub calls: Vec<UnderWay>,
}

impl Verdict {
    /// Reports how the process ended, and returns the exit code to use.
    pub(super) fn on(&self, status: ExitStatus) -> u8 {
        let Some(number) = status.signal() else { return self.exited(status.code().unwrap_or(0)) };
        let Ok(signal) = Signal::try_from(number) else { return 128 | number as u8 };
        let ended = format!("was ended by {}", signal_name(number));
        let conventional = 128 + number as u8;
        match (self.killed, self.done, signal) {
            (Some(Killed::AtOnce | Killed::Stuck), ..) => self.interrupted(),
            (Some(Killed::Closed), ..) => {
                self.blame(
                    "it closed the program's descriptors, or replaced the program by another one",
                );
                Exit::Plugin.code()
            }
            (Some(Killed::AfterAll), Some(done), _) => self.after_all(done, "did not end"),
            (_, Some(done), _) => self.after_all(done, &ended),
            (_, None, Signal::SIGKILL) => {
                let under_way = match self.calls.as_slice() {
                    [] => String::new(),
                    calls => format!("; in progress: {}", list(calls)),
                };
                fail(format!(
                    "the program {ended}, from outside or because memory ran out{under_way}"
                ));
                self.how_to_go_on();
                conventional
            }
            (_, None, Signal::SIGINT | Signal::SIGTERM | Signal::SIGHUP) => match self.duty {
                Duty::Other => conventional,
                _ => self.interrupted(),
            },
            _ => {
                self.blame(&format!("it {ended}"));
                if self.is_in_call() { Exit::Plugin.code() } else { conventional }
            }
        }
    }

    fn exited(&self, code: i32) -> u8 {
        match self.done {
            Some(done) if i32::from(done) == code => done,
            Some(done) => self.after_all(done, &format!("exited with code {code}")),
            // A panic has already printed its own message.
            None if code == 101 && self.calls.is_empty() => 101,
            None => {
                self.blame(&format!("it exited with code {code}"));
                Exit::Plugin.code()
            }
        }
    }

    fn interrupted(&self) -> u8 {
        inform(format!("Interrupted.{}", self.duty.go_on()));
        Exit::Interrupted.code()
    }

    fn is_in_call(&self) -> bool {
        self.calls.iter().any(|call| call.call.is_some())
    }

    /// Reports a plugin that failed after all work was done, and returns the exit code.
    fn after_all(&self, done: u8, how: &str) -> u8 {
        let who = match self.is_in_call() {
            true => list(&self.culprits()),
            false => "a plugin".to_owned(),
        };
        warn(format!("{who}: the program {how} after everything was done; its output is complete"));
        done.max(Exit::Plugin.code())
    }

    fn blame(&self, how: &str) {
        if matches!(self.duty, Duty::Isolated | Duty::Serve) {
            fail(format!("the program ended: {how}"));
            return self.how_to_go_on();
        }
        let outside = "the program ended outside any plugin call";
        let culprits = self.culprits();
        fail(match culprits.as_slice() {
            [] => format!("{outside}: {how}; a thread started by a plugin may be the cause"),
            [UnderWay { call: None, .. }] => format!(
                "{outside}: {how}; a plugin that corrupts memory or closes descriptors may be the \
                cause"
            ),
            [one] => format!("{} ended the program: {how}{}", one.words(), one.place()),
            several => format!(
                "one of these calls ended the program: {how}; in progress were {}",
                list(several)
            ),
        });
        let is_loading =
            |one: &UnderWay| matches!(one.call, Some(Call::Load | Call::Create | Call::Describe));
        match culprits.iter().any(is_loading) {
            false => self.how_to_go_on(),
            true if self.duty == Duty::Run => inform(
                "Nothing was run; with --isolation process, the message also gives the file and \
                the line.",
            ),
            true => {}
        }
    }

    fn how_to_go_on(&self) {
        match self.duty {
            Duty::Run => inform(format!(
                "{GO_ON} With --isolation process, a plugin that ends its process costs only the \
                trial it was running."
            )),
            Duty::Isolated => inform(GO_ON),
            Duty::Serve | Duty::Other => {}
        }
    }

    /// Returns the call that is known to have ended the process. If several failed together, this
    /// is the first. If none is known, all calls are returned.
    fn culprits(&self) -> Vec<UnderWay> {
        // `exit` runs functions that others registered. A fault in one of them ends the process;
        // the call of `exit` only began the end.
        let marked = self.calls.iter().filter(|call| call.fault != 0);
        let first = marked.min_by_key(|call| (call.fault == EXITED, call.order));
        first.map_or_else(|| self.calls.clone(), |culprit| vec![culprit.clone()])
    }
}

fn fail(words: impl Into<String>) {
    report(Level::Error, words);
}

fn warn(words: impl Into<String>) {
    report(Level::Warning, words);
}

fn inform(words: impl Into<String>) {
    report(Level::Info, words);
}

/// Maximum number of calls that are named individually.
const NAMED: usize = 8;

/// Lists calls with their trials.
pub(super) fn list(calls: &[UnderWay]) -> String {
    let mut words: Vec<String> =
        calls.iter().take(NAMED).map(|call| call.words() + &call.place()).collect();
    if calls.len() > NAMED {
        words.push(format!("{} more", calls.len() - NAMED));
    }
    words.join(", ")
}
