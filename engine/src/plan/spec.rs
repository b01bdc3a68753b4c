//! Layout of the tables: the parts of an experiment that the tables need.

use crate::plan::budget::Budget;
use crate::plan::fingerprint::{ArmId, Fingerprint};
use crate::plan::resolved::Settings;
use crate::plan::seed::trial_seed;
use crate::plan::settings::{Pairing, Trace};
use crate::plan::stopping::StoppingRule;
use crate::plan::{Arm, Plan};
use crate::problem::parameter::Value;
use crate::problem::{GeneKind, MixedGene, PluginFile};
use std::collections::HashMap;
use std::sync::Arc;

/// Type of the lists in the column `best`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BestType {
    /// `List<UInt32>`: no arm has real genes.
    Integers,
    /// `List<Float64>`: some arm has real genes.
    Reals,
}

/// Description of an arm in the tables.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmSpec {
    /// ID of the arm, the start of its fingerprint.
    pub id: ArmId,
    /// Readable label, unique within the experiment.
    pub label: String,
    /// Name of the plugin.
    pub problem: String,
    /// Name of the operator set.
    pub operators: String,
    /// One value per swept key; `None` if a baseline serves several values.
    pub swept: Vec<Option<Value>>,
    /// Settings with every default written out.
    pub settings: Settings,
    /// ID of the arm's baseline; `None` if it has none.
    pub baseline: Option<ArmId>,
    /// Genes of its genomes, if these are mixed; `None` if no arm of the experiment has choices.
    pub genes: Option<Arc<[MixedGene]>>,
}

impl ArmSpec {
    /// Returns the swept keys for which the arm has a value, with these values. `keys` are the
    /// swept keys of the experiment.
    #[must_use]
    pub fn swept_with(&self, keys: &[String]) -> Vec<(String, Value)> {
        let pairs = keys.iter().zip(&self.swept);
        pairs.filter_map(|(key, value)| Some((key.clone(), value.clone()?))).collect()
    }

    /// Returns whether its trials share their initial populations with the other arms of its
    /// problem.
    #[must_use]
    pub fn common(&self) -> bool {
        self.settings.pairing == Pairing::Common
    }
}

/// Parts of a plan that the tables need. Arms are in plan order; records refer to them by index.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultsSpec {
    /// Name of the experiment.
    pub experiment: String,
    /// Seed of the experiment.
    pub seed: u64,
    /// Number of trials per arm; the maximum if there is a stopping rule.
    pub repeats: u64,
    /// Number of trials of each arm that the tables are to have; `None` for `repeats` of each arm.
    pub limits: Option<Vec<u64>>,
    /// Rule that ends the trials before `repeats`; `None` if there is none.
    pub stopping_rule: Option<StoppingRule>,
    /// Content of the generations table.
    pub trace: Trace,
    /// Type of the column of best genomes.
    pub best: BestType,
    /// Whether the problem has constraints. The tables then have columns for them.
    pub violations: bool,
    /// Keys of `[sweep]`, each with a column in the tables.
    pub swept_keys: Vec<String>,
    /// Arms in plan order.
    pub arms: Vec<ArmSpec>,
    /// Fingerprint of each arm, in plan order.
    pub fingerprints: Vec<Fingerprint>,
    /// Plugin of the problem, as the tables name it.
    pub plugin: PluginFile,
    /// Plugins of operators, as the tables name them.
    pub operator_plugins: Vec<PluginFile>,
}

impl From<&Plan> for ResultsSpec {
    fn from(plan: &Plan) -> Self {
        let reals = plan.arms.iter().any(|arm| arm.problem.description().gene == GeneKind::F64);
        let genes = gene_lists(plan);
        let row = |(arm, genes): (&Arm, Option<Arc<[MixedGene]>>)| ArmSpec {
            id: arm.id(),
            label: arm.label.clone(),
            problem: plan.library.name().to_string(),
            operators: arm.settings.operators.name.clone(),
            swept: arm.settings.swept.clone(),
            settings: arm.resolved.clone(),
            baseline: arm.baseline.map(|place| plan.arms[place].id()),
            genes,
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
            arms: plan.arms.iter().zip(genes).map(row).collect(),
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

/// Returns the genes of each arm's genomes, as [`ArmSpec::genes`] has them. Arms of one problem
/// share the list.
fn gene_lists(plan: &Plan) -> Vec<Option<Arc<[MixedGene]>>> {
    fn genes(arm: &Arm) -> &[MixedGene] {
        arm.problem.description().bounds.mixed()
    }
    let is_choice = |gene: &MixedGene| !gene.words().is_empty();
    if !plan.arms.iter().any(|arm| genes(arm).iter().any(is_choice)) {
        return vec![None; plan.arms.len()];
    }
    let mut lists: HashMap<usize, Arc<[MixedGene]>> = HashMap::new();
    let list = |arm: &Arm| {
        let place = Arc::as_ptr(&arm.problem).addr();
        Arc::clone(lists.entry(place).or_insert_with(|| genes(arm).into()))
    };
    plan.arms.iter().map(list).map(|list| Some(list).filter(|list| !list.is_empty())).collect()
}

impl ResultsSpec {
    /// Returns an identifier, in hex, for the build of the plugins that run the trials.
    #[must_use]
    pub fn build(&self) -> String {
        PluginFile::build(&self.plugin, &self.operator_plugins)
    }

    /// Returns the maximum number of trials that the tables are to have of this arm.
    #[must_use]
    pub fn limit(&self, arm: usize) -> u64 {
        self.limits.as_ref().map_or(self.repeats, |limits| limits[arm])
    }

    /// Returns the budget of the arms whose seeds do not derive from it. All these arms have the
    /// same budget. `None` if there are no such arms.
    #[must_use]
    pub fn budget(&self) -> Option<Budget> {
        self.arms.iter().find_map(|arm| Budget::of(&arm.settings))
    }

    /// Returns the seed of a trial of this experiment.
    #[must_use]
    pub fn trial_seed(&self, arm: usize, trial: u64) -> u64 {
        trial_seed(self.seed, self.fingerprints[arm], trial)
    }

    /// Returns an identifier of 16 hex digits for the arms and their description in the tables. It
    /// does not depend on the number of trials, the shard, or the build of the plugin.
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
            // Texts are also written as TOML because `1` and `"1"` are two values.
            arm.swept.iter().for_each(|value| {
                text(&value.as_ref().map(ToString::to_string).unwrap_or_default())
            });
            text(&arm.baseline.map(|id| id.to_string()).unwrap_or_default());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

/// Returns a swept value for the column of strings: texts unquoted, other values as TOML.
pub fn swept_text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        Value::File(file) => file.to_string(),
        other => other.to_string(),
    }
}
