//! Facts for a Methods text: the resolved settings of all arms, their trials, and the runs that
//! made them.

use super::values::Sections;
use crate::analysis::SummaryRow;
use crate::chart::Subject;
use crate::lists::distinct;
use crate::plan::ArmSpec;
use crate::plan::resolved::Settings;
use crate::problem::section::Setting;
use crate::results::{Provenance, Run};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) struct Facts<'a> {
    pub arms: Vec<ArmFacts<'a>>,
    pub swept_keys: &'a [String],
    /// Runs whose trials are in the tables, in the order in which they ran; at least one.
    pub runs: Vec<&'a Run>,
    /// Number of trials per outcome.
    pub outcomes: &'a BTreeMap<&'static str, u64>,
    /// Results hash of all trials, if the experiment is finished.
    pub results: Option<&'a str>,
    /// Whether the experiment is unfinished.
    pub unfinished: bool,
    /// Whether the problem has constraints.
    pub constraints: bool,
    /// Confidence of the race that a tuning made of the arms; `None` if they did not race so.
    pub tuning_race: Option<f64>,
}

/// An arm with its resolved settings.
pub(crate) struct ArmFacts<'a> {
    pub label: &'a str,
    /// Name of the operator set.
    pub operators: &'a str,
    /// Value per swept key. An arm of another sweep has the value of its settings. `None` if the
    /// operator set was not swept over the key.
    pub swept: Vec<Option<Setting>>,
    pub settings: Settings,
    /// Whether other arms are compared with this one.
    pub is_baseline: bool,
    pub trials: u64,
    pub failures: u64,
    pub timed_out: u64,
}

impl<'a> Facts<'a> {
    /// Collects the facts; `None` without a run.
    pub(crate) fn new(
        subject: &'a Subject<'_>,
        provenance: &'a Provenance,
        outcomes: &'a BTreeMap<&'static str, u64>,
    ) -> Option<Self> {
        let rows = &subject.summary.rows;
        let baselines: BTreeSet<_> = rows.iter().filter_map(|row| row.arm.baseline).collect();
        let keys = &subject.summary.swept_keys;
        let varied: BTreeSet<(&str, usize)> = rows
            .iter()
            .flat_map(|row| {
                let places = (0..keys.len()).filter(|place| row.arm.swept[*place].is_some());
                places.map(|place| (row.arm.operators.as_str(), place))
            })
            .collect();
        let swept = |arm: &ArmSpec, place: usize| {
            let own = arm.swept[place].as_ref().or_else(|| arm.settings.value(&keys[place]));
            let is_varied = varied.contains(&(arm.operators.as_str(), place));
            own.filter(|_| is_varied).cloned().map(Setting::Value)
        };
        let arm = |row: &'a SummaryRow| ArmFacts {
            label: &row.arm.label,
            operators: &row.arm.operators,
            swept: (0..keys.len()).map(|place| swept(&row.arm, place)).collect(),
            settings: row.arm.settings.clone(),
            is_baseline: baselines.contains(&row.arm.id),
            trials: row.figures.trials,
            failures: row.figures.failures,
            timed_out: row.figures.timed_out,
        };
        let runs = contributing(&provenance.runs);
        (!runs.is_empty()).then(|| Facts {
            arms: rows.iter().map(arm).collect(),
            swept_keys: keys,
            runs,
            outcomes,
            results: provenance.results.as_deref(),
            unfinished: subject.results.planned().is_some(),
            constraints: subject.results.violations(),
            tuning_race: subject
                .results
                .stopping_rule()
                .filter(|_| subject.results.is_raced_by_tuning())
                .map(|rule| rule.confidence),
        })
    }

    pub(super) fn last_run(&self) -> &'a Run {
        self.runs[self.runs.len() - 1]
    }

    /// Returns the arms of operator sets that serve only as baselines, or the other arms.
    pub(super) fn arms_of(&self, baselines: bool) -> Vec<&ArmFacts<'a>> {
        let names = distinct(self.arms.iter().map(|arm| arm.operators));
        let serves = |set: &&str| {
            self.arms.iter().filter(|arm| arm.operators == *set).all(|arm| arm.is_baseline)
        };
        let names: Vec<&str> = names.into_iter().filter(|set| serves(set) == baselines).collect();
        self.arms.iter().filter(|arm| names.contains(&arm.operators)).collect()
    }

    /// Returns the names of these operator sets, each with the settings of its arms.
    pub(super) fn sets(&self, baselines: bool) -> Vec<(&'a str, Sections<'_>)> {
        let arms = self.arms_of(baselines);
        let settings = |name| {
            let own = arms.iter().filter(move |arm| arm.operators == name);
            (name, own.map(|arm| &*arm.settings.operators).collect())
        };
        distinct(arms.iter().map(|arm| arm.operators)).into_iter().map(settings).collect()
    }
}

/// Returns the runs that added trials which are still in the tables: those since the last run that
/// found none.
fn contributing(runs: &[Run]) -> Vec<&Run> {
    let first = runs.iter().rposition(|run| run.trials_before == 0).unwrap_or(0);
    let added = |run: &&Run| run.trials_after.is_none_or(|after| after > run.trials_before);
    let kept: Vec<&Run> = runs[first..].iter().filter(added).collect();
    if kept.is_empty() { runs.last().into_iter().collect() } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(before: u64, after: Option<u64>, config: &str, overrides: &[&str]) -> Run {
        let overrides = overrides.iter().map(|word| (*word).to_owned()).collect();
        Run { trials_after: after, config: config.to_owned(), overrides, ..Run::begin(1, before) }
    }

    #[test]
    fn runs_count_whose_trials_are_there() {
        let runs = [
            run(0, Some(10), "seed = 1", &[]),
            // With another seed, the existing trials were moved to superseded.
            run(0, Some(5), "seed = 2", &[]),
            run(5, Some(5), "seed = 2", &[]),
            run(5, None, "seed = 2", &[]),
            run(8, Some(20), "seed = 2", &[]),
        ];
        let kept: Vec<u64> = contributing(&runs).iter().map(|run| run.trials_before).collect();
        assert_eq!(kept, [0, 5, 8]);
        assert_eq!(contributing(&runs[..1]).len(), 1);
        assert!(contributing(&[]).is_empty());
    }
}
