//! What a Methods text is written from: the resolved settings of all arms, their trials, and the
//! runs that made them.

use crate::plan::ArmSpec;
use crate::plan::resolved::Settings;
use crate::present::chart::Subject;
use crate::problem::section::Setting;
use crate::record::Outcome;
use crate::results::{Provenance, Run};
use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

pub(crate) struct Facts<'a> {
    pub arms: Vec<ArmFacts<'a>>,
    pub swept_keys: &'a [String],
    /// The runs whose trials the tables hold, in the order in which they ran; at least one.
    pub runs: Vec<&'a Run>,
    /// How many trials ended so.
    pub outcomes: &'a BTreeMap<&'static str, u64>,
    /// The experiment is not finished.
    pub unfinished: bool,
    /// The problem has constraints.
    pub constraints: bool,
}

/// One arm, as it was resolved.
pub(crate) struct ArmFacts<'a> {
    pub label: &'a str,
    /// The operator set's name.
    pub operators: &'a str,
    /// One per swept key. An arm of another sweep has the value of its settings; `None` if the
    /// operator set was not swept over the key.
    pub swept: Vec<Option<Setting>>,
    pub settings: Settings,
    /// Other arms are measured against it.
    pub is_baseline: bool,
    pub trials: u64,
    pub failures: u64,
    pub timed_out: u64,
}

impl<'a> Facts<'a> {
    /// None without a run.
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
            if !varied.contains(&(arm.operators.as_str(), place)) {
                return None;
            }
            let own = arm.swept[place].as_ref().or_else(|| arm.settings.value(&keys[place]));
            own.cloned().map(Setting::Value)
        };
        let arm = |row: &'a crate::analysis::SummaryRow| ArmFacts {
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
            swept_keys: &subject.summary.swept_keys,
            runs,
            outcomes,
            unfinished: subject.results.planned().is_some(),
            constraints: subject.results.violations(),
        })
    }

    pub(crate) fn failures(&self) -> u64 {
        self.arms.iter().map(|arm| arm.failures).sum()
    }

    pub(crate) fn timed_out(&self) -> u64 {
        self.arms.iter().map(|arm| arm.timed_out).sum()
    }

    /// What became of the trials that count, in the order of the outcomes.
    pub(crate) fn endings(&self) -> Vec<(Outcome, u64)> {
        let counted = Outcome::ALL.into_iter().filter(|outcome| !outcome.is_failure());
        counted
            .filter_map(|outcome| {
                self.outcomes.get(outcome.as_str()).map(|count| (outcome, *count))
            })
            .collect()
    }
}

/// The runs that added trials which are still in the tables: those since the last one that found
/// none.
fn contributing(runs: &[Run]) -> Vec<&Run> {
    let first = runs.iter().rposition(|run| run.trials_before == 0).unwrap_or(0);
    let added = |run: &&Run| run.trials_after.is_none_or(|after| after > run.trials_before);
    let kept: Vec<&Run> = runs[first..].iter().filter(added).collect();
    if kept.is_empty() { runs.last().into_iter().collect() } else { kept }
}

/// The seed that a run's trials derive from: the command line's, or the file's, or 0.
pub(super) fn seed(run: &Run) -> String {
    asked(run, "seed").map_or_else(|| "0".to_owned(), |value| value.to_string())
}

/// A key of a run's experiment file as the command line left it.
pub(super) fn asked(run: &Run, key: &str) -> Option<Value> {
    let of_flag = |flag: &str| {
        let words = run
            .overrides
            .iter()
            .rev()
            .find_map(|word| word.strip_prefix(flag)?.strip_prefix(' '))?;
        value(words)
    };
    let mut found = run.config.parse::<Table>().ok().and_then(|file| file.get(key).cloned());
    for word in &run.overrides {
        let Some((path, text)) = word.strip_prefix("--set ").and_then(|set| set.split_once('='))
        else {
            continue;
        };
        match path.trim().strip_prefix(key) {
            Some("") => found = value(text),
            Some(rest) if rest.starts_with('.') => {
                if let (Some(Value::Table(table)), Some(value)) = (&mut found, value(text)) {
                    table.insert(rest[1..].trim().to_owned(), value);
                }
            }
            _ => {}
        }
    }
    of_flag(&format!("--{key}")).or(found)
}

fn value(text: &str) -> Option<Value> {
    let read = format!("value = {}", text.trim()).parse::<Table>().ok();
    read.and_then(|table| table.get("value").cloned())
        .or_else(|| Some(Value::String(text.trim().to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(before: u64, after: Option<u64>, config: &str, overrides: &[&str]) -> Run {
        let overrides = overrides.iter().map(|word| (*word).to_owned()).collect();
        Run { trials_after: after, config: config.to_owned(), overrides, ..Run::begin(1, before) }
    }

    #[test]
    fn the_command_line_has_the_last_word() {
        let config = "seed = 5\nrepeats = { half-width = 0.1, max = 100 }\n";
        assert_eq!(seed(&run(0, None, config, &[])), "5");
        assert_eq!(seed(&run(0, None, config, &["--set seed=7"])), "7");
        assert_eq!(seed(&run(0, None, config, &["--seed 9", "--set seed=7"])), "9");
        assert_eq!(seed(&run(0, None, "", &[])), "0");
        let repeats = asked(&run(0, None, config, &["--set repeats.confidence=0.9"]), "repeats")
            .expect("repeats");
        assert_eq!(repeats["confidence"].as_float(), Some(0.9));
        assert_eq!(repeats["half-width"].as_float(), Some(0.1));
        assert_eq!(
            asked(&run(0, None, config, &["--repeats 50"]), "repeats"),
            Some(Value::Integer(50))
        );
    }

    #[test]
    fn runs_count_whose_trials_are_there() {
        let runs = [
            run(0, Some(10), "seed = 1", &[]),
            // Another seed: what was there moved to superseded.
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
