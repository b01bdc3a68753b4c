//! Refusal of experiments that do not fit into memory, before any is allocated.

use crate::cli::{Failure, Faults};
use crate::config::{Diagnostic, Sources};
use crate::exit::Exit;
use crate::plan::Plan;
use crate::present::memory::too_large;
use crate::run::memory_shortage;

/// Refuses experiments of which `jobs` concurrent trials do not fit into memory. `worker` is the
/// memory limit of a worker process, in bytes.
///
/// # Errors
/// Returns an error if an experiment does not fit. The error lists all of them.
pub(super) fn check_memory(
    plans: &[Plan],
    jobs: usize,
    worker: Option<u64>,
) -> Result<(), Failure> {
    let refusal = |plan: &Plan| {
        memory_shortage(plan, &plan.arms, jobs, worker).map(|shortage| too_large(plan, &shortage))
    };
    let diagnostics: Vec<Diagnostic> = plans.iter().filter_map(refusal).collect();
    if diagnostics.is_empty() {
        return Ok(());
    }
    let faults = Faults { diagnostics, sources: Sources::default() };
    Err(Failure::nothing_run(Exit::Usage, faults))
}
