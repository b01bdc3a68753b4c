//! Signals in words.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::thread;
use std::time::Duration;

/// Ends a process group: it is asked to end, and killed if it does not within a second.
pub fn end_group(group: u32, mut is_gone: impl FnMut() -> bool) {
    let Ok(id) = i32::try_from(group) else { return };
    let group = Pid::from_raw(id);
    _ = killpg(group, Signal::SIGTERM);
    for _ in 0..50 {
        if is_gone() {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    // What is left of it.
    _ = killpg(group, Signal::SIGKILL);
}

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
