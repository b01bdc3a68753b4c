//! The layout: what the tables need to know of an experiment.

use crate::plan::budget::Budget;
use crate::plan::fingerprint::{ArmId, Fingerprint};
use crate::plan::resolved::Settings;
use crate::plan::seed::trial_seed;
use crate::plan::settings::{Pairing, Trace};
use crate::plan::stopping::StoppingRule;
use crate::plan::{Arm, Plan};
use crate::problem::GeneKind;
use crate::problem::PluginFile;
use crate::problem::parameter::Value;

/// What kind of list the column `best` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BestType {
    /// `List<UInt32>`: no arm has real genes.
    Integers,
    /// `List<Float64>`: some arm has.
    Reals,
}

/// What the tables say of an arm.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmSpec {
    /// The start of its fingerprint.
    pub id: ArmId,
    /// Readable and unique within the experiment.
    pub label: String,
    /// The plugin's name.
    pub problem: String,
    /// The operator set's name.
    pub operators: String,
    /// One value a swept key; none where a baseline serves several.
    pub swept: Vec<Option<Value>>,
    /// Every default written out.
    pub settings: Settings,
    /// The arm that it is measured against.
    pub baseline: Option<ArmId>,
}

impl ArmSpec {
    /// The swept keys that it has a value of, with it. `keys` are those of the experiment.
    #[must_use]
    pub fn swept_with(&self, keys: &[String]) -> Vec<(String, Value)> {
        let pairs = keys.iter().zip(&self.swept);
        pairs.filter_map(|(key, value)| Some((key.clone(), value.clone()?))).collect()
    }

    /// Whether its trials share their starts with those of the other arms of its problem.
    #[must_use]
    pub fn common(&self) -> bool {
        self.settings.pairing == Pairing::Common
    }
}

/// A narrow view of a plan. Arms are in plan order; records name them by their index in it.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultsSpec {
    /// The experiment's name.
    pub experiment: String,
    /// The experiment's seed.
    pub seed: u64,
    /// Trials per arm; the maximum, with a stopping rule.
    pub repeats: u64,
    /// Trials of each arm that the tables are to have; none: `repeats` of all.
    pub limits: Option<Vec<u64>>,
    /// What ends the trials before `repeats`; none: nothing.
    pub stopping_rule: Option<StoppingRule>,
    /// What the generations table holds.
    pub trace: Trace,
    /// The type of the column of best genomes.
    pub best: BestType,
    /// Whether the problem has constraints: then the tables have columns for them.
    pub violations: bool,
    /// Keys of `[sweep]`, a column each.
    pub swept_keys: Vec<String>,
    /// In plan order.
    pub arms: Vec<ArmSpec>,
    /// One per arm.
    pub fingerprints: Vec<Fingerprint>,
    /// The plugin, as the tables name it.
    pub plugin: PluginFile,
    /// Those of operators.
    pub operator_plugins: Vec<PluginFile>,
}

impl From<&Plan> for ResultsSpec {
    fn from(plan: &Plan) -> Self {
        let reals = plan.arms.iter().any(|arm| arm.problem.description().gene == GeneKind::F64);
        let row = |arm: &Arm| ArmSpec {
            id: arm.id(),
            label: arm.label.clone(),
            problem: plan.library.name().to_string(),
            operators: arm.settings.operators.name.clone(),
            swept: arm.settings.swept.clone(),
            settings: arm.resolved.clone(),
            baseline: arm.baseline.map(|place| plan.arms[place].id()),
        };
        ResultsSpec {
            experiment: plan.name.clone(),
            seed: plan.seed,
            repeats: plan.repeats,
            limits: None,
            stopping_rule: plan.stopping_rule.clone(),
            trace: plan.trace,
            best: if reals { BestType::Reals } else { BestType::Integers },
            violations: plan.arms.iter().any(|arm| arm.problem.description().has_violations),
            swept_keys: plan.swept_keys.clone(),
            arms: plan.arms.iter().map(row).collect(),
            fingerprints: plan.arms.iter().map(|arm| arm.fingerprint).collect(),
            plugin: PluginFile::of(&plan.library),
            operator_plugins: plan
                .operator_libraries
                .iter()
                .map(|one| PluginFile::of(&one.library))
                .collect(),
        }
    }
}

impl ResultsSpec {
    /// Names the build of the plugins that run the trials, in hex.
    #[must_use]
    pub fn build(&self) -> String {
        PluginFile::build(&self.plugin, &self.operator_plugins)
    }

    /// Trials that the tables are to have of this arm, at most.
    #[must_use]
    pub fn limit(&self, arm: usize) -> u64 {
        self.limits.as_ref().map_or(self.repeats, |limits| limits[arm])
    }

    /// The budget of the arms whose seeds do not follow from it; they have the same.
    #[must_use]
    pub fn budget(&self) -> Option<Budget> {
        self.arms.iter().find_map(|arm| Budget::of(&arm.settings))
    }

    /// The seed that a trial of this experiment has.
    #[must_use]
    pub fn trial_seed(&self, arm: usize, trial: u64) -> u64 {
        trial_seed(self.seed, self.fingerprints[arm], trial)
    }

    /// Names the arms and what the tables say of them: the same for any number of trials, shard or
    /// build of the plugin. 16 hex digits.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut text = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        text(&self.experiment);
        text(&self.seed.to_string());
        text(self.trace.as_str());
        text(if self.best == BestType::Reals { "reals" } else { "integers" });
        if self.violations {
            text("violations");
        }
        text(&self.swept_keys.len().to_string());
        self.swept_keys.iter().for_each(|key| text(key));
        for (arm, fingerprint) in self.arms.iter().zip(&self.fingerprints) {
            text(&fingerprint.to_hex());
            [&arm.label, &arm.problem, &arm.operators, &arm.settings.to_toml()]
                .into_iter()
                .for_each(|words| text(words));
            // Texts as TOML too: `1` and `"1"` are two values.
            arm.swept.iter().for_each(|value| {
                text(&value.as_ref().map(ToString::to_string).unwrap_or_default())
            });
            text(&arm.baseline.map(|id| id.to_string()).unwrap_or_default());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

/// A swept value as the column of strings has it: texts bare, all else as TOML.
pub fn swept_text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        other => other.to_string(),
    }
}
