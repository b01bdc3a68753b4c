//! Room: whether experiments fit into memory, before any of it is taken.

use crate::cli::{Failure, Faults};
use crate::config::{Diagnostic, Sources};
use crate::exit::Exit;
use crate::operators::Algorithm;
use crate::plan::{Arm, Plan};
use crate::present::format::count;
use crate::search::Footprint;
use crate::system::memory::{Limit, limit, size};

/// Refuses experiments whose trials do not fit into memory, `jobs` at a time; `worker` is what a
/// worker process may use, in bytes.
pub fn check(plans: &[Plan], jobs: usize, worker: Option<u64>) -> Result<(), Failure> {
    let machine = limit();
    let diagnostics: Vec<Diagnostic> =
        plans.iter().filter_map(|plan| refusal(plan, jobs, machine.as_ref(), worker)).collect();
    if diagnostics.is_empty() {
        return Ok(());
    }
    let faults = Faults { diagnostics, sources: Sources::default() };
    Err(Failure::nothing_run(Exit::Usage, faults))
}

/// Why an experiment cannot run, by the arm that needs most.
pub fn refusal(
    plan: &Plan,
    jobs: usize,
    machine: Option<&Limit>,
    worker: Option<u64>,
) -> Option<Diagnostic> {
    let at_once = (jobs as u64).min(plan.repeats).max(1);
    let footprint =
        |arm: &Arm| Footprint::of(arm.problem.description(), &arm.settings.operators.algorithm);
    let (arm, needs) =
        plan.arms.iter().map(|arm| (arm, footprint(arm))).max_by_key(|(_, needs)| needs.bytes())?;
    let (one, all) = (needs.bytes(), needs.bytes() * u128::from(at_once) + needs.record());
    let worker = worker.map(|bytes| Limit {
        bytes,
        words: format!("--worker-memory allows {}", size(bytes.into())),
    });
    let (limit, by_worker) = match (worker.filter(|limit| one > u128::from(limit.bytes)), machine) {
        (Some(limit), _) => (limit, true),
        (None, Some(limit)) if all > u128::from(limit.bytes) => (limit.clone(), false),
        _ => return None,
    };
    let room = u128::from(limit.bytes).saturating_sub(needs.record());
    let Footprint { genomes, genome_length, gene, .. } = needs;
    let together = match at_once {
        _ if by_worker => String::new(),
        1 => format!(", and {} with its record", size(all)),
        _ => format!(", and {at_once} run at once: {}", size(all)),
    };
    let rule = format!(
        "a trial keeps {} genomes of {} genes of {gene} byte{}: {}{together}; {}",
        count(genomes),
        count(genome_length),
        if gene == 1 { "" } else { "s" },
        size(one),
        limit.words
    );
    let message = format!(
        "{}: the arm `{}` needs more memory than there is",
        plan.source.path.display(),
        arm.label
    );
    let fitting = room / one.max(1);
    let help = match &arm.settings.operators.algorithm {
        _ if fitting >= 1 && !by_worker => format!("run fewer trials at once: --jobs {fitting}"),
        Algorithm::HillClimbing(_) | Algorithm::SimulatedAnnealing(_) => {
            "make the problem smaller".to_owned()
        }
        algorithm => {
            let most = algorithm.population() as u128 * room / one.max(1);
            match digit(most) {
                0 | 1 => "make the problem smaller".to_owned(),
                most => {
                    format!("make the problem smaller, or lower the population to {}", count(most))
                }
            }
        }
    };
    Some(Diagnostic::general(message).rule(rule).help(help))
}

/// Down to one significant digit.
fn digit(number: u128) -> u64 {
    let mut unit = 1;
    while number / unit >= 10 {
        unit *= 10;
    }
    u64::try_from(number / unit * unit).unwrap_or(u64::MAX)
}
