//! Values of flags: parsers with messages that follow `invalid value 'X' for '--flag <X>': `.

use crate::plan::shard::Shard;
use crate::results::is_results_hash;
use clap::builder::{PathBufValueParser, TypedValueParser};
use std::fmt::Display;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// Maximum number of concurrent trials. More threads than any machine has cores are a mistake.
const MOST_JOBS: usize = 4096;
/// Minimum address space in which a worker process starts, in MB.
pub(super) const LEAST_MEMORY: u64 = 128;
/// Maximum address space of a worker process in MB: 16 TB.
const MOST_MEMORY: u64 = 1 << 24;

/// Parses a number of threads or processes.
pub(super) fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    let way_out = "leave out --jobs for one per core";
    match text.parse::<usize>().map(NonZeroUsize::new) {
        Ok(Some(jobs)) if jobs.get() <= MOST_JOBS => Ok(jobs),
        Ok(None) => Err(format!("it must be at least 1; {way_out}")),
        _ if is_whole(text) && !text.starts_with('-') => {
            Err(format!("it must be at most {MOST_JOBS}; {way_out}"))
        }
        _ => Err(format!("it must be a whole number from 1 to {MOST_JOBS}; {way_out}")),
    }
}

/// Parses megabytes of address space.
pub(super) fn megabytes(text: &str) -> Result<NonZeroU64, String> {
    let rule = format!("it must be a whole number of MB from {LEAST_MEMORY} to {MOST_MEMORY}");
    match text.parse::<u64>() {
        Ok(number) if (LEAST_MEMORY..=MOST_MEMORY).contains(&number) => {
            NonZeroU64::new(number).ok_or_else(|| rule.clone())
        }
        Ok(number) if number < LEAST_MEMORY => {
            Err(format!("{rule}; a worker process cannot start with less"))
        }
        _ => Err(format!("{rule}, such as 1000")),
    }
}

/// Units of memory.
const UNITS: [(&str, f64); 10] = [
    ("", 1.0),
    ("B", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
];

/// Units of time, in seconds.
const TIMES: [(&str, f64); 5] =
    [("", 1.0), ("s", 1.0), ("m", 60.0), ("h", 3_600.0), ("d", 86_400.0)];

/// Parses a number with one of these units. Returns it in the unit of the factors.
fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    let name = text[end..].trim();
    let (_, factor) = units.iter().find(|(unit, _)| unit.eq_ignore_ascii_case(name))?;
    Some(number * factor)
}

/// Parses bytes of memory, with a unit.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    match with_unit(text, &UNITS) {
        Some(bytes) if (1.0..1e18).contains(&bytes) => Ok(bytes as u64),
        _ => Err("it must be a size in bytes, kB, MB, GB or TB, such as 4GB or 500MB".to_owned()),
    }
}

/// Parses a time above 0, in seconds without a unit.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let seconds = with_unit(text, &TIMES).filter(|seconds| *seconds > 0.0);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| {
        "it must be a time above 0 in s, m, h or d, such as 90s, 10m or 2h".to_owned()
    })
}

/// Parses a count of at least 1.
pub(super) fn at_least_one(text: &str) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err("it must be a whole number of at least 1".into()),
    }
}

/// Parses a whole number, of which `least` is the smallest that the type has.
pub(super) fn whole<T>(
    least: u8,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + Clone + Send + Sync + 'static,
{
    move |text| text.parse().map_err(|_| format!("it must be a whole number of at least {least}"))
}

/// Parses a finite number.
pub(super) fn finite(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "it must be a finite number, such as 0.5".to_owned())
}

/// Parses a whole number within a range.
pub(super) fn from_to<T>(
    least: T,
    most: T,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Copy + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("it must be a whole number from {least} to {most}"))
    }
}

/// Parses the number of a trial.
pub(super) fn trial(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        "a trial is given by its number from 0, as in the column `trial`; an ARM whose label has \
        spaces needs quotes"
            .into()
    })
}

/// Variables in which batch systems number their tasks, and the number of the first task. If batch
/// systems are nested, the innermost is first.
const TASK_VARIABLES: [(&str, u64); 3] =
    [("HQ_TASK_ID", 1), ("JOB_COMPLETION_INDEX", 0), ("SLURM_ARRAY_TASK_ID", 1)];

/// Parses a shard, or `auto/N` for the shard in the batch system's variable.
pub(super) fn shard(text: &str) -> Result<Shard, String> {
    shard_of(text, |name| std::env::var(name).ok())
}

fn shard_of(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Shard, String> {
    let Some(of) = text.strip_prefix("auto/") else { return text.parse() };
    let found =
        TASK_VARIABLES.iter().find_map(|(name, first)| Some((name, first, variable(name)?)));
    let Some((name, first, value)) = found else {
        return Err(format!(
            "auto takes I from HQ_TASK_ID (from 1), JOB_COMPLETION_INDEX (from 0) or \
            SLURM_ARRAY_TASK_ID (from 1), and none of them is set: run this in a task of an array, \
            or give a number, such as 3/{of}"
        ));
    };
    // This also checks N.
    let Shard { of, .. } = format!("1/{of}").parse()?;
    let number =
        value.trim().parse::<u64>().ok().and_then(|number| (number + 1).checked_sub(*first));
    number.filter(|number| (1..=of).contains(number)).map(|number| Shard { number, of }).ok_or_else(
        || {
            let last = of + first - 1;
            format!(
                "{name} is `{value}`, and of {of} shards it must be from {first} to {last}: give \
                the array these numbers"
            )
        },
    )
}

/// Parses a number of shards.
pub(super) fn shards(text: &str) -> Result<u64, String> {
    match format!("1/{text}").parse::<Shard>() {
        Ok(Shard { of, .. }) => Ok(of),
        Err(_) => Err("it must be a whole number from 1 to 1000000, such as 20".to_owned()),
    }
}

/// Parses a results hash.
pub(super) fn results_hash(text: &str) -> Result<String, String> {
    let text = text.to_ascii_lowercase();
    match is_results_hash(&text) {
        true => Ok(text),
        false => Err("it must be r1- and 32 hex digits, as under `Results:` below a table".into()),
    }
}

/// Parses a seed.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("it must be a whole number from 0 to {}", u64::MAX))
}

/// Parses a results folder. `eight-queens` means `results/eight-queens` if only that exists.
pub(super) fn results() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|path| {
        let below = Path::new("results").join(&path);
        if !path.exists() && below.is_dir() { below } else { path }
    })
}

/// Parses the path of an existing folder.
pub(super) fn folder(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() {
        Ok(path)
    } else if path.exists() {
        Err("this is a file; name the folder that contains it".into())
    } else {
        Err("there is no such folder; check the path, or build the plugins first".into())
    }
}

fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_between_one_and_many() {
        assert_eq!(jobs("4096").map(NonZeroUsize::get), Ok(4096));
        for wrong in
            ["0", "-1", "4097", "18446744073709551615", "18446744073709551616", "1.5", "two", ""]
        {
            assert!(jobs(wrong).is_err(), "{wrong}");
        }
        assert!(
            jobs("18446744073709551616")
                .is_err_and(|words| words.starts_with("it must be at most 4096"))
        );
    }

    #[test]
    fn a_task_of_an_array_finds_its_shard() {
        let with = |text: &str, set: &[(&str, &str)]| {
            shard_of(text, |name| {
                set.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
            })
        };
        let shard = |number| Ok(Shard { number, of: 4 });
        assert_eq!(with("3/4", &[("SLURM_ARRAY_TASK_ID", "1")]), shard(3));
        assert_eq!(with("auto/4", &[("SLURM_ARRAY_TASK_ID", "4")]), shard(4));
        assert_eq!(with("auto/4", &[("JOB_COMPLETION_INDEX", "0")]), shard(1));
        assert_eq!(with("auto/4", &[("SLURM_ARRAY_TASK_ID", "1"), ("HQ_TASK_ID", "2")]), shard(2));
        for (name, wrong) in [
            ("SLURM_ARRAY_TASK_ID", "0"),
            ("SLURM_ARRAY_TASK_ID", "5"),
            ("HQ_TASK_ID", "x"),
            ("JOB_COMPLETION_INDEX", "4"),
        ] {
            let words = with("auto/4", &[(name, wrong)]).err().unwrap_or_default();
            assert!(words.contains(&format!("{name} is `{wrong}`")), "{words}");
        }
        assert!(with("auto/4", &[]).is_err_and(|words| words.contains("none of them is set")));
        assert!(with("auto/0", &[("HQ_TASK_ID", "1")]).is_err());
        assert!(with("auto/x", &[]).is_err() && shards("0").is_err() && shards("20") == Ok(20));
    }

    #[test]
    fn sizes_have_units() {
        let sizes = [("4GB", 4_000_000_000), ("1.5 kb", 1_500), ("2GiB", 2 << 30), ("77", 77)];
        for (text, size) in sizes {
            assert_eq!(bytes(text), Ok(size), "{text}");
        }
        for wrong in ["", "GB", "0", "-1MB", "4XB", "1e9", "1.2.3MB", "9999999999TB"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_have_units() {
        let times = [("90", 90), ("90s", 90), ("1.5m", 90), ("2 h", 7_200), ("1d", 86_400)];
        for (text, seconds) in times {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        assert_eq!(duration("0.25"), Ok(Duration::from_millis(250)));
        for wrong in ["", "s", "0", "0h", "-1s", "2w", "1h30m", "1e3", "9999999999999999999999d"] {
            let words = "it must be a time above 0 in s, m, h or d";
            assert!(duration(wrong).is_err_and(|said| said.starts_with(words)), "{wrong}");
        }
    }

    #[test]
    fn other_values_keep_their_ranges() {
        assert_eq!((whole::<usize>(0)("0"), finite("-1e3")), (Ok(0), Ok(-1000.0)));
        for wrong in ["0", "-1", "1.5", "", "18446744073709551616"] {
            let words = "it must be a whole number of at least 1";
            assert_eq!(whole::<NonZeroU64>(1)(wrong).err().as_deref(), Some(words), "{wrong}");
        }
        for wrong in ["nan", "inf", "-inf", "1e999", "", "x"] {
            assert!(finite(wrong).is_err_and(|words| words.contains("a finite number")), "{wrong}");
        }
        assert_eq!(seed("18446744073709551615"), Ok(u64::MAX));
        assert!(seed("-1").is_err() && seed("18446744073709551616").is_err());
        assert_eq!(trial("0"), Ok(0));
        assert!(trial("x").is_err() && trial("-1").is_err());
        assert_eq!(at_least_one("1"), Ok(1));
        assert!(at_least_one("0").is_err() && at_least_one("-1").is_err());
        let port = from_to(0, u16::MAX);
        assert_eq!((port("0"), port("65535")), (Ok(0), Ok(65535)));
        for wrong in ["65536", "-1", "1.5", "", "port"] {
            let words = "it must be a whole number from 0 to 65535";
            assert_eq!(port(wrong).err().as_deref(), Some(words), "{wrong}");
        }
        assert!(
            megabytes("1").is_err()
                && megabytes("1000").is_ok()
                && megabytes("18446744073709551615").is_err()
        );
    }
}
