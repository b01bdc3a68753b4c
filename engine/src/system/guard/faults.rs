//! Faults: detection of the thread that ended the process.
#![expect(
    unsafe_code,
    reason = "signal handlers, and handlers of exit and fork, are the C library's"
)]

use super::board::{self, EXITED};
use crate::system::interrupt;
use nix::libc::{self, c_int, c_void, siginfo_t};
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Signals that a fault of the program raises.
const FAULTS: [c_int; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGSYS];

/// Whether this process is a copy that a plugin made by `fork`.
static COPY: AtomicBool = AtomicBool::new(false);

/// Previous actions of the signals, in the order of [`FAULTS`].
struct Before([UnsafeCell<MaybeUninit<libc::sigaction>>; FAULTS.len()]);
// SAFETY: the actions are written once, before the handlers that read them are installed.
unsafe impl Sync for Before {}
static BEFORE: Before = Before([const { UnsafeCell::new(MaybeUninit::uninit()) }; FAULTS.len()]);

/// Installs handlers that mark the place of a thread in which a fault or `exit` ends the process.
/// Copies that `fork` makes detect that they are copies. Must be called once, by the only thread.
pub(super) fn mark() {
    follow_copies();
    // SAFETY: registers a handler that only stores to atomics.
    unsafe { libc::atexit(on_exit) };
    for (place, signal) in FAULTS.into_iter().enumerate() {
        // SAFETY: the action is complete, and its handler has the type that the system expects.
        // There is room for the previous action.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction =
                on_fault as extern "C" fn(c_int, *mut siginfo_t, *mut c_void) as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(signal, &raw const action, BEFORE.0[place].get().cast());
        }
    }
}

/// Makes copies that `fork` creates detect that they are copies.
pub(super) fn follow_copies() {
    // SAFETY: the handlers only store to atomics and set signal dispositions. If there is no room
    // for the handlers, copies are not detected.
    unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(on_fork)) };
}

extern "C" fn before_fork() {
    interrupt::before_fork();
}

extern "C" fn after_fork() {
    interrupt::after_fork();
}

extern "C" fn on_fork() {
    COPY.store(true, Relaxed);
    interrupt::in_copy();
}

extern "C" fn on_exit() {
    if !COPY.load(Relaxed) {
        board::mark(EXITED);
    }
}

extern "C" fn on_fault(signal: c_int, info: *mut siginfo_t, _context: *mut c_void) {
    if !COPY.load(Relaxed) {
        board::mark(signal);
    }
    let Some(place) = FAULTS.iter().position(|fault| *fault == signal) else { return };
    // SAFETY: this handler runs, so the previous action was stored. Signal handlers may call both
    // functions. A fault recurs when this handler returns, and the previous handler then runs. The
    // handler of the standard library reports stack overflows. A signal that a function sent is
    // sent again.
    unsafe {
        libc::sigaction(signal, BEFORE.0[place].get().cast(), std::ptr::null_mut());
        if (*info).si_code <= 0 {
            libc::raise(signal);
        }
    }
}

/// Returns whether this process is a copy that a plugin made by `fork`.
#[inline]
pub(super) fn is_copy() -> bool {
    COPY.load(Relaxed)
}
