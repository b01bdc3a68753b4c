//! What the benchmarks share: plans from config text, medians, times.

#![allow(dead_code, reason = "each benchmark needs a part")]

use runner::config::{Catalogue, Overrides, load};
use runner::plan::Plan;
use runner::problem::SearchPath;
use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

/// The plan of a config, with the plugins that cargo builds next to the benchmark.
pub(crate) fn plan(config: &str) -> Plan {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("bench.toml");
    std::fs::write(&file, config).expect("a file");
    let here = std::env::current_exe().expect("a path of this program");
    let plugins: Vec<PathBuf> = here.ancestors().skip(1).take(2).map(PathBuf::from).collect();
    let mut catalogue = Catalogue::new(SearchPath::new(&plugins));
    let mut outcome = load(&[file], &Overrides::default(), &mut catalogue);
    let said: String =
        outcome.diagnostics.iter().map(|one| one.render(&outcome.sources, false)).collect();
    outcome
        .plans
        .pop()
        .unwrap_or_else(|| panic!("{said}\nbuild the plugins first: cargo build --release"))
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// `cargo test --benches` asks for one round of everything.
pub(crate) fn is_brief() -> bool {
    std::env::args().any(|argument| argument == "--test")
}

/// Seconds that a call takes: as often as it needs to fill a hundredth of a second, five times
/// over, the median.
pub(crate) fn seconds(mut call: impl FnMut()) -> f64 {
    let mut time = |count: u32| {
        let started = Instant::now();
        (0..count).for_each(|_| call());
        started.elapsed().as_secs_f64()
    };
    let mut count = 1;
    while !is_brief() && count < 1 << 30 && time(count) < 0.01 {
        count *= 2;
    }
    let rounds = if is_brief() { 1 } else { 5 };
    median((0..rounds).map(|_| time(count) / f64::from(count)).collect())
}

/// Waits for a process that has just been started: seconds that it takes, and its peak memory in
/// MB, or that of a process that its main thread started, if that is more.
pub(crate) fn watch(mut child: Child) -> (f64, f64) {
    let started = Instant::now();
    let mut most = 0.0f64;
    loop {
        if let Some(ended) = child.try_wait().expect("a child") {
            assert!(ended.success(), "{ended}");
            return (started.elapsed().as_secs_f64(), most);
        }
        most = most.max(peak(child.id()));
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The peak memory of a process so far, or of one below its main thread, in MB; 0 once it has
/// ended.
fn peak(process: u32) -> f64 {
    let folder = PathBuf::from(format!("/proc/{process}"));
    let text = std::fs::read_to_string(folder.join("status")).unwrap_or_default();
    let kilobytes =
        text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    let kilobytes = kilobytes.and_then(|number| number.trim().parse::<f64>().ok());
    let children = folder.join(format!("task/{process}/children"));
    let children = std::fs::read_to_string(children).unwrap_or_default();
    let children = children.split_whitespace().filter_map(|number| number.parse().ok()).map(peak);
    children.fold(kilobytes.unwrap_or(0.0) / 1024.0, f64::max)
}
