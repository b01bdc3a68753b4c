//! Memory that calls take and do not give back. Calls are counted, never timed: a slow machine
//! gives the same verdict as a fast one.

use super::batch::Batch;
use super::subject::{Subject, seed};
use super::{Finding, Found};
use crate::problem::{CallError, Library};
use crate::system::allocator::allocated;
use crate::system::memory::{resident, size};
use std::hint::black_box;
use std::time::Instant;

/// Rounds that are measured, after one to warm up. A leak adds memory in most of them; a cache, or
/// a heap with garbage collection, in some of them.
const ROUNDS: usize = 9;
/// Calls per round in which exact counts alone show a leak.
const FEW: u64 = 16;
/// Calls per round for libraries whose allocator counts, for other libraries, and for programs,
/// whose calls take longer: enough to show in the size of the process.
const COUNTED: u64 = 512;
const UNCOUNTED: u64 = 2048;
const PROGRAM: u64 = 256;
/// Genomes per call. A fixed number: the usual batch is smaller where the machine is slow.
const ROWS: usize = 2;
/// Bytes per call that are a leak: less than any allocation has.
const LEAST_BYTES: f64 = 8.0;
/// Blocks per call that are a leak: one block in four calls.
const LEAST_BLOCKS: f64 = 0.25;
/// Growth of a process, in bytes, that an allocator may cause.
const SLACK: u64 = 256 << 10;
/// Growth of a program, in bytes, that a heap with garbage collection may cause before it settles.
const HEAP_SLACK: u64 = 8 << 20;
/// Multiple of the slack that is a leak even if it grew in only a few rounds.
const MUCH: f64 = 16.0;

/// Looks for memory that calls or instances take and do not give back. Gives no verdict if the
/// subject's time runs out.
pub(super) fn memory(subject: &Subject) -> Found {
    let gauges = gauges(subject.library());
    if gauges.is_empty() {
        return Ok(Finding::Skipped("this system does not say how large a process is".to_owned()));
    }
    // The system would merge small pages into huge ones: the process would grow once, and hide its
    // later growth.
    #[cfg(target_os = "linux")]
    {
        _ = nix::sys::prctl::set_thp_disable(true);
    }
    let is_exact = gauges.iter().any(Gauge::is_exact);
    let is_program = subject.library().is_program();
    let many = if is_program {
        PROGRAM
    } else if is_exact {
        COUNTED
    } else {
        UNCOUNTED
    };
    let samples = subject.sample(&seed(1), 0, ROWS)?;
    let calls = || all_calls(subject, &samples).map_err(Finding::from);
    let instances = || {
        let made = subject.again().map_err(|error| Finding::Failed(error.to_string()))?;
        black_box(made.sample(&seed(1), 0, 1)?);
        Ok(())
    };
    let end = Instant::now() + subject.time;
    // Few calls first, because a slow problem may have no time for many.
    for per_round in [FEW, many] {
        look("calls", per_round, &gauges, end, calls)?;
        look("instances", per_round, &gauges, end, instances)?;
    }
    let made = (ROUNDS as u64 + 1) * (FEW + many);
    // Leaks that the exact counts miss show in the size of the process from here on.
    let slack = if is_program { HEAP_SLACK } else { SLACK };
    let seen = size(u128::from(slack / (ROUNDS as u64 * many)));
    let blind = match (is_program, is_exact) {
        (false, true) => {
            format!("below {seen} per call in an allocator of its own, a leak is not seen")
        }
        (true, true) => {
            format!("below {seen} per call outside Python's own memory, a leak is not seen")
        }
        _ => format!("below {seen} per call, a leak is not seen"),
    };
    Ok(Finding::Passed(format!("{made} calls, {made} instances: no growth that goes on; {blind}")))
}

/// Calls everything once.
fn all_calls(subject: &Subject, samples: &Batch) -> Result<(), CallError> {
    black_box(subject.evaluate(samples)?);
    black_box(subject.sample(&seed(1), 0, samples.rows())?);
    if subject.description().has_is_valid {
        black_box(subject.is_valid(samples)?);
    }
    if subject.description().has_render {
        black_box(subject.render(&samples.row(0), crate::problem::Format::Line)?);
    }
    Ok(())
}

/// A count of memory in use.
struct Gauge<'subject> {
    read: Box<dyn Fn() -> Option<u64> + 'subject>,
    unit: Unit,
    /// Growth over all rounds that is no leak.
    slack: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    Blocks,
}

impl Gauge<'_> {
    /// Whether each allocation and each release counts.
    fn is_exact(&self) -> bool {
        self.slack == 0
    }

    /// Whether a typical round adds what a leak would, or all of them together far more than an
    /// allocator does: a system may give memory to a process long before it is used. `grown` is the
    /// growth per round, in order of size.
    fn is_leak(&self, grown: &[i64; ROUNDS], per_round: u64) -> bool {
        let per_call = if self.unit == Unit::Bytes { LEAST_BYTES } else { LEAST_BLOCKS };
        let (typical, all) = (grown[ROUNDS / 2] as f64, grown.iter().sum::<i64>() as f64);
        let (rounds, slack) = (ROUNDS as f64, self.slack as f64);
        let least = per_call * rounds * per_round as f64;
        let is_sudden = !self.is_exact() && all >= least.max(MUCH * slack);
        typical * rounds >= least.max(slack) || is_sudden
    }

    /// Growth in words.
    fn words(&self, grown: &[i64; ROUNDS]) -> String {
        let (typical, all) = (grown[ROUNDS / 2] * ROUNDS as i64, grown.iter().sum());
        let grown = typical.max(all).unsigned_abs();
        match self.unit {
            Unit::Bytes => size(grown.into()),
            Unit::Blocks => format!("{grown} blocks of memory"),
        }
    }
}

/// The counts that there are for a plugin: exact ones first.
fn gauges(library: &Library) -> Vec<Gauge<'_>> {
    let exact = if library.is_program() {
        Gauge { read: Box::new(|| library.blocks()), unit: Unit::Blocks, slack: 0 }
    } else {
        Gauge { read: Box::new(allocated), unit: Unit::Bytes, slack: 0 }
    };
    let slack = if library.is_program() { HEAP_SLACK } else { SLACK };
    let process = Gauge { read: Box::new(resident), unit: Unit::Bytes, slack };
    let mut gauges = vec![exact, process];
    gauges.retain(|gauge| (gauge.read)().is_some());
    gauges
}

/// Runs rounds of calls and measures the growth of memory.
///
/// # Errors
/// Returns the finding if a call fails, memory leaks, or time runs out.
fn look(
    what: &str,
    per_round: u64,
    gauges: &[Gauge<'_>],
    end: Instant,
    mut call: impl FnMut() -> Result<(), Finding>,
) -> Result<(), Finding> {
    let mut round = || {
        for made in 0..per_round {
            if Instant::now() >= end {
                let words = format!("{made} of {per_round} {what} of a round");
                return Err(Finding::Skipped(format!(
                    "no verdict: time ran out after {words}; --seconds gives it more"
                )));
            }
            call()?;
        }
        Ok(())
    };
    round()?;
    let mut grown = vec![[0; ROUNDS]; gauges.len()];
    for place in 0..ROUNDS {
        let before: Vec<_> = gauges.iter().map(|gauge| (gauge.read)()).collect();
        round()?;
        for ((gauge, grown), before) in gauges.iter().zip(&mut grown).zip(before) {
            grown[place] = match (before, (gauge.read)()) {
                (Some(before), Some(after)) => after as i64 - before as i64,
                _ => 0,
            };
        }
    }
    for (gauge, mut grown) in gauges.iter().zip(grown) {
        grown.sort_unstable();
        if gauge.is_leak(&grown, per_round) {
            return Err(Finding::Failed(format!(
                "{} {what} took {} that were not given back",
                ROUNDS as u64 * per_round,
                gauge.words(&grown)
            )));
        }
    }
    Ok(())
}
