//! The guard: reports every end of the program that a plugin causes.
//!
//! A plugin in this process can end it by a fault, `exit`, `_exit`, or another program in its
//! place. It can also block the process for ever. No code in the process can be relied on to
//! report this. So the program that the user starts forks itself at once. The child does the work.
//! The parent waits, passes signals on, and reports how the child ended. Both share a board in
//! memory, which shows the plugin calls that are under way. The child writes to it with two plain
//! stores per call. On Linux the child belongs to a third process, the keeper, which ends processes
//! that are left behind.

mod board;
mod call;
#[cfg(unix)]
mod faults;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(unix)]
mod memory;
#[cfg(unix)]
mod parent;
mod reached;
#[cfg(unix)]
mod report;
#[cfg(unix)]
mod signal;
#[cfg(unix)]
mod verdict;

#[cfg(unix)]
pub use board::{
    Place, PluginNumber, TrialHere, UnderWay, arm, done, ends_with_this, enter, granted, no_trial,
    plugin, trial, trial_here, variable_to_stay,
};
pub use call::Call;
#[cfg(unix)]
pub use memory::{call_in, file, grant, reached_in};
#[cfg(unix)]
pub use parent::{LONG, over};
pub use reached::{Reached, ReachedBest};
pub use report::{Reporter, report, report_with};
#[cfg(unix)]
pub use signal::{end_group, ending, signal_name};
#[cfg(unix)]
pub use verdict::Duty;

use super::notice::Level;
use super::streams::Stream;
use std::io::Write;
use std::thread;

/// Environment variable that marks a process, and all its descendants, as allowed to outlive the
/// run.
const STAYS: &str = "RUNNER_STAYS";

pub(crate) use board::reach;

/// Records that a call returned. It does not return in a copy of the process that the plugin made
/// by `fork`. Otherwise two processes would continue from here, and both would write to the
/// results.
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
        // The write bypasses all locks because a thread that is not in this copy may hold them.
        _ = Stream::Error.write(line.as_bytes());
    }
    signal_hook::low_level::exit(0)
}

/// Runs `body` in a thread with its own working directory and file mode mask, if the system
/// supports this. The thread is separate because plugins change both. If no thread is available,
/// `body` runs in this one.
pub fn in_own_surroundings<R: Send>(body: impl FnOnce() -> R + Send) -> R {
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

/// Gives this thread its own working directory and file mode mask, if the system supports this.
pub fn own_surroundings() {
    #[cfg(target_os = "linux")]
    {
        // Failure is ignored because the paths of results are absolute in any case.
        _ = nix::sched::unshare(nix::sched::CloneFlags::CLONE_FS);
    }
}

/// Prepares a worker process before it loads a plugin. Its calls are written to the board in this
/// file, and copies of the process detect that they are copies.
#[cfg(unix)]
pub fn write_to(file: impl std::os::fd::AsFd) {
    faults::follow_copies();
    // Without a board, the run cannot determine which call was under way.
    if let Ok(shared) = memory::in_file(file) {
        board::share(shared);
    }
}
