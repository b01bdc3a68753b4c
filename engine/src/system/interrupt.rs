//! Interrupts: requests to stop, and the signals that raise them. An interrupt is a flag that the
//! search checks between generations.

#[cfg(unix)]
mod dispositions;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Makes failed writes return an error instead of ending the process. Writes fail if a pipe is
/// closed or a file would exceed its size limit. The signals are caught, not ignored, because
/// programs that are started from here would inherit that.
///
/// # Errors
/// Returns an error if the system refuses a signal handler.
pub fn survive_failed_writes() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::process::Signal;
        // The flag is never read, because only the handler itself matters.
        let seen = Arc::<AtomicBool>::default();
        signal_hook::flag::register(Signal::PIPE.as_raw(), Arc::clone(&seen))?;
        signal_hook::flag::register(Signal::XFSZ.as_raw(), seen)?;
    }
    Ok(())
}

/// Request to stop soon. Clones share the request.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    raised: Arc<AtomicBool>,
    parent: Option<Arc<AtomicBool>>,
}

impl Interrupt {
    /// Raises the interrupt, so that everything that checks it stops.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::SeqCst);
    }

    /// Returns a separate interrupt that this one also raises.
    #[must_use]
    pub fn child(&self) -> Self {
        Interrupt { raised: Arc::default(), parent: Some(Arc::clone(&self.raised)) }
    }

    /// Returns whether this interrupt or its parent was raised.
    #[must_use]
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
            || self.parent.as_ref().is_some_and(|parent| parent.load(Ordering::Relaxed))
    }
}

#[cfg(unix)]
pub use unix::Signals;

#[cfg(unix)]
mod unix {
    use super::Interrupt;
    use crate::exit::Exit;
    use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
    use signal_hook::{SigId, flag};
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Signals that ask a program to stop: Ctrl-C, a hang-up, and a request to terminate. They are
    /// caught from the start, before the task of the program is known.
    #[derive(Debug, Default)]
    pub struct Signals {
        /// Interrupt that each signal raises.
        interrupt: Interrupt,
        /// Signals, each with whether it arrived since the last [`Signals::take`].
        seen: [(i32, Arc<AtomicBool>); 3],
        /// Registration that makes a second Ctrl-C end the process at once.
        insist: Option<SigId>,
        /// Whether each signal has its default effect, as in a program that catches none.
        default: Arc<AtomicBool>,
        /// Whether Ctrl-C has arrived once.
        interrupted: std::cell::Cell<bool>,
    }

    impl Signals {
        /// Catches the signals.
        ///
        /// # Errors
        /// Returns an error if the system refuses a signal handler.
        pub fn catch() -> io::Result<Self> {
            // The parent may have ignored the ends of its children. The system would then discard
            // how the children of this process ended.
            super::dispositions::reset(SIGCHLD);
            let mut signals = Signals {
                seen: [SIGINT, SIGTERM, SIGHUP].map(|signal| (signal, Arc::default())),
                ..Signals::default()
            };
            for (signal, seen) in signals.seen.iter().filter(|(signal, _)| Self::catches(*signal)) {
                flag::register_conditional_default(*signal, Arc::clone(&signals.default))?;
                flag::register(*signal, Arc::clone(&signals.interrupt.raised))?;
                flag::register(*signal, Arc::clone(seen))?;
            }
            let (twice, code) =
                (Arc::new(AtomicBool::new(false)), i32::from(Exit::Interrupted.code()));
            flag::register_conditional_shutdown(SIGINT, code, Arc::clone(&twice))?;
            signals.insist = Some(flag::register(SIGINT, twice)?);
            super::dispositions::keep_handlers();
            // The first call decides because a process catches the signals once.
            _ = super::ASKED.set(signals.interrupt());
            Ok(signals)
        }

        /// Returns whether this signal is to be caught. A hang-up that was ignored when the program
        /// began stays ignored, as `nohup` requires.
        #[must_use]
        pub fn catches(signal: i32) -> bool {
            signal != SIGHUP || !super::dispositions::was_ignored(SIGHUP)
        }

        /// Returns the interrupt that the signals raise.
        #[must_use]
        pub fn interrupt(&self) -> Interrupt {
            self.interrupt.clone()
        }

        /// Gives the signals their default effect: from now on they end the process. Signals that
        /// arrived before also take effect.
        pub fn leave_to_the_system(&self) {
            self.default.store(true, Ordering::SeqCst);
            for (signal, _) in self.take() {
                _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        }

        /// Lets another process decide when this process ends at once. A second Ctrl-C then does no
        /// more than the first.
        pub fn leave_to_the_guard(&self) {
            self.insist.map(signal_hook::low_level::unregister);
        }

        /// Returns the signals that arrived since the last call. The flag of a signal is `true` if
        /// it is a repeated Ctrl-C.
        pub fn take(&self) -> Vec<(i32, bool)> {
            let mut taken = Vec::new();
            for (signal, seen) in &self.seen {
                if seen.swap(false, Ordering::SeqCst) {
                    let again = *signal == SIGINT && self.interrupted.replace(true);
                    taken.push((*signal, again));
                }
            }
            taken
        }
    }
}

#[cfg(not(unix))]
pub use elsewhere::Signals;

#[cfg(not(unix))]
mod elsewhere {
    use super::Interrupt;
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Signals that ask a program to stop.
    #[derive(Debug, Default)]
    pub struct Signals {
        interrupt: Interrupt,
        default: Arc<AtomicBool>,
    }

    impl Signals {
        /// Catches the signals.
        ///
        /// # Errors
        /// Returns an error if the system refuses a signal handler.
        pub fn catch() -> io::Result<Self> {
            let signals = Signals::default();
            let (interrupt, default) = (signals.interrupt(), Arc::clone(&signals.default));
            let handler = move || {
                if default.load(Ordering::SeqCst) || interrupt.raised.swap(true, Ordering::SeqCst) {
                    std::process::exit(i32::from(crate::exit::Exit::Interrupted.code()));
                }
            };
            // The first call decides because a process catches the signals once.
            _ = super::ASKED.set(signals.interrupt());
            ctrlc::set_handler(handler).map_err(io::Error::other)?;
            Ok(signals)
        }

        /// Returns the interrupt that the signals raise.
        #[must_use]
        pub fn interrupt(&self) -> Interrupt {
            self.interrupt.clone()
        }

        /// Makes the signals end the process from now on.
        pub fn leave_to_the_system(&self) {
            self.default.store(true, Ordering::SeqCst);
        }
    }
}

/// Signals that ask a program to stop.
#[cfg(unix)]
const ASKING: [i32; 3] =
    [signal_hook::consts::SIGHUP, signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM];

/// Interrupt that each of these signals raises, once they are caught.
static ASKED: std::sync::OnceLock<Interrupt> = std::sync::OnceLock::new();

/// Returns whether a signal asks a program to stop.
#[cfg(unix)]
#[must_use]
pub fn asks_to_stop(signal: i32) -> bool {
    ASKING.contains(&signal)
}

/// Returns whether a signal that is caught has asked this process to stop.
#[must_use]
pub fn is_asked_to_stop() -> bool {
    ASKED.get().is_some_and(Interrupt::is_raised)
}

/// Waits until a signal asks this process to stop; returns `false` if none arrives in time. A batch
/// system signals every process of a job. A process that ended by such a signal may be the first of
/// all.
#[cfg(unix)]
#[must_use]
pub fn is_asked_to_stop_within(time: std::time::Duration) -> bool {
    let since = std::time::Instant::now();
    loop {
        if is_asked_to_stop() {
            return true;
        }
        if since.elapsed() >= time {
            return false;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Blocks the signals that ask to stop, until the program that is started next unblocks them.
#[cfg(unix)]
pub fn block_signals() {
    use nix::sys::signal::{SigSet, Signal};
    let signals = ASKING.into_iter().filter_map(|signal| Signal::try_from(signal).ok());
    _ = signals.collect::<SigSet>().thread_block();
}

#[cfg(unix)]
pub(super) use dispositions::{after_fork, before_fork, in_copy};
