//! Signals in words.

use nix::sys::signal::Signal;

/// "signal 11 (SIGSEGV)".
#[must_use]
pub(crate) fn signal_name(signal: i32) -> String {
    match Signal::try_from(signal) {
        Ok(name) => format!("signal {signal} ({name})"),
        Err(_) => format!("signal {signal}"),
    }
}
