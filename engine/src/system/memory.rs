//! Memory of this process: its limits, free memory, and use.

use sysinfo::{MemoryRefreshKind, Pid, Process, ProcessRefreshKind, ProcessesToUpdate, System};

/// Tightest memory limit of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Limit in bytes.
    pub bytes: u64,
    /// Description of the limit, such as "this machine has 24 GB".
    pub words: String,
}

/// Returns the least of three limits; `None` if the system reports none of them. They are the
/// memory of the machine, the limit of the control group, and that of the shell (`ulimit -v`).
/// Containers and schedulers set limits of control groups (cgroups).
#[must_use]
pub fn limit() -> Option<Limit> {
    asked(|system, process| {
        tightest(
            Some(system.total_memory()).filter(|bytes| *bytes > 0),
            process.and_then(Process::cgroup_limits).map(|limits| limits.total_memory),
            address_space(process.map_or(0, Process::virtual_memory)),
        )
    })
}

/// Returns the number of unused bytes: the least of machine, control group and shell. `None` if the
/// system does not report it.
#[must_use]
pub fn free() -> Option<u64> {
    asked(|system, process| {
        let machine = Some(system.available_memory()).filter(|bytes| *bytes > 0);
        let group = process.and_then(Process::cgroup_limits).map(|limits| limits.free_memory);
        let shell = address_space(process.map_or(0, Process::virtual_memory));
        [machine, group, shell].into_iter().flatten().min()
    })
}

/// Calls `answer` with the state of the system's memory and of this process.
fn asked<R>(answer: impl FnOnce(&System, Option<&Process>) -> R) -> R {
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let own = Pid::from_u32(std::process::id());
    let kind = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), false, kind);
    answer(&system, system.process(own))
}

/// Returns the number of bytes of memory that this process and its descendants hold. Pages of files
/// are excluded if the system reports them separately, because it can reclaim them at any time.
/// `None` if the system reports no memory use.
#[must_use]
pub fn resident() -> Option<u64> {
    let mut system = System::new();
    let kind = ProcessRefreshKind::nothing().with_memory().without_tasks();
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, kind);
    let own = Pid::from_u32(std::process::id());
    let is_below = |process: &Process| {
        std::iter::successors(process.parent(), |pid| system.process(*pid)?.parent())
            .any(|pid| pid == own)
    };
    let held = system.processes().values();
    let held = held.filter(|process| process.pid() == own || is_below(process));
    let held = held.map(|process| anonymous(process.pid()).unwrap_or_else(|| process.memory()));
    Some(held.sum()).filter(|bytes| *bytes > 0)
}

/// Returns the number of bytes of a process that are in memory and belong to no file. `None` if the
/// system does not report it.
fn anonymous(process: Pid) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

fn tightest(machine: Option<u64>, group: Option<u64>, shell: Option<u64>) -> Option<Limit> {
    let machine = machine
        .map(|bytes| Limit { bytes, words: format!("this machine has {}", size(bytes.into())) });
    let group = group.map(|bytes| Limit {
        bytes,
        words: format!("this control group may use {} (cgroup)", size(bytes.into())),
    });
    let shell = shell.map(|bytes| Limit {
        bytes,
        words: format!("{} of address space is left (ulimit -v)", size(bytes.into())),
    });
    // If limits are equal, the first is returned: a group without a limit reports the machine's.
    [machine, group, shell].into_iter().flatten().min_by_key(|limit| limit.bytes)
}

/// Returns the number of bytes of address space that are left after `used`; `None` without a limit.
#[cfg(unix)]
fn address_space(used: u64) -> Option<u64> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    Some(limit.saturating_sub(used))
}

#[cfg(not(unix))]
fn address_space(_used: u64) -> Option<u64> {
    None
}

/// Formats a number of bytes with two or three digits, such as "1.3 TB", "24 GB" or "512 bytes".
#[must_use]
pub fn size(bytes: u128) -> String {
    if bytes < 1000 {
        return format!("{bytes} bytes");
    }
    let (mut value, mut unit) = (bytes as f64 / 1e3, "kB");
    for larger in ["MB", "GB", "TB", "PB", "EB"] {
        // A value that would be shown as 1000 uses the next unit.
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1e3, larger);
    }
    if value < 9.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_well() {
        let words = [999, 1_000, 25_000_000_000, 999_600_000, 1_310_700_000_000].map(size);
        assert_eq!(words, ["999 bytes", "1.0 kB", "25 GB", "1.0 GB", "1.3 TB"]);
    }

    #[test]
    fn the_tightest_limit_holds() {
        let of = |machine, group, shell| tightest(machine, group, shell).map(|limit| limit.words);
        assert_eq!(
            of(Some(24 << 30), Some(24 << 30), None).as_deref(),
            Some("this machine has 26 GB")
        );
        assert_eq!(
            of(Some(24 << 30), Some(2_000_000_000), Some(4 << 30)).as_deref(),
            Some("this control group may use 2.0 GB (cgroup)")
        );
        assert_eq!(
            of(Some(24 << 30), None, Some(1_000_000_000)).as_deref(),
            Some("1.0 GB of address space is left (ulimit -v)")
        );
        assert_eq!(of(None, None, None), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_says() {
        let limit = limit().expect("a limit").bytes;
        assert!(limit > 1_000_000 && free().is_some_and(|free| 0 < free && free <= limit));
    }
}
