//! Dispositions of signals: what the system does when one arrives.
#![expect(unsafe_code, reason = "dispositions belong to the C library")]

use super::ASKING;
use nix::libc::{self, c_int};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Handlers that this program installed, by signal number; 0 if there is none.
static OWN: [AtomicUsize; 32] = [const { AtomicUsize::new(0) }; 32];

/// Gives a signal its default disposition.
pub(super) fn reset(signal: c_int) {
    // SAFETY: no handler function is passed, and this runs before any handler is installed.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

/// Returns whether the signal was ignored when this function was first called.
pub(super) fn was_ignored(signal: c_int) -> bool {
    static IGNORED: OnceLock<bool> = OnceLock::new();
    *IGNORED.get_or_init(|| current(signal) == libc::SIG_IGN)
}

/// Stores the handlers of the signals that ask to stop, for [`in_copy`].
pub(super) fn keep_handlers() {
    for signal in ASKING {
        let handler = current(signal);
        if ![libc::SIG_DFL, libc::SIG_IGN].contains(&handler) {
            OWN[signal as usize].store(handler, Relaxed);
        }
    }
}

thread_local! {
    /// Signal mask of the thread before it forks.
    static MASK: Cell<libc::sigset_t> = const {
        // SAFETY: a signal set consists of integers, for which zeros are valid.
        Cell::new(unsafe { std::mem::zeroed() })
    };
}

/// Blocks the signals that ask to stop before the process is copied. A signal that arrives too
/// early would be lost in the copy. A `fork` handler must call this function, [`after_fork`] and
/// [`in_copy`].
pub(in crate::system) fn before_fork() {
    // SAFETY: both sets are initialised, and the functions may be called at any time.
    unsafe {
        let mut asking: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut asking);
        ASKING.iter().for_each(|signal| _ = libc::sigaddset(&raw mut asking, *signal));
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const asking, &raw mut before);
        MASK.set(before);
    }
}

/// Restores the signal mask of the thread that copied the process.
pub(in crate::system) fn after_fork() {
    let before = MASK.get();
    // SAFETY: `before_fork` stored this set.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut()) };
}

/// Resets signals and restores the signal mask in the copy of a process. A signal gets its default
/// disposition if its handler is still that of [`keep_handlers`].
pub(in crate::system) fn in_copy() {
    for signal in ASKING {
        let own = OWN[signal as usize].load(Relaxed);
        if own != 0 && current(signal) == own {
            reset(signal);
        }
    }
    after_fork();
}

/// Returns the handler of a signal, `SIG_DFL` or `SIG_IGN`.
fn current(signal: c_int) -> usize {
    // SAFETY: no disposition is set, and the answer is written to a complete `sigaction`.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action);
        action.sa_sigaction
    }
}
