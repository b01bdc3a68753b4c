//! Imported trials as arms and records.

use super::ImportError;
use crate::analysis::comparison::IMPORTED;
use crate::plan::fingerprint::Fingerprint;
use crate::plan::resolved::Settings;
use crate::plan::settings::Trace;
use crate::plan::{ArmSpec, BestType, ResultsSpec, swept_text};
use crate::problem::PluginFile;
use crate::problem::parameter::Value;
use crate::problem::section::{Key, Section, Setting};
use crate::record::{Outcome, TrialRecord};
use std::collections::{BTreeMap, BTreeSet};

/// Swept key of the problems, if there are several.
const PROBLEM: &str = "problem.name";
/// Maximum number of characters of a name.
const MOST_OF_NAME: usize = 1_000;
/// Placeholder for a missing name.
const UNNAMED: &str = "imported";

/// The trials of a source.
#[derive(Debug)]
pub(super) struct Imports {
    pub trials: Vec<ImportedTrial>,
    /// Swept keys.
    pub keys: Vec<String>,
    /// Rows or runs that were read.
    pub rows: u64,
    /// Descriptions of the mapping from columns, for the user.
    pub map: Vec<String>,
    /// Whether the source says which trials were successful.
    pub defines_success: bool,
}

/// A trial that another program ran.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ImportedTrial {
    pub arm: Option<String>,
    pub problem: Option<String>,
    /// One per swept key.
    pub swept: Vec<Option<Value>>,
    /// Number from 0; `None` if the trials are numbered in the order of the file.
    pub trial: Option<u64>,
    pub seed: u64,
    pub success: bool,
    pub to_success: Option<u64>,
    /// Evaluations of the whole trial, or the budget if the trial had no success; `None` if
    /// unknown.
    pub evaluations: Option<u64>,
    pub fitness: Option<f64>,
    /// Length of its genomes, if that is known and no swept key.
    pub dimension: Option<u64>,
    /// Fitness from which on a trial counts as successful, if it was given.
    pub target: Option<f64>,
    pub best: Option<String>,
    /// Place of the trial in its file.
    pub place: String,
}

/// Returns the experiment of these trials, with its records in order.
pub(super) fn experiment(
    name: &str,
    mut trials: Vec<ImportedTrial>,
    mut keys: Vec<String>,
    defines_success: bool,
) -> Result<(ResultsSpec, Vec<TrialRecord>), ImportError> {
    let problem = |trial: &ImportedTrial| trial.problem.clone().unwrap_or_else(|| UNNAMED.into());
    if trials.iter().map(problem).collect::<BTreeSet<_>>().len() > 1 {
        keys.insert(0, PROBLEM.to_owned());
        for trial in &mut trials {
            let value = Value::Text(problem(trial).into());
            trial.swept.insert(0, Some(value));
        }
    }
    check_names(&trials)?;
    let mut groups: Vec<(ArmSpec, Vec<ImportedTrial>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for trial in trials {
        let own = trial.arm.as_deref().unwrap_or(name);
        let operators = format!("{}{IMPORTED}", own.trim_end_matches(IMPORTED));
        let label = label(&operators, &keys, &trial.swept);
        let place = *places.entry(format!("{label}\0{}", problem(&trial))).or_insert_with(|| {
            let swept = trial.swept.clone();
            groups.push((arm(label, operators.clone(), problem(&trial), swept), Vec::new()));
            groups.len() - 1
        });
        let first = &groups[place].0;
        if first.swept != trial.swept || first.operators != operators {
            faults.push(format!(
                "{}: its arm is called `{}`, as another one with other values; rename one of them",
                trial.place, first.label
            ));
        }
        groups[place].1.push(trial);
    }
    if !faults.is_empty() {
        return Err(ImportError::Faults(faults));
    }
    let (mut arms, mut records, mut fingerprints) = (Vec::new(), Vec::new(), Vec::new());
    for (index, (arm, trials)) in groups.into_iter().enumerate() {
        let settings = settings(&arm, &keys, &trials, defines_success);
        let words = format!("imported\0{}\0{}", arm.label, settings.to_toml());
        let fingerprint = Fingerprint(*blake3::hash(words.as_bytes()).as_bytes());
        records.extend(numbered(index, &arm.label, trials)?);
        arms.push(ArmSpec { id: fingerprint.id(), settings, ..arm });
        fingerprints.push(fingerprint);
    }
    let most = records.iter().map(|record| record.trial + 1).max().unwrap_or(0);
    let spec = ResultsSpec {
        experiment: name.to_owned(),
        seed: 0,
        repeats: most,
        limits: None,
        stopping_rule: None,
        trace: Trace::None,
        best: BestType::Integers,
        violations: false,
        swept_keys: keys,
        arms,
        fingerprints,
        plugin: PluginFile::default(),
        operator_plugins: Vec::new(),
    };
    Ok((spec, records))
}

/// Checks the names, which are in every row, table and chart. A text that is no name is in the
/// wrong column.
fn check_names(trials: &[ImportedTrial]) -> Result<(), ImportError> {
    for ImportedTrial { arm, problem, swept, place, .. } in trials {
        let swept = swept.iter().filter_map(|value| match value {
            Some(Value::Text(text)) => Some(text.as_ref()),
            _ => None,
        });
        for name in arm.iter().chain(problem).map(String::as_str).chain(swept) {
            let length = name.chars().count();
            if length > MOST_OF_NAME {
                let start: String = name.chars().take(20).collect();
                return Err(ImportError::Faults(vec![format!(
                    "{place}: the name that begins with `{start}` has {length} characters; a name \
                    of an arm, a problem or a value of a sweep has at most {MOST_OF_NAME}: map \
                    another column, or shorten it"
                )]));
            }
        }
    }
    Ok(())
}

/// Returns a label such as "DEAP (imported) problem.n=8".
fn label(operators: &str, keys: &[String], swept: &[Option<Value>]) -> String {
    let pairs = keys.iter().zip(swept);
    let words = pairs.filter_map(|(key, value)| Some((key, value.as_ref()?)));
    let words = words.map(|(key, value)| format!(" {key}={}", swept_text(value)));
    std::iter::once(operators.to_owned()).chain(words).collect()
}

fn arm(label: String, operators: String, problem: String, swept: Vec<Option<Value>>) -> ArmSpec {
    let fingerprint = Fingerprint([0; 32]);
    let settings = Settings::default();
    let (id, baseline, genes) = (fingerprint.id(), None, None);
    ArmSpec { id, label, problem, operators, swept, settings, baseline, genes }
}

/// Returns the known settings of an arm, as a config: its problem, its budget and the values of
/// swept keys.
fn settings(
    arm: &ArmSpec,
    keys: &[String],
    trials: &[ImportedTrial],
    defines_success: bool,
) -> Settings {
    let of = |table: &str| -> Vec<(Vec<&str>, Value)> {
        let pairs = keys.iter().zip(&arm.swept);
        let own = pairs.filter_map(|(key, value)| {
            let (_, rest) = key.split_once('.').filter(|(own, _)| *own == table)?;
            Some((rest.split('.').collect(), value.clone()?))
        });
        own.collect()
    };
    let plugin = (vec!["plugin"], Value::Text(arm.problem.clone().into()));
    let dimension = trials.first().and_then(|trial| i64::try_from(trial.dimension?).ok());
    let dimension = dimension.map(|dimension| (vec!["dimension"], Value::Integer(dimension)));
    let problem = std::iter::once(plugin).chain(dimension).chain(of("problem")).collect();
    let budget =
        trials.iter().filter(|trial| !trial.success).filter_map(|trial| trial.evaluations).max();
    // A number that no config can state says nothing of the budget.
    let budget = budget.and_then(|budget| i64::try_from(budget).ok());
    let budget = budget.map(|budget| (Key::from("evaluations"), Value::Integer(budget)));
    let target = trials.first().and_then(|trial| trial.target);
    let target = target.map(|target| (Key::from("fitness"), Value::Real(target)));
    // With this key and without a target no trial can be successful.
    let undefined = (Key::from("on-success"), Value::Text("continue".into()));
    let stop = target.into_iter().chain(budget).chain((!defines_success).then_some(undefined));
    Settings {
        problem: nested(problem).into(),
        name: arm.operators.as_str().into(),
        operators: nested(of("operators")).into(),
        stop: stop.collect::<Section>().into(),
        ..Settings::default()
    }
}

/// Values by their paths, as a table with tables in it.
fn nested(values: Vec<(Vec<&str>, Value)>) -> Section {
    let mut names: Vec<&str> = Vec::new();
    for (path, _) in &values {
        names.extend(path.first().filter(|name| !names.contains(name)));
    }
    let setting = |name: &str| {
        let of = values.iter().filter(|(path, _)| path[0] == name);
        let of: Vec<(Vec<&str>, Value)> =
            of.map(|(path, value)| (path[1..].to_vec(), value.clone())).collect();
        match of.as_slice() {
            [(path, value)] if path.is_empty() => Setting::Value(value.clone()),
            _ => Setting::Section(nested(of)),
        }
    };
    names.iter().map(|name| (Key::from((*name).to_owned()), setting(name))).collect()
}

/// Returns the records of an arm's trials, by number.
fn numbered(
    arm: usize,
    label: &str,
    trials: Vec<ImportedTrial>,
) -> Result<Vec<TrialRecord>, ImportError> {
    let mut faults = Vec::new();
    let mut numbers: BTreeMap<u64, String> = BTreeMap::new();
    let mut records = Vec::new();
    for (order, trial) in trials.into_iter().enumerate() {
        let number = trial.trial.unwrap_or(order as u64);
        if let Some(other) = numbers.insert(number, trial.place.clone()) {
            faults.push(format!(
                "{}: trial {number} of `{label}` is also at {other}: every trial of an arm has a \
                number of its own; number them, or leave the column of trials unmapped",
                trial.place
            ));
        }
        records.push(record(arm, number, trial));
    }
    records.sort_unstable_by_key(|record| record.trial);
    if faults.is_empty() { Ok(records) } else { Err(ImportError::Faults(faults)) }
}

fn record(arm: usize, number: u64, trial: ImportedTrial) -> TrialRecord {
    let outcome = if trial.success { Outcome::Solved } else { Outcome::Evaluations };
    TrialRecord {
        arm,
        trial: number,
        seed: trial.seed,
        success: trial.success,
        best_fitness: trial.fitness,
        evaluations: trial.evaluations.unwrap_or(0),
        evaluations_to_success: trial.to_success,
        best_text: trial.best,
        error: None,
        ..TrialRecord::lost(outcome, String::new())
    }
}
