//! The machine that this process runs on: its name, and its clock.

use std::fs;
use std::time::SystemTime;

/// The time, in UTC and RFC 3339, to the second.
pub(crate) fn now() -> String {
    in_words(SystemTime::now())
}

/// A clock before the year -9999 or after the year 9999 is wrong, and no reason to stop.
fn in_words(time: SystemTime) -> String {
    let ends = [jiff::Timestamp::MIN, jiff::Timestamp::MAX];
    let past = time < SystemTime::UNIX_EPOCH;
    let stamp = jiff::Timestamp::try_from(time).unwrap_or(ends[usize::from(!past)]);
    jiff::Timestamp::from_second(stamp.as_second()).unwrap_or(stamp).to_string()
}

/// The name of this machine; none if the system does not say.
pub(crate) fn host_name() -> Option<String> {
    let from_file = || {
        fs::read_to_string("/proc/sys/kernel/hostname")
            .or_else(|_| fs::read_to_string("/etc/hostname"))
            .ok()
    };
    let named = from_file()
        .or_else(|| std::env::var("COMPUTERNAME").ok())
        .or_else(|| std::env::var("HOSTNAME").ok())?;
    let name = named.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_clock_will_do() {
        let epoch = SystemTime::UNIX_EPOCH;
        let seconds = std::time::Duration::from_secs;
        assert_eq!(in_words(epoch + seconds(1_000_000_000)), "2001-09-09T01:46:40Z");
        // The year 31,690, and one before the calendar of the crate begins.
        assert!(in_words(epoch + seconds(938_000_000_000)).starts_with("9999-12-30T"));
        assert!(in_words(epoch - seconds(938_000_000_000)).starts_with("-009999-01-02T"));
    }
}
