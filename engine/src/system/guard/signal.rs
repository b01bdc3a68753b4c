//! Signals: the end of process groups, and descriptions of signals.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::thread;
use std::time::Duration;

/// Ends a process group. The group is asked to end, and killed if it does not end within a second.
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
    // This ends whatever is left of the group.
    _ = killpg(group, Signal::SIGKILL);
}

/// Describes a signal, such as "signal 11 (SIGSEGV)".
#[must_use]
pub fn signal_name(signal: i32) -> String {
    match Signal::try_from(signal) {
        Ok(name) => format!("signal {signal} ({name})"),
        Err(_) => format!("signal {signal}"),
    }
}

/// Describes how a process ended, such as "was ended by signal 11 (SIGSEGV)" or "exited by itself
/// with code 3".
#[must_use]
pub fn ending(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("was ended by {}", signal_name(signal)),
        (_, Some(code)) => format!("exited by itself with code {code}"),
        _ => "ended".to_owned(),
    }
}
