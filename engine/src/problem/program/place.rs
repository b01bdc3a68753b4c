//! The core that a process runs on: where requests are short, that of its caller.
//!
//! One of the two always waits for the other. On two cores, each of them sleeps meanwhile, and the
//! system takes some 50 microseconds to wake it up; the caller's own core is awake. So the process
//! is kept on it, and follows when the system moves the caller, which is not kept. Threads that it
//! started meanwhile stay where they were started, until all are freed.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use std::process::Child;
use std::sync::{Mutex, PoisonError};

/// Requests in a row, each of which found the process idle, after which it has one caller.
const ALONE: u32 = 16;
/// Looks at the threads of a process, at most, until all are free.
const PASSES: usize = 8;

/// Where a process runs.
#[derive(Default)]
pub(super) struct Place(Mutex<State>);

#[derive(Default)]
struct State {
    /// Requests in a row that found the process idle, until there are enough.
    alone: u32,
    core: Core,
    /// All cores that it was kept on since it was free: threads may be there still.
    since: CpuSet,
}

#[derive(Default)]
enum Core {
    /// As the system chooses, from all on which it may run.
    #[default]
    Any,
    /// On that of its caller. Before that it could run on these.
    Kept(usize, CpuSet),
    /// It has chosen its cores itself.
    Own,
}

impl Place {
    /// A request is sent from this thread: to an idle process or not, and probably a short one or
    /// not.
    pub(super) fn asked(&self, child: &Mutex<Child>, is_idle: bool, is_short: bool) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.alone = if is_idle && is_short { ALONE.min(state.alone + 1) } else { 0 };
        match state.core {
            Core::Any | Core::Kept(..) if state.alone == ALONE => {
                let here = sched_getcpu();
                if !matches!(state.core, Core::Kept(core, _) if core == here) {
                    state.keep(here, child);
                }
            }
            Core::Kept(_, before) if state.alone == 0 => {
                state.core = Core::Any;
                let since = std::mem::take(&mut state.since);
                with_running(child, |pid| free(pid, &since, &before));
            }
            _ => {}
        }
    }
}

impl State {
    fn keep(&mut self, here: usize, child: &Mutex<Child>) {
        with_running(child, |pid| {
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
        });
    }
}

fn only(core: usize) -> CpuSet {
    let mut set = CpuSet::new();
    set.set(core);
    set
}

/// Gives the threads that are kept on one of these cores the ones that they had before: those that
/// the process started meanwhile are kept too, and a thread may start another one before it is
/// freed itself, so this is done until none is left.
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

/// With the process's number, while it runs.
fn with_running(child: &Mutex<Child>, act: impl FnOnce(Pid)) {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    if matches!(child.try_wait(), Ok(None)) {
        act(Pid::from_child(&child));
    }
}
