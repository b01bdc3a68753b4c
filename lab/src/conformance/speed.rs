//! The time of an evaluation: a figure without a rule.

use super::subject::{Subject, seed};
use super::{Finding, Found};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Duration for which evaluations are repeated; short in debug builds, which are for tests.
const ROUND: Duration = Duration::from_millis(if cfg!(debug_assertions) { 40 } else { 200 });

/// Measures nanoseconds per evaluation, and per gene.
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
