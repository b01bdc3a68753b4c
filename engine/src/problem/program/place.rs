//! CPU placement of processes: a process with short requests runs on its caller's core.
//!
//! Either the process or its caller is waiting at any time. On separate cores, the waiting side's
//! core falls asleep, and the system takes about 50 microseconds to wake it up. The caller's own
//! core is awake, so the process is pinned to it. The caller is not pinned; when the system moves
//! it, the process follows. Threads that the process started while pinned stay on their core until
//! all are released.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use std::process::Child;

/// Number of consecutive short requests after which a process is pinned.
const STEADY: u32 = 16;
/// Maximum number of passes over the threads of a process until all are released.
const PASSES: usize = 8;

/// CPU placement of a process.
#[derive(Default)]
pub(super) struct Place {
    /// Number of consecutive short requests, at most [`STEADY`].
    short: u32,
    core: Core,
    /// All cores to which the process was pinned since it was last released; its threads may still
    /// be there.
    since: CpuSet,
}

#[derive(Default)]
enum Core {
    /// Any core that the process may use, chosen by the system.
    #[default]
    Any,
    /// Pinned to this core, its caller's, with the set of cores that it could use before.
    Kept(usize, CpuSet),
    /// Chosen by the process itself.
    Own,
}

impl Place {
    /// Records that this thread sends a request, and updates the placement. `is_short`: whether the
    /// request is probably short.
    pub(super) fn asked(&mut self, child: &mut Child, is_short: bool) {
        self.short = if is_short { STEADY.min(self.short + 1) } else { 0 };
        match self.core {
            Core::Any | Core::Kept(..) if self.short == STEADY => {
                let here = sched_getcpu();
                if !matches!(self.core, Core::Kept(core, _) if core == here) {
                    self.keep(here, child);
                }
            }
            Core::Kept(_, before) if self.short == 0 => {
                self.core = Core::Any;
                let since = std::mem::take(&mut self.since);
                if let Some(pid) = running(child) {
                    free(pid, &since, &before);
                }
            }
            _ => {}
        }
    }

    fn keep(&mut self, here: usize, child: &mut Child) {
        let Some(pid) = running(child) else { return };
        let Ok(now) = sched_getaffinity(Some(pid)) else { return };
        let (expected, before) = match self.core {
            Core::Kept(core, before) => (Some(only(core)), before),
            _ => (sched_getaffinity(None).ok(), now),
        };
        if expected != Some(now) {
            self.core = Core::Own;
        } else if sched_setaffinity(Some(pid), &only(here)).is_ok() {
            self.since.set(here);
            self.core = Core::Kept(here, before);
        }
    }
}

fn only(core: usize) -> CpuSet {
    let mut set = CpuSet::new();
    set.set(core);
    set
}

/// Restores the previous cores of all threads that are pinned to one of the cores in `since`.
/// Threads that the process started while pinned are pinned too. A thread may start another before
/// it is released itself, so the passes repeat until none is left.
fn free(pid: Pid, since: &CpuSet, before: &CpuSet) {
    let is_kept = |now: CpuSet| {
        let mut cores = (0..CpuSet::MAX_CPU).filter(|core| now.is_set(*core));
        now.count() == 1 && cores.next().is_some_and(|core| since.is_set(core))
    };
    for _ in 0..PASSES {
        let threads = std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero()));
        let mut freed = 0;
        for thread in threads.into_iter().flatten().flatten() {
            let number = thread.file_name().to_str().and_then(|name| name.parse().ok());
            let Some(thread) = number.and_then(Pid::from_raw) else { continue };
            if sched_getaffinity(Some(thread)).is_ok_and(is_kept) {
                freed += usize::from(sched_setaffinity(Some(thread), before).is_ok());
            }
        }
        if freed == 0 {
            return;
        }
    }
}

/// Returns the id of the process if it is running.
fn running(child: &mut Child) -> Option<Pid> {
    matches!(child.try_wait(), Ok(None)).then(|| Pid::from_child(child))
}
