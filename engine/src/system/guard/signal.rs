//! Signals in words.

use nix::sys::signal::Signal;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// "signal 11 (SIGSEGV)".
#[must_use]
pub fn signal_name(signal: i32) -> String {
    match Signal::try_from(signal) {
        Ok(name) => format!("signal {signal} ({name})"),
        Err(_) => format!("signal {signal}"),
    }
}

/// How a process ended: "was ended by signal 11 (SIGSEGV)", "exited by itself with code 3".
#[must_use]
pub fn ending(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("was ended by {}", signal_name(signal)),
        (_, Some(code)) => format!("exited by itself with code {code}"),
        _ => "ended".to_owned(),
    }
}
