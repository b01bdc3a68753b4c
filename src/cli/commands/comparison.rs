//! Shared parts of `runner compare` and `runner diff`.

use crate::analysis::comparison::{Comparison, Matched, Place, Rule, Sample};
use crate::cli::Failure;
use crate::present::arms::ArmName;
use crate::present::comparison::other_problem;
use crate::present::pairs::comparison_report;
use crate::present::report::Report;
use crate::results::{Provenance, Results, samples_at};
use crate::words::count;
use std::collections::HashMap;
use std::path::Path;

/// Prints the arms that an arm-by-arm comparison leaves out, and the settings that differ.
pub(super) fn announce(found: &Matched<'_>, new: &Path, old: &Path) {
    for line in origins(new, old) {
        note!("{line}");
    }
    for (one, other) in found.pairs.iter().filter(|(one, other)| one.label != other.label) {
        note!("`{}` has the settings that `{}` has in {}", one.label, other.label, old.display());
    }
    for one in found.differing.iter().filter(|one| !one.problem()) {
        note!("`{}`: {}", one.new.label, one.words());
    }
    for (samples, there, not) in [(&found.gone, old, new), (&found.added, new, old)] {
        for sample in samples {
            warning!("`{}` is in {} and not in {}", sample.label, there.display(), not.display());
        }
    }
}

/// Returns a line per difference between two runs other than their arms.
fn origins(new: &Path, old: &Path) -> Vec<String> {
    let last = |folder: &Path| {
        Provenance::read(folder).ok().and_then(|provenance| provenance.runs.into_iter().last())
    };
    let Some((new, old)) = last(new).zip(last(old)) else { return Vec::new() };
    let plugin = |run: &crate::results::Run| format!("{} {}", run.plugin.name, run.plugin.version);
    let facts = [
        ("the plugin", plugin(&old), plugin(&new)),
        ("the engine revision", old.engine_revision.to_string(), new.engine_revision.to_string()),
        ("the runner", old.runner_version, new.runner_version),
    ];
    facts
        .into_iter()
        .filter(|(_, old, new)| old != new)
        .map(|(what, old, new)| format!("{what} was {old} and is now {new}"))
        .collect()
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

/// Returns a message for each arm without a usable trial.
pub(super) fn without_trials(pairs: &[(&Sample, &Sample)]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for sample in
        pairs.iter().flat_map(|(one, other)| [one, other]).filter(|sample| sample.trials() == 0)
    {
        let failed = match sample.failures {
            0 => "there are none yet".to_owned(),
            failures => format!("all {} failed or crashed", count(failures)),
        };
        let line = format!(
            "`{}` in {} has no usable trials: {failed}",
            sample.label,
            sample.folder.display()
        );
        if !words.contains(&line) {
            words.push(line);
        }
    }
    words
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
