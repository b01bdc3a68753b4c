//! Certificates: checks that each operator does what its source says, by tests that can fail.
//!
//! Every check draws from the code that trials run. It compares the results with the textbook's,
//! which are computed here in another way. Checks that draw have a p-value. All of them together
//! raise a false alarm with probability [`FALSE_ALARMS`] per run (Bonferroni). Promises that must
//! always hold have no p-value: one violation fails them.

mod algorithms;
mod constraints;
mod crossover;
mod fixtures;
mod mixed;
mod mutation;
mod rates;
mod real;
mod replacement;
mod selection;
mod statistic;
mod subject;
mod takeover;
mod textbook;

#[cfg(test)]
mod tests;

pub use constraints::Row;
pub use subject::{Subject, Trials};

use crate::operators::operator::Slot;
use crate::random::draws::Random;
use fixtures::Problems;
use statistic::Finding;

/// Probability that a whole suite fails although every operator is right.
pub const FALSE_ALARMS: f64 = 1e-6;

/// Result of one check.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// Slot of the operator, such as "selection".
    pub slot: &'static str,
    /// Name of the operator in a config.
    pub operator: &'static str,
    /// Property that was tested.
    pub claim: String,
    /// Description of the statistic or the counts.
    pub statistic: String,
    /// Probability of a statistic that is as extreme; `None` for promises that must always hold.
    pub p: Option<f64>,
    /// Whether the operator does what its source says.
    pub passed: bool,
}

/// One check: the operator, the claim, and the test.
struct Check {
    slot: Slot,
    operator: &'static str,
    claim: String,
    run: Box<dyn Fn(&mut CheckContext<'_>) -> Finding>,
}

/// Resources of a check.
struct CheckContext<'a> {
    subject: &'a dyn Subject,
    problems: &'a Problems,
    random: Random,
}

fn check(
    slot: Slot,
    operator: &'static str,
    claim: impl Into<String>,
    run: impl Fn(&mut CheckContext<'_>) -> Finding + 'static,
) -> Check {
    Check { slot, operator, claim: claim.into(), run: Box::new(run) }
}

fn checks() -> Vec<Check> {
    let mut all = selection::checks();
    all.extend(takeover::checks());
    all.extend(rates::checks());
    all.extend(crossover::checks());
    all.extend(mutation::checks());
    all.extend(real::checks());
    all.extend(replacement::checks());
    all.extend(constraints::checks());
    all.extend(algorithms::checks());
    all.extend(mixed::checks());
    all
}

/// Returns the operators and slots that have checks, in the order of the checks.
#[must_use]
pub fn certified() -> Vec<&'static str> {
    let mut names = Vec::new();
    for check in checks() {
        for name in [check.slot.as_str(), check.operator] {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Runs the checks, or only those of the operator or slot that `only` names. The same seed gives
/// the same certificates.
#[must_use]
pub fn certify(subject: &dyn Subject, only: Option<&str>, seed: u64) -> Vec<Certificate> {
    certificates(subject, only, seed).collect()
}

/// Runs the checks as [`certify`] does, each when its certificate is requested.
fn certificates(
    subject: &dyn Subject,
    only: Option<&str>,
    seed: u64,
) -> impl Iterator<Item = Certificate> {
    let problems = Problems::new();
    let checks = checks();
    let level = FALSE_ALARMS / checks.len() as f64;
    let wanted = move |check: &Check| {
        only.is_none_or(|name| name == check.operator || name == check.slot.as_str())
    };
    // Each check has a separate generator, so that its result does not depend on the other checks.
    let numbered = (0u64..).zip(checks).filter(move |(_, check)| wanted(check));
    numbered.map(move |(number, Check { slot, operator, claim, run })| {
        let random = Random::seed_from_u64(seed.wrapping_mul(1000).wrapping_add(number));
        let Finding { statistic, p, held } =
            run(&mut CheckContext { subject, problems: &problems, random });
        let passed = held && p.is_none_or(|p| p >= level);
        Certificate { slot: slot.as_str(), operator, claim, statistic, p, passed }
    })
}
