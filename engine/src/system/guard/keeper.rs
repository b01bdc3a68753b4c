//! The keeper: a process between the parent and the process that does the work. It adopts
//! descendants that lose their own parent, and outlives both processes. When the work has ended, or
//! the parent was killed, it ends all that is left.

use super::board::Board;
use super::{STAYS, end_group};
use crate::system::interrupt::block_signals;
use crate::system::processes::{end_descendants, has_variable};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, setpgid};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{self, PidfdFlags, WaitOptions, pidfd_open, set_child_subreaper};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// Interval in which the keeper reaps processes that it adopted.
const REAP: Duration = Duration::from_secs(1);
/// Polling interval on systems without descriptors of processes.
const LOOK: Duration = Duration::from_millis(10);

/// Makes this process adopt descendants that lose their parent. Returns `false` if the system
/// cannot do that.
pub(super) fn adopt() -> bool {
    set_child_subreaper(Some(rustix::process::getpid())).is_ok()
}

/// Waits until the worker or the parent has ended. The end of the parent closes the other end of
/// `parent`. Then ends all remaining processes, and this one.
pub(super) fn keep(board: &Board, worker: Pid, parent: OwnedFd) -> ! {
    // A signal to the process group of the run, such as SIGKILL, must not end this process.
    _ = setpgid(Pid::from_raw(0), Pid::from_raw(0));
    block_signals();
    match wait(worker, &parent) {
        Some(status) => board.ended.set(Some(status)),
        None => _ = kill(worker, Signal::SIGKILL),
    }
    end_all(board);
    signal_hook::low_level::exit(0)
}

/// Returns the status of the worker after its end; `None` if the parent ended first.
fn wait(worker: Pid, parent: &OwnedFd) -> Option<u32> {
    let id = process::Pid::from_raw(worker.as_raw());
    let process = id.and_then(|id| pidfd_open(id, PidfdFlags::empty()).ok());
    let patience = if process.is_some() { REAP } else { LOOK };
    let patience =
        Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: i64::from(patience.subsec_nanos()) };
    loop {
        if let Some(status) = reap(id) {
            return Some(status);
        }
        let mut descriptors = vec![PollFd::new(parent, PollFlags::IN)];
        descriptors.extend(
            process.as_ref().map(|one| PollFd::from_borrowed_fd(one.as_fd(), PollFlags::IN)),
        );
        _ = poll(&mut descriptors, Some(&patience));
        if !descriptors[0].revents().is_empty() {
            return None;
        }
    }
}

/// Reaps the children that have ended. Returns the status of the worker; `None` if it is not one of
/// them.
fn reap(worker: Option<process::Pid>) -> Option<u32> {
    while let Ok(Some((id, status))) = process::wait(WaitOptions::NOHANG) {
        if Some(id) == worker {
            return Some(status.as_raw() as u32);
        }
    }
    None
}

/// Ends the command of `--on-end` that is under way, and all other descendants of this process.
/// Processes that a command left behind stay if the command ended by itself.
pub(super) fn end_all(board: &Board) {
    let under_way = board.group.get();
    if let Some(group) = under_way {
        let id = Pid::from_raw(group as i32);
        end_group(group, || {
            reap(None);
            killpg(id, None).is_err()
        });
    }
    let mark = board.mark().filter(|_| under_way.is_none());
    let stays = |id| mark.as_ref().is_some_and(|mark| has_variable(id, STAYS, mark));
    end_descendants(Pid::this(), stays, || {
        reap(None);
        // A process without children has no other descendants.
        !matches!(process::wait(WaitOptions::NOHANG), Err(rustix::io::Errno::CHILD))
    });
}
