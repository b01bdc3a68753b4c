//! Shared parts of `runner compare` and `runner diff`.

use crate::analysis::comparison::{Comparison, Matched, Place, Rule, Sample};
use crate::cli::Failure;
use crate::cli::message::show;
use crate::present::arms::ArmName;
use crate::present::comparison::other_problem;
use crate::present::pairs::comparison_report;
use crate::present::remarks::{self, of_matches, origins};
use crate::present::report::Report;
use crate::results::{Results, samples_at};
use crate::system::notice::Notice;
use std::collections::HashMap;
use std::path::Path;

/// Prints the arms that an arm-by-arm comparison leaves out, and the settings that differ.
pub(super) fn announce(found: &Matched<'_>, new: &Path, old: &Path) {
    origins(new, old).iter().for_each(show);
    let [new, old] = [new, old].map(|folder| folder.display().to_string());
    of_matches(found, &new, &old).iter().for_each(show);
}

/// Refuses to compare arms of the same label on different problems, unless that is allowed.
pub(super) fn refuse(found: &Matched<'_>, allowed: bool) -> Result<(), Failure> {
    match other_problem(found).filter(|_| !allowed) {
        Some(words) => Err(Failure::usage(format!(
            "{words}. Compare runs of the same problem, or give --across-problems"
        ))),
        None => Ok(()),
    }
}

/// Returns the compared arms of each results folder, at a budget if one is given.
///
/// # Errors
/// Returns an error if a table cannot be read, or an arm had a smaller budget.
pub(super) fn samples_within<'a>(
    results: impl IntoIterator<Item = &'a Results>,
    budget: Option<u64>,
) -> Result<Vec<Vec<Sample>>, Failure> {
    let all = samples_at(results, budget)?;
    let Some(asked) = budget else { return Ok(all) };
    let smaller = |sample: &&Sample| sample.own_budget().is_some_and(|own| own < asked);
    match all.iter().flatten().find(smaller) {
        None => Ok(all),
        Some(sample) => Err(Failure::usage(format!(
            "--budget {asked}: the trials of `{}` in {} had at most {} evaluations; give that, or \
            less",
            sample.label,
            sample.folder.display(),
            sample.own_budget().unwrap_or_default()
        ))),
    }
}

/// Returns a remark for each arm without a usable trial.
pub(super) fn without_trials(pairs: &[(&Sample, &Sample)]) -> Vec<Notice> {
    remarks::without_trials(pairs, |folder| folder.display().to_string())
}

/// Names of the compared arms. If there is a second run, its arms are the second of each pair.
pub(super) struct Arms<'a> {
    first: HashMap<&'a str, ArmName<'a>>,
    second: Option<HashMap<&'a str, ArmName<'a>>>,
}

impl<'a> Arms<'a> {
    pub(super) fn of(first: &'a [Sample], second: Option<&'a [Sample]>) -> Self {
        let name = |sample: &'a Sample| {
            let name = ArmName { operators: &sample.operators, swept: &sample.swept };
            (sample.label.as_str(), name)
        };
        let by_label = |samples: &'a [Sample]| samples.iter().map(name).collect();
        Arms { first: by_label(first), second: second.map(by_label) }
    }

    /// Returns the comparisons as a report.
    pub(super) fn report(&self, compared: &'a [Comparison], rule: &Rule) -> Report {
        comparison_report(compared, &self.pairs(compared), rule)
    }

    /// Returns the names of both arms of each comparison.
    fn pairs(&self, compared: &'a [Comparison]) -> Vec<[ArmName<'a>; 2]> {
        let name = |arms: &HashMap<&'a str, ArmName<'a>>, label: &'a str| -> ArmName<'a> {
            arms.get(label).copied().unwrap_or(ArmName { operators: label, swept: &[] })
        };
        let pair = |one: &'a Comparison| {
            if one.place != Place::Whole {
                return [&one.first, &one.second]
                    .map(|operators| ArmName { operators, swept: &[] });
            }
            let second = self.second.as_ref().unwrap_or(&self.first);
            [name(&self.first, &one.first), name(second, &one.second)]
        };
        compared.iter().map(pair).collect()
    }
}
