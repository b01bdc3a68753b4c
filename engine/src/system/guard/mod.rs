//! The guard: no plugin ends the program without a word.
//!
//! A plugin that runs in this process can end it (a fault, `exit`, `_exit`, another program in its
//! place) or hold it up for ever, and no code in the process can be relied on to tell of it. So the
//! program that the user starts forks itself at once: the child does the work, the parent waits,
//! passes signals on, and says how the child ended. Which call of which plugin was under way stands
//! on a board in memory that both share, and that the child writes to with two plain stores a call.
//! On Linux the child is one of a third process, the keeper, which ends what is left behind.

mod board;
#[cfg(unix)]
mod faults;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(unix)]
mod memory;
#[cfg(unix)]
mod parent;
#[cfg(unix)]
mod report;
#[cfg(unix)]
mod signal;

#[cfg(unix)]
pub use board::{
    Call, Place, PluginNumber, TrialHere, arm, done, ends_with_this, enter, granted, no_trial,
    plugin, trial, trial_here, variable_to_stay,
};
#[cfg(unix)]
pub use memory::{call_in, call_number_in, file, grant, plugin_in};
#[cfg(unix)]
pub use parent::{Duty, LONG, over};
pub use report::{Reporter, report, report_with};
#[cfg(unix)]
pub use signal::{end_group, ending, signal_name};

use super::notice::Level;
use super::streams::Stream;
use std::io::Write;
use std::thread;

/// Marks a process, and all that it starts, as one that may outlive the run.
const STAYS: &str = "RUNNER_STAYS";

/// Tells that a call came back. It does not return in a copy of the process that the plugin made by
/// `fork`: two would go on from here, and both write to the results.
#[inline]
pub(crate) fn leave() {
    #[cfg(unix)]
    if faults::is_copy() {
        end_copy();
    }
    board::leave();
}

#[cfg(unix)]
#[cold]
fn end_copy() -> ! {
    if let Some(here) = board::here().filter(|_| board::first_copy()) {
        let call = here.words();
        let line = report::line(
            Level::Warning,
            format!("{call}: returned twice (fork); the copy of the program was ended"),
        );
        // Past all locks: a thread that is not in this copy may hold them.
        _ = Stream::Error.write(line.as_bytes());
    }
    signal_hook::low_level::exit(0)
}

/// Runs `body` in a thread whose working directory and file mode mask are its own, where the system
/// can do that: plugins change them. Where no thread can be had, in this one.
pub fn aside<R: Send>(body: impl FnOnce() -> R + Send) -> R {
    let mut body = Some(body);
    let mut work = || {
        let _place = Place::take(0);
        own_surroundings();
        body.take().map(|body| body())
    };
    let done = thread::scope(|scope| match thread::Builder::new().spawn_scoped(scope, &mut work) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(_) => None,
    });
    match done.or_else(|| body.take().map(|body| body())) {
        Some(result) => result,
        None => unreachable!("the body has run in one thread or the other"),
    }
}

/// Gives this thread a working directory and a file mode mask of its own, where the system can do
/// that.
pub fn own_surroundings() {
    #[cfg(target_os = "linux")]
    {
        // Where it is forbidden, the paths of results are absolute all the same.
        _ = nix::sched::unshare(nix::sched::CloneFlags::CLONE_FS);
    }
}

/// What a worker process does before it loads a plugin: its calls go to the board in this file, and
/// copies of it know that they are copies.
#[cfg(unix)]
pub fn write_to(file: impl std::os::fd::AsFd) {
    faults::follow_copies();
    // Without a board, the run does not learn which call it was.
    if let Ok(shared) = memory::in_file(file) {
        board::share(shared);
    }
}
