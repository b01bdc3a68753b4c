//! The machine that this process runs on: names, clock, and random numbers for names.

use std::fs;
use std::hash::{BuildHasher, RandomState};
#[cfg(not(target_os = "macos"))]
use std::io::{self, BufRead};
use std::time::SystemTime;

/// Returns the current time in UTC as RFC 3339, to the second.
pub fn now() -> String {
    in_words(SystemTime::now())
}

/// Formats a time as RFC 3339, to the second. A wrong clock is no reason to stop. Times before the
/// year -9999 or after the year 9999 are therefore clamped.
fn in_words(time: SystemTime) -> String {
    let ends = [jiff::Timestamp::MIN, jiff::Timestamp::MAX];
    let past = time < SystemTime::UNIX_EPOCH;
    let stamp = jiff::Timestamp::try_from(time).unwrap_or(ends[usize::from(!past)]);
    jiff::Timestamp::from_second(stamp.as_second()).unwrap_or(stamp).to_string()
}

/// Returns the seconds from 1970 to a time in RFC 3339; `None` if the text is none.
#[must_use]
pub fn seconds_of(time: &str) -> Option<f64> {
    time.parse::<jiff::Timestamp>().ok().map(|stamp| stamp.as_second() as f64)
}

/// Returns a random number that no other process on any machine draws. It is only for names; no
/// trial may depend on it.
pub fn unique() -> u64 {
    getrandom::u64().unwrap_or_else(|_| RandomState::new().hash_one(std::process::id()))
}

/// Returns the name of this machine; `None` if the system does not report it.
pub fn host_name() -> Option<String> {
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

/// Returns the name of this machine's processor; `None` if the system does not report it.
pub fn processor_name() -> Option<String> {
    let name = processor()?;
    let words: Vec<&str> = name.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(target_os = "macos")]
fn processor() -> Option<String> {
    let told = std::process::Command::new("/usr/sbin/sysctl")
        .args(["-n", "machdep.cpu.brand_string"])
        .output()
        .ok()?;
    String::from_utf8(told.stdout).ok()
}

#[cfg(not(target_os = "macos"))]
fn processor() -> Option<String> {
    let told = fs::File::open("/proc/cpuinfo");
    let from_file = told.ok().and_then(|told| model(io::BufReader::new(told)));
    from_file.or_else(|| std::env::var("PROCESSOR_IDENTIFIER").ok())
}

/// Returns the processor model from the lines of Linux's `/proc/cpuinfo`. On x86 it is "model
/// name", which the first lines contain. Reading stops there because the file may list hundreds of
/// processors. On boards it is "Model" or "Hardware".
#[cfg(not(target_os = "macos"))]
fn model(told: impl BufRead) -> Option<String> {
    let names = ["model name", "cpu model", "Model", "Hardware"];
    let mut found: [Option<String>; 4] = Default::default();
    for line in told.lines().map_while(Result::ok) {
        let Some((key, value)) = line.split_once(':') else { continue };
        let (key, value) = (key.trim(), value.trim());
        let Some(place) = names.iter().position(|name| *name == key) else { continue };
        if !value.is_empty() && found[place].is_none() {
            found[place] = Some(value.to_owned());
        }
        if found[0].is_some() {
            break;
        }
    }
    found.into_iter().flatten().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(target_os = "macos"))]
    #[test]
    fn the_processor_is_what_linux_calls_it() {
        let told = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Some CPU @ 2.00GHz\n";
        let model = |told: &str| model(told.as_bytes());
        assert_eq!(model(told).as_deref(), Some("Some CPU @ 2.00GHz"));
        let board = "processor: 0\n\nHardware\t: A chip\nModel\t: A board\n";
        assert_eq!(model(board).as_deref(), Some("A board"));
        assert_eq!(model("processor: 0\nmodel name:\n"), None);
    }

    #[test]
    fn any_clock_will_do() {
        let epoch = SystemTime::UNIX_EPOCH;
        let seconds = std::time::Duration::from_secs;
        assert_eq!(in_words(epoch + seconds(1_000_000_000)), "2001-09-09T01:46:40Z");
        assert_eq!(seconds_of("2001-09-09T01:46:40Z"), Some(1e9));
        assert_eq!(seconds_of("yesterday"), None);
        // One time is in the year 31,690; the other is before the first year that `jiff` supports.
        assert!(in_words(epoch + seconds(938_000_000_000)).starts_with("9999-12-30T"));
        assert!(in_words(epoch - seconds(938_000_000_000)).starts_with("-009999-01-02T"));
    }
}
