//! Interrupts: a request to stop, as a flag that the search looks at between generations; and the
//! signals that raise it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Lets a write beyond the limit on the size of files fail, like one on a full disk, instead of
/// ending the process without a word.
///
/// # Errors
/// When the system refuses the signal handler.
pub fn outlive_file_limits() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        // Looked at by nobody: what matters is that there is a handler.
        let seen = Arc::<AtomicBool>::default();
        signal_hook::flag::register(rustix::process::Signal::XFSZ.as_raw(), seen)?;
    }
    Ok(())
}

/// A request to stop soon. Clones share the request.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    raised: Arc<AtomicBool>,
    parent: Option<Arc<AtomicBool>>,
}

impl Interrupt {
    /// Asks everyone who looks to end.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::SeqCst);
    }

    /// An interrupt of its own that this one raises too.
    #[must_use]
    pub fn child(&self) -> Self {
        Interrupt { raised: Arc::default(), parent: Some(Arc::clone(&self.raised)) }
    }

    /// Whether it was raised.
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
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::{SigId, flag};
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// The signals that ask a program to stop: Ctrl-C, a hang-up, a request to terminate. Caught
    /// from the first moment on, before it is known what the program is to do.
    #[derive(Debug, Default)]
    pub struct Signals {
        /// Raised by each of them.
        interrupt: Interrupt,
        /// Each with whether it came in since last asked.
        seen: [(i32, Arc<AtomicBool>); 3],
        /// What makes a second Ctrl-C end the process at once.
        insist: Option<SigId>,
        /// Each does what it does to a program that catches none.
        default: Arc<AtomicBool>,
        /// Ctrl-C came in once.
        interrupted: std::cell::Cell<bool>,
    }

    impl Signals {
        /// Catches them.
        ///
        /// # Errors
        /// When the system refuses.
        pub fn catch() -> io::Result<Self> {
            super::children_can_be_waited_for();
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
            Ok(signals)
        }

        /// Whether this signal is one to catch. A hang-up that was ignored when the program began
        /// stays so: that is what `nohup` is for.
        #[must_use]
        pub fn catches(signal: i32) -> bool {
            signal != SIGHUP || !super::ignored::at_start(SIGHUP)
        }

        /// What they raise.
        #[must_use]
        pub fn interrupt(&self) -> Interrupt {
            self.interrupt.clone()
        }

        /// From now on they end the process, as they end one that catches none; those that came in
        /// before, too.
        pub fn leave_to_the_system(&self) {
            self.default.store(true, Ordering::SeqCst);
            for (signal, _) in self.take() {
                _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        }

        /// From now on another process decides when the process ends at once: a second Ctrl-C does
        /// no more than the first.
        pub fn leave_to_the_guard(&self) {
            self.insist.map(signal_hook::low_level::unregister);
        }

        /// Those that came in since last asked, each with whether it is a Ctrl-C after another one.
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

/// Who started this program may have made it deaf to the ends of its children: then the system
/// forgets how they ended.
#[cfg(unix)]
fn children_can_be_waited_for() {
    ignored::reset(signal_hook::consts::SIGCHLD);
}

#[cfg(unix)]
mod ignored {
    #![expect(unsafe_code, reason = "what is done on a signal is asked of the C library")]
    use nix::libc;
    use std::sync::OnceLock;

    /// From now on the signal does what it does to a program that says nothing of it.
    pub(super) fn reset(signal: i32) {
        // SAFETY: no handler is named, and none is lost: this is done before there are any.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }

    /// Whether the signal was ignored when this was first asked.
    pub(super) fn at_start(signal: i32) -> bool {
        static IGNORED: OnceLock<bool> = OnceLock::new();
        *IGNORED.get_or_init(|| {
            // SAFETY: nothing is set, and the answer goes into a whole action.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
                    && action.sa_sigaction == libc::SIG_IGN
            }
        })
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

    /// The signals that ask a program to stop.
    #[derive(Debug, Default)]
    pub struct Signals {
        interrupt: Interrupt,
        default: Arc<AtomicBool>,
    }

    impl Signals {
        /// Catches them.
        ///
        /// # Errors
        /// When the system refuses.
        pub fn catch() -> io::Result<Self> {
            let signals = Signals::default();
            let (interrupt, default) = (signals.interrupt(), Arc::clone(&signals.default));
            let handler = move || {
                if default.load(Ordering::SeqCst) || interrupt.raised.swap(true, Ordering::SeqCst) {
                    std::process::exit(i32::from(crate::exit::Exit::Interrupted.code()));
                }
            };
            ctrlc::set_handler(handler).map_err(io::Error::other)?;
            Ok(signals)
        }

        /// What they raise.
        #[must_use]
        pub fn interrupt(&self) -> Interrupt {
            self.interrupt.clone()
        }

        /// From now on they end the process.
        pub fn leave_to_the_system(&self) {
            self.default.store(true, Ordering::SeqCst);
        }
    }
}

/// Holds the signals that ask to stop, in a process that a run started: they go to every process of
/// a group or a job. It is the run that stops its workers and programs, and what they do until then
/// is not lost. Programs that they start hold them too.
#[cfg(unix)]
pub fn hold_signals() {
    use nix::sys::signal::{SigSet, Signal};
    let signals: SigSet = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM].into_iter().collect();
    _ = signals.thread_block();
}
