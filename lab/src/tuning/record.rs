//! `tuning.toml`: a finished tuning's space, budget and seed, the totals, and the comparison at the
//! end. Only the settings that it tried are in another file, their table.

use super::finalist::Finalist;
use crate::config::{Stage, Tuning};
use crate::plan::settings::ENGINE_REVISION;
use crate::plan::{Cost, Limit};
use crate::results::ResultsError;
use crate::results::storage::atomic::write_toml;
use crate::results::storage::files::read_toml_if_there;
use crate::tune::Space;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Name of the file in the tuning's folder.
pub const TUNING_FILE: &str = "tuning.toml";
/// Name of the experiment that compares the survivors at the end, and of its folder.
pub const TEST: &str = "test";

/// Returns the name of an iteration's experiment, and of its folder.
pub(super) fn iteration_name(number: u64) -> String {
    format!("iteration-{number}")
}

/// Record of a finished tuning. It depends on config, runner and plugins alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TuningRecord {
    /// Name of the tuning.
    pub name: String,
    /// Version of the runner.
    pub runner_version: String,
    /// Revision of the search engine.
    pub engine_revision: u32,
    /// Seed from which all settings and trials derive. It is a text, because an integer of TOML
    /// ends at 2^63 - 1.
    pub seed: String,
    /// Confidence of each race.
    pub confidence: f64,
    /// Maximum number of trials of a finalist on each test instance.
    pub test_repeats: u64,
    /// Number of settings that were tried.
    pub settings: u64,
    /// Number of iterations.
    pub iterations: u64,
    /// Numbers of the iterations that restarted around survivors that agreed.
    pub restarts: Vec<u32>,
    /// Number of trials in all iterations.
    pub trials: u64,
    /// Number of those that failed.
    pub failures: u64,
    /// Number of evaluations in all iterations.
    pub evaluations: u64,
    /// Number of trials in the comparison at the end.
    pub test_trials: u64,
    /// Number of evaluations in the comparison at the end.
    pub test_evaluations: u64,
    /// Number of trials that the limit of seconds ended, those at the end too.
    pub timed_out: u64,
    /// Options that changed keys of the config, such as `--seed 7`.
    pub overrides: Vec<String>,
    /// Config, with `[tune]`. Where it names other files, they are in it.
    pub config: String,
    /// Number of settings to begin with that the file gives, next to its own.
    #[serde(default)]
    pub initial: u64,
    /// Combinations that are not tried, as TOML; `None` if the file has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forbid: Option<String>,
    /// Budget of all iterations together.
    pub budget: Limit,
    /// Cost that is to be low.
    pub cost: Cost,
    /// Instances of the iterations.
    pub train: InstancesRecord,
    /// Instances of the comparison at the end.
    pub test: InstancesRecord,
    /// Tuned keys, in the order of the file.
    pub keys: Vec<KeyRecord>,
    /// Survivors and the setting of the file on the test instances, the best first.
    pub finalists: Vec<Finalist>,
}

/// Instances of a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstancesRecord {
    /// Number of instances.
    pub count: u64,
    /// Values of the problem's keys as TOML; `None` for the problem of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<String>,
}

/// Tuned key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRecord {
    /// Dotted key.
    pub key: String,
    /// Its range or list of values, as TOML.
    pub values: String,
}

impl TuningRecord {
    /// Makes the record of a tuning before it has results.
    pub(super) fn new(tuning: &Tuning) -> Self {
        let instances = |stage| InstancesRecord {
            count: tuning.instances(stage) as u64,
            values: tuning.instances_toml(stage),
        };
        let keys = tuning.keys_toml().map(|(key, values)| KeyRecord { key, values });
        // Greater integers than those of TOML cannot be written, and are as good as no limit.
        let whole = |number: u64| number.min(i64::MAX as u64);
        TuningRecord {
            name: tuning.name.clone(),
            runner_version: env!("CARGO_PKG_VERSION").to_owned(),
            engine_revision: ENGINE_REVISION,
            seed: tuning.seed.to_string(),
            confidence: tuning.confidence,
            test_repeats: whole(tuning.test_repeats),
            settings: 0,
            iterations: 0,
            restarts: Vec::new(),
            trials: 0,
            failures: 0,
            evaluations: 0,
            test_trials: 0,
            test_evaluations: 0,
            timed_out: 0,
            overrides: tuning.source.overrides.clone(),
            config: tuning.source.text.clone(),
            initial: tuning.initial().len() as u64,
            forbid: tuning.forbid_toml.clone(),
            budget: match tuning.budget {
                Limit::Trials(trials) => Limit::Trials(whole(trials)),
                Limit::Evaluations(evaluations) => Limit::Evaluations(whole(evaluations)),
            },
            cost: match tuning.cost {
                Cost::Fitness => Cost::Fitness,
                Cost::Evaluations { unsuccessful } => {
                    Cost::Evaluations { unsuccessful: whole(unsuccessful) }
                }
            },
            train: instances(Stage::Train),
            test: instances(Stage::Test),
            keys: keys.collect(),
            finalists: Vec::new(),
        }
    }

    /// Returns the number of failed trials, in iterations and at the end. They have no cost.
    #[must_use]
    pub fn all_failures(&self) -> u64 {
        self.failures + self.finalists.iter().map(|one| one.failures).sum::<u64>()
    }

    /// Returns whether the comparison left one setting. A setting of which all trials failed was
    /// compared with none, and is left.
    #[must_use]
    pub fn has_best(&self) -> bool {
        self.finalists.iter().filter(|one| one.dropped_out.is_none()).count() == 1
    }

    /// Returns the folders of the tuning's experiments, in the order in which they ran.
    pub fn experiments(&self, folder: &Path) -> impl Iterator<Item = PathBuf> {
        let iterations = (1..=self.iterations).map(iteration_name).chain([TEST.to_owned()]);
        iterations.map(|name| folder.join(name))
    }

    /// Returns whether trials of some setting in the iterations, and of some at the end, have a
    /// cost.
    #[must_use]
    pub fn has_compared(&self) -> bool {
        !self.finalists.is_empty() && self.failures < self.trials
    }

    /// Returns whether several settings ran trials at the end, so that they could be compared.
    #[must_use]
    pub fn has_comparison(&self) -> bool {
        self.has_compared() && self.finalists.len() > 1
    }

    /// Reads the record of a finished tuning; `None` if the folder has none, because an older
    /// runner finished it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is no such record.
    pub fn read(folder: &Path) -> Result<Option<Self>, ResultsError> {
        read_toml_if_there(&folder.join(TUNING_FILE)).map_err(ResultsError::of_tuning)
    }

    /// Writes the record atomically.
    pub(super) fn write(&self, folder: &Path) -> Result<(), ResultsError> {
        write_toml(&folder.join(TUNING_FILE), self)
    }
}
