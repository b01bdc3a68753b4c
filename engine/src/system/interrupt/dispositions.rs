//! Dispositions of signals: what the system does when one arrives.
#![expect(unsafe_code, reason = "dispositions belong to the C library")]

use super::ASKING;
use nix::libc::{self, c_int};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The handlers that this program installed, by signal; 0 for none.
static OWN: [AtomicUsize; 32] = [const { AtomicUsize::new(0) }; 32];

/// Gives a signal its default disposition.
pub(super) fn reset(signal: c_int) {
    // SAFETY: no handler is named, and this is called before any is installed.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

/// Returns whether the signal was ignored when this function was first called.
pub(super) fn was_ignored(signal: c_int) -> bool {
    static IGNORED: OnceLock<bool> = OnceLock::new();
    *IGNORED.get_or_init(|| current(signal) == libc::SIG_IGN)
}

/// Remembers the handlers of the signals that ask to stop, for [`in_copy`].
pub(super) fn keep_handlers() {
    for signal in ASKING {
        let handler = current(signal);
        if ![libc::SIG_DFL, libc::SIG_IGN].contains(&handler) {
            OWN[signal as usize].store(handler, Relaxed);
        }
    }
}

thread_local! {
    /// The mask of a thread that forks.
    static MASK: Cell<libc::sigset_t> = const {
        // SAFETY: a set of signals is made of integers.
        Cell::new(unsafe { std::mem::zeroed() })
    };
}

/// Blocks the signals that ask to stop before the process is copied: one that arrives too early
/// would be lost in the copy. To be called by a handler of `fork`, as the next two.
pub(in crate::system) fn before_fork() {
    // SAFETY: both sets are whole, and the functions may be called at any time.
    unsafe {
        let mut asking: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut asking);
        ASKING.iter().for_each(|signal| _ = libc::sigaddset(&raw mut asking, *signal));
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const asking, &raw mut before);
        MASK.set(before);
    }
}

/// Restores the mask of the thread that copied the process.
pub(in crate::system) fn after_fork() {
    let before = MASK.get();
    // SAFETY: the set is that of `before_fork`.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut()) };
}

/// In the copy of a process, gives the signals whose handlers are still those of [`keep_handlers`]
/// their default disposition, and restores the mask.
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
    // SAFETY: nothing is set, and the answer goes into a whole action.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action);
        action.sa_sigaction
    }
}
