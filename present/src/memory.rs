//! Memory shortages as text, for commands and pages.

use crate::config::Diagnostic;
use crate::plan::{Arm, Plan};
use crate::run::{MemoryLimit, MemoryShortage, WayOut, default_jobs, memory_shortage};
use crate::search::Footprint;
use crate::system::memory::size;
use crate::words::{count, counted};

/// Returns the error of `runner check` if not even one trial at a time fits into memory. A page
/// runs one trial, and more only if there is room.
pub fn too_large_for_a_page(plan: &Plan, arms: &[Arm]) -> Option<Diagnostic> {
    memory_shortage(plan, arms, 1, None)?;
    memory_shortage(plan, arms, default_jobs(), None).map(|shortage| too_large(plan, &shortage))
}

/// Returns the error of `runner check` for an experiment that does not fit.
pub fn too_large(plan: &Plan, shortage: &MemoryShortage) -> Diagnostic {
    let MemoryShortage { arm, footprint, at_once, total, limit, way_out } = shortage;
    let (together, allowed) = match (limit, at_once) {
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
    let Footprint { genomes, genome_length, gene, overhead } = footprint;
    let with = match plan.trace.has_genomes() {
        true => " and those of its trace",
        // Short genomes need less than what is kept of each.
        false if overhead.saturating_mul(20) > footprint.bytes() => " and what is kept of each",
        false => "",
    };
    let rule = format!(
        "a trial keeps {} genomes of {} genes of {}{with}: {}{together}; {allowed}",
        count(*genomes),
        count(*genome_length),
        counted(*gene, "byte"),
        size(footprint.bytes())
    );
    let smaller = "make the problem smaller";
    let help = match way_out {
        WayOut::FewerJobs(jobs) => format!("run fewer trials at once: --jobs {jobs}"),
        WayOut::SmallerPopulation(most) => {
            let jobs = matches!(limit, MemoryLimit::Process(_)) && *at_once > 1;
            let jobs = if jobs { " and run one trial at a time (--jobs 1)" } else { "" };
            format!("{smaller}, or lower the population to {}{jobs}", count(*most))
        }
        WayOut::SmallerProblem => {
            let key = plan.arms[*arm].settings.operators.algorithm.size_key();
            key.map_or_else(|| smaller.to_owned(), |key| format!("{smaller}, or lower `{key}`"))
        }
    };
    let (path, label) = (plan.source.path.display(), &plan.arms[*arm].label);
    let message = format!("{path}: the arm `{label}` needs more memory than is available");
    Diagnostic::general(message).rule(rule).help(help)
}
