//! What calls cost: memory that is not given back, and time.

use super::batch::Batch;
use super::subject::{Subject, seed};
use super::{Finding, Found};
use crate::problem::CallError;
use crate::system::memory::{resident, size};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long each round of calls takes, the one to warm up among them. Debug builds are tests, for
/// which it would take longer than all else that they do.
const ROUND: Duration = Duration::from_millis(if cfg!(debug_assertions) { 40 } else { 200 });
/// Growth below this is that of an allocator, not of a leak.
const SLACK: i64 = 256 << 10;
/// The same of a program: a heap with garbage collection grows for long before it is cleared.
const HEAP_SLACK: i64 = 8 << 20;
/// Bytes per call: less than any allocation.
const LEAST: i64 = 8;
/// Times the slack: what is a leak though it came in a few rounds.
const MUCH: i64 = 16;
/// Rounds that are measured. A leak makes the process grow in most of them. In some it may not be
/// seen, where it fills memory that the process had before, or where the system takes freed memory
/// back just then; and caches and heaps with garbage collection grow in some before they settle.
const ROUNDS: usize = 9;

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

pub(super) fn memory(subject: &Subject) -> Found {
    if resident().is_none() {
        return Ok(Finding::Skipped("this system does not say how large a process is".to_owned()));
    }
    // The system would join small pages into huge ones: the process grows once, and hides what it
    // grows by afterwards.
    #[cfg(target_os = "linux")]
    {
        _ = nix::sys::prctl::set_thp_disable(true);
    }
    let slack = if subject.library().is_program() { HEAP_SLACK } else { SLACK };
    let samples = subject.sample(&seed(1), 0, subject.rows.min(16))?;
    let calls = growth(|| all_calls(subject, &samples).map_err(Finding::from))?;
    let made = growth(|| {
        let made = subject.again().map_err(|error| Finding::Failed(error.to_string()))?;
        black_box(made.sample(&seed(1), 0, 1)?);
        Ok(())
    })?;
    for (what, growth) in [("calls", &calls), ("instances", &made)] {
        if growth.is_leak(slack) {
            return Err(Finding::Failed(format!(
                "{} {what} took {} that were not given back",
                growth.calls,
                size(growth.bytes().unsigned_abs().into())
            )));
        }
    }
    Ok(Finding::Passed(format!(
        "{} calls, {} instances: no growth that goes on",
        calls.calls, made.calls
    )))
}

/// What rounds of calls, after one to warm up, added to the process.
struct Growth {
    calls: u64,
    /// Bytes in a typical round: the median.
    typical: i64,
    /// Bytes in all rounds.
    total: i64,
}

impl Growth {
    fn bytes(&self) -> i64 {
        self.total.max(self.typical * ROUNDS as i64).max(0)
    }

    /// Whether a typical round adds more than a few bytes per call, or all of them together add far
    /// more than an allocator would: a system may give memory to a process long before it is used.
    fn is_leak(&self, slack: i64) -> bool {
        let (rounds, least) = (ROUNDS as i64, self.calls as i64 * LEAST);
        let is_steady = self.typical * rounds >= least.max(slack);
        is_steady || self.total >= least.max(MUCH * slack)
    }
}

fn growth(mut call: impl FnMut() -> Result<(), Finding>) -> Result<Growth, Finding> {
    let start = Instant::now();
    let mut calls = 0u64;
    while calls < 100 || start.elapsed() < ROUND {
        call()?;
        calls += 1;
        // Slow problems: fewer calls, and what they leak in them.
        if start.elapsed() > 10 * ROUND {
            break;
        }
    }
    let mut grown = [0; ROUNDS];
    for grown in &mut grown {
        let before = resident().unwrap_or(0);
        for _ in 0..calls {
            call()?;
        }
        *grown = resident().unwrap_or(0) as i64 - before as i64;
    }
    grown.sort_unstable();
    let (typical, total) = (grown[ROUNDS / 2], grown.iter().sum());
    Ok(Growth { calls: ROUNDS as u64 * calls, typical, total })
}

/// Nanoseconds of an evaluation, and per gene.
pub(super) fn speed(subject: &Subject) -> Found {
    let samples = subject.sample(&seed(1), 0, subject.rows)?;
    let (mut best, mut spent, begin) = (f64::INFINITY, 0, Instant::now());
    while spent < 5 || begin.elapsed() < ROUND {
        let start = Instant::now();
        black_box(subject.evaluate(&samples)?);
        best = best.min(start.elapsed().as_secs_f64());
        spent += 1;
    }
    let evaluation = best * 1e9 / samples.rows() as f64;
    let genes = subject.description().genome_length;
    Ok(Finding::Passed(format!(
        "{evaluation:.1} ns an evaluation of {genes} genes, {:.2} ns a gene",
        evaluation / genes as f64
    )))
}
