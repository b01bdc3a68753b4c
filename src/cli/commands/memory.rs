//! Experiments that do not fit into memory are refused, before any of it is taken.

use crate::cli::{Failure, Faults};
use crate::config::{Diagnostic, Sources};
use crate::exit::Exit;
use crate::plan::Plan;
use crate::plan::settings::Trace;
use crate::present::format::count;
use crate::run::{MemoryLimit, MemoryShortage, WayOut, memory_shortage};
use crate::search::Footprint;
use crate::system::memory::{Limit, limit, size};

/// Bytes that this process can always have: the system is not asked.
const LITTLE: u64 = 1 << 20;

/// Refuses experiments whose trials do not fit into memory, `jobs` at a time; `worker` is what a
/// worker process may use, in bytes.
///
/// # Errors
/// The experiments that do not fit.
pub(super) fn check_memory(
    plans: &[Plan],
    jobs: usize,
    worker: Option<u64>,
) -> Result<(), Failure> {
    let little = Limit { bytes: LITTLE, words: String::new() };
    let is_much = |plan: &Plan| memory_shortage(plan, jobs, Some(&little), worker).is_some();
    let process = if plans.iter().any(is_much) { limit() } else { None };
    let refusal = |plan: &Plan| {
        memory_shortage(plan, jobs, process.as_ref(), worker)
            .map(|shortage| diagnostic(plan, &shortage))
    };
    let diagnostics: Vec<Diagnostic> = plans.iter().filter_map(refusal).collect();
    if diagnostics.is_empty() {
        return Ok(());
    }
    let faults = Faults { diagnostics, sources: Sources::default() };
    Err(Failure::nothing_run(Exit::Usage, faults))
}

fn diagnostic(plan: &Plan, shortage: &MemoryShortage) -> Diagnostic {
    let MemoryShortage { arm, footprint, at_once, total, limit, way_out } = shortage;
    let (together, limit) = match (limit, at_once) {
        (MemoryLimit::Worker(bytes), _) => {
            (String::new(), format!("--worker-memory allows {}", size((*bytes).into())))
        }
        (MemoryLimit::Process(limit), 1) => {
            (format!(", and {} with its record", size(*total)), limit.words.clone())
        }
        (MemoryLimit::Process(limit), _) => {
            (format!(", and {at_once} trials run at once: {}", size(*total)), limit.words.clone())
        }
    };
    let trace = match plan.trace {
        Trace::Genomes => " and those of its trace",
        _ => "",
    };
    let Footprint { genomes, genome_length, gene, .. } = footprint;
    let rule = format!(
        "a trial keeps {} genomes of {} genes of {gene} byte{}{trace}: {}{together}; {limit}",
        count(*genomes),
        count(*genome_length),
        if *gene == 1 { "" } else { "s" },
        size(footprint.bytes())
    );
    let smaller = "make the problem smaller";
    let help = match way_out {
        WayOut::FewerJobs(jobs) => format!("run fewer trials at once: --jobs {jobs}"),
        WayOut::SmallerPopulation(most) => {
            format!("{smaller}, or lower the population to {}", count(*most))
        }
        WayOut::SmallerProblem => smaller.to_owned(),
    };
    let (path, label) = (plan.source.path.display(), &plan.arms[*arm].label);
    let message = format!("{path}: the arm `{label}` needs more memory than is available");
    Diagnostic::general(message).rule(rule).help(help)
}
