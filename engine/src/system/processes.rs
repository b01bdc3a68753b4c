//! Processes of the system: their parents, and the end of a process with all its descendants.

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::collections::HashSet;
use std::thread;
use std::time::Duration;

/// Maximum number of scans for descendants. Remaining descendants are then left, because some may
/// be stuck in the system.
const LOOKS: usize = 500;
/// Time between two scans.
const PAUSE: Duration = Duration::from_millis(2);

/// Process that has not ended, and its parent.
struct Entry {
    id: Pid,
    parent: Pid,
}

/// Ends a child of this process that was not waited for, with all its descendants. Descendants are
/// its process group and, on Linux, also processes that left the group.
pub fn end_with_descendants(child: u32) {
    let Ok(child) = i32::try_from(child) else { return };
    let child = Pid::from_raw(child);
    // A stopped process starts no more processes.
    _ = kill(child, Signal::SIGSTOP);
    end_descendants(child, |_| false, || true);
    _ = killpg(child, Signal::SIGKILL);
    // The child may have left its own process group.
    _ = kill(child, Signal::SIGKILL);
}

/// Ends the descendants of a process, except those that `stays` selects and their descendants.
/// Calls `reap` before each scan, which returns whether there may be any.
pub(super) fn end_descendants(
    root: Pid,
    stays: impl Fn(Pid) -> bool,
    mut reap: impl FnMut() -> bool,
) {
    for look in 0..LOOKS {
        if !reap() {
            return;
        }
        let found = descendants(root, &stays);
        if found.is_empty() {
            return;
        }
        found.iter().for_each(|one| _ = kill(*one, Signal::SIGKILL));
        if look > 0 {
            thread::sleep(PAUSE);
        }
    }
}

/// Returns the living descendants of a process, except those that `stays` selects and their
/// descendants.
fn descendants(root: Pid, stays: impl Fn(Pid) -> bool) -> Vec<Pid> {
    let mut others = living();
    let mut found = vec![root];
    let mut next = 0;
    while next < found.len() {
        let parent = found[next];
        others.retain(|one| {
            let is_child = one.parent == parent;
            if is_child && !stays(one.id) {
                found.push(one.id);
            }
            !is_child
        });
        next += 1;
    }
    found.split_off(1)
}

/// Returns the processes that have not ended. The list is empty if the system has no Linux `/proc`.
fn living() -> Vec<Entry> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let folders = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = folders.filter_map(|folder| folder.file_name().to_str()?.parse().ok());
    let mut entries: Vec<Entry> = ids.filter_map(entry).collect();
    // If a parent has ended meanwhile, its children have a new parent, so they are read again.
    loop {
        let known: HashSet<Pid> = entries.iter().map(|one| one.id).collect();
        let mut is_settled = true;
        for one in &mut entries {
            if !known.contains(&one.parent)
                && let Some(now) = entry(one.id.as_raw())
            {
                is_settled &= now.parent == one.parent;
                *one = now;
            }
        }
        if is_settled {
            return entries;
        }
    }
}

/// Reads the fields of a `stat` file of `/proc` after the process name.
fn stat(path: &str) -> Option<String> {
    let text = std::fs::read(path).ok()?;
    // The process name, in brackets, may contain any character.
    let after = text.iter().rposition(|byte| *byte == b')')?;
    Some(String::from_utf8_lossy(text.get(after + 1..)?).into_owned())
}

/// Returns whether a process has ended, or is ending and executes no more code of its own. On
/// systems without a Linux `/proc`, only a process that was waited for has ended.
pub(super) fn is_ending(id: Pid) -> bool {
    /// Flag of a thread that is ending: PF_EXITING of Linux.
    const EXITING: u64 = 4;
    if !cfg!(target_os = "linux") {
        return kill(id, None).is_err();
    }
    let Ok(threads) = std::fs::read_dir(format!("/proc/{id}/task")) else { return true };
    let paths = threads.flatten().map(|thread| thread.path().join("stat").display().to_string());
    let mut flags = paths.filter_map(|path| {
        let text = stat(&path)?;
        text.split_ascii_whitespace().nth(6)?.parse::<u64>().ok()
    });
    flags.all(|flags| flags & EXITING != 0)
}

fn entry(id: i32) -> Option<Entry> {
    let text = stat(&format!("/proc/{id}/stat"))?;
    let mut fields = text.split_ascii_whitespace();
    let (state, parent) = (fields.next()?, fields.next()?.parse().ok()?);
    let threads: i32 = fields.nth(15)?.parse().ok()?;
    // The first thread may end before the others. The process then still has its children.
    let has_ended = ["Z", "X"].contains(&state) && threads <= 1;
    (!has_ended).then(|| Entry { id: Pid::from_raw(id), parent: Pid::from_raw(parent) })
}

/// Returns whether a process was started with this variable in its environment.
pub(super) fn has_variable(id: Pid, name: &str, value: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    let wanted = format!("{name}={value}");
    environment.split(|byte| *byte == 0).any(|one| one == wanted.as_bytes())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    #[test]
    fn a_process_is_ending_from_its_end_on() {
        let mut child = Command::new("sleep").arg("300").spawn().expect("sleep");
        let id = Pid::from_raw(child.id() as i32);
        assert!(!is_ending(id) && !is_ending(Pid::this()));
        kill(id, Signal::SIGSTOP).expect("it runs");
        assert!(!is_ending(id), "a stopped process goes on later");
        child.kill().expect("it runs");
        // It stays in the list of processes until it is waited for.
        while !is_ending(id) {
            thread::yield_now();
        }
        assert!(kill(id, None).is_ok());
        child.wait().expect("it ended");
        assert!(is_ending(id));
    }

    /// Checks that processes which left the group end too, as do stopped ones.
    #[test]
    fn a_process_ends_with_all_that_it_started() {
        let mut shell = Command::new("sh");
        let script = "setsid sleep 300 & sleep 300 & echo; wait";
        shell.args(["-c", script]).process_group(0).stdout(std::process::Stdio::piped());
        let mut child = shell.spawn().expect("sh");
        let mut byte = [0];
        let mut out = child.stdout.take().expect("its output");
        std::io::Read::read_exact(&mut out, &mut byte).expect("a line");
        let root = Pid::from_raw(child.id() as i32);
        let all = descendants(root, |_| false);
        assert_eq!(all.len(), 2);
        assert_eq!(descendants(root, |one| one == all[0]), all[1..]);
        end_with_descendants(child.id());
        child.wait().expect("it ended");
        // Both descendants held the pipe open.
        std::io::Read::read_to_end(&mut out, &mut Vec::new()).expect("its end");
    }
}
