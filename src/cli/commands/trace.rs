//! Checks of traces that are too large. Refuses a trace that a trial cannot pass on. Warns of
//! traces that may not fit on the disk.

use crate::cli::{Failure, Faults};
use crate::config::{Diagnostic, Sources};
use crate::exit::Exit;
use crate::plan::Plan;
use crate::run::{TraceSize, largest_trace, trace_size};
use crate::system::disk::free;
use crate::system::memory::size;
use crate::words::count;
use std::path::Path;

/// Maximum bytes that a trial can pass on, as one journal entry and one message of a worker
/// process.
const LONGEST: u128 = 1 << 31;

/// Refuses experiments with a trial whose trace is too large for one piece. Warns of experiments
/// whose traces together may not fit on the disk of `out`.
///
/// # Errors
/// Returns an error if an experiment cannot run. The error lists all of them.
pub(super) fn check_traces(plans: &[Plan], out: &Path) -> Result<(), Failure> {
    let diagnostics: Vec<Diagnostic> = plans.iter().filter_map(too_long).collect();
    if !diagnostics.is_empty() {
        let faults = Faults { diagnostics, sources: Sources::default() };
        return Err(Failure::nothing_run(Exit::Usage, faults));
    }
    let all: u128 =
        plans.iter().filter_map(trace_size).fold(0, |all, one| all.saturating_add(one.bytes));
    if let Some(free) = free(out).filter(|free| all > u128::from(*free)) {
        warning!(
            "the traces can take {} before compression, and {} are free on the disk of {}: trials \
            that do not fit are run again once there is room; lower repeats or the budget, or \
            trace less (output.trace)",
            size(all),
            size(free.into()),
            out.display()
        );
    }
    Ok(())
}

fn too_long(plan: &Plan) -> Option<Diagnostic> {
    let (arm, bytes) = largest_trace(plan).filter(|(_, bytes)| *bytes > LONGEST)?;
    let (path, label) = (plan.source.path.display(), &arm.label);
    let message = format!("{path}: the trace of a trial of the arm `{label}` can be too large");
    let rule =
        format!("it can take {}, and at most {} can be recorded", size(bytes), size(LONGEST));
    let help = "lower the budget or the population, or trace less (output.trace)";
    Some(Diagnostic::general(message).rule(rule).help(help))
}

/// Returns the maximum size of a trace of individuals, for `runner check`; empty if there is none.
pub(super) fn trace_lines(plan: &Plan) -> String {
    if !plan.trace.has_individuals() {
        return String::new();
    }
    match trace_size(plan) {
        Some(TraceSize { rows, bytes }) => format!(
            "  trace: at most {} rows in generations.parquet, {} before compression\n",
            count(u64::try_from(rows).unwrap_or(u64::MAX)),
            size(bytes)
        ),
        None => "  trace: its size has no limit, as no budget of generations or evaluations ends \
                 the trials\n"
            .to_owned(),
    }
}
