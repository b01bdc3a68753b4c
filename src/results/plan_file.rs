//! The plan of an unfinished experiment, for those who read its parts without its config.

use super::layout::{ArmRow, BestType, Layout, Shape};
use super::provenance::PluginFile;
use crate::experiment::Trace;
use crate::fingerprint::{ArmId, Fingerprint};
use crate::parameter::Value;
use crate::shard::Shard;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(crate) struct PlanFile {
    experiment: String,
    /// Trials an arm.
    pub repeats: u64,
    trace: String,
    reals: bool,
    swept_keys: Vec<String>,
    arms: Vec<PlanArm>,
    /// What merging shards needs besides; missing in plans of runners that knew no shards.
    #[serde(default)]
    pub origin: Option<Origin>,
}

/// Where the trials come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Origin {
    pub seed: u64,
    /// One an arm, in hex.
    pub fingerprints: Vec<String>,
    pub plugin: PluginFile,
    pub runner_version: String,
    /// None: the folder is to have all trials.
    pub shard: Option<Shard>,
}

#[derive(Serialize, Deserialize)]
struct PlanArm {
    id: String,
    label: String,
    problem: String,
    operators: String,
    swept: Vec<Option<PlanValue>>,
    settings: String,
    #[serde(default)]
    baseline: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PlanValue {
    Integer(i64),
    /// As its bits: JSON knows no infinity.
    Real(u64),
    Boolean(bool),
    Text(String),
}

impl PlanFile {
    pub fn new(layout: &Layout, shard: Option<Shard>) -> Self {
        let origin = Origin {
            seed: layout.seed,
            fingerprints: layout.fingerprints.iter().map(|fingerprint| fingerprint.to_hex()).collect(),
            plugin: layout.plugin.clone(),
            runner_version: env!("CARGO_PKG_VERSION").to_owned(),
            shard,
        };
        let value = |value: &Value| match value {
            Value::Integer(value) => PlanValue::Integer(*value),
            Value::Real(value) => PlanValue::Real(value.to_bits()),
            Value::Boolean(value) => PlanValue::Boolean(*value),
            Value::Text(value) => PlanValue::Text(value.to_string()),
        };
        let arm = |arm: &ArmRow| PlanArm {
            id: arm.id.to_string(),
            label: arm.label.clone(),
            problem: arm.problem.clone(),
            operators: arm.operators.clone(),
            swept: arm.swept.iter().map(|swept| swept.as_ref().map(value)).collect(),
            settings: arm.settings.clone(),
            baseline: arm.baseline.map(|id| id.to_string()),
        };
        PlanFile {
            experiment: layout.experiment.clone(),
            repeats: layout.repeats,
            trace: layout.trace.word().to_owned(),
            reals: layout.best == BestType::Reals,
            swept_keys: layout.swept_keys.clone(),
            arms: layout.arms.iter().map(arm).collect(),
            origin: Some(origin),
        }
    }

    /// The layout that the plan was made of; none for plans without an origin.
    pub fn layout(&self) -> Option<Layout> {
        let Shape { experiment, trace, best, swept_keys, arms, .. } = self.shape()?;
        let Origin { seed, fingerprints, plugin, .. } = self.origin.clone()?;
        let fingerprints: Vec<Fingerprint> =
            fingerprints.iter().map(|digits| Fingerprint::from_hex(digits)).collect::<Option<_>>()?;
        if fingerprints.len() != arms.len() {
            return None;
        }
        let (limits, enough) = (None, None);
        Some(Layout {
            experiment,
            seed,
            repeats: self.repeats,
            limits,
            enough,
            trace,
            best,
            swept_keys,
            arms,
            fingerprints,
            plugin,
        })
    }

    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a plan of strings and integers is JSON")
    }

    /// None if the file is not one that a runner wrote.
    pub fn from_json(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    pub fn shape(&self) -> Option<Shape> {
        let value = |value: &PlanValue| match value {
            PlanValue::Integer(value) => Value::Integer(*value),
            PlanValue::Real(bits) => Value::Real(f64::from_bits(*bits)),
            PlanValue::Boolean(value) => Value::Boolean(*value),
            PlanValue::Text(value) => Value::Text(value.clone().into()),
        };
        let arm = |arm: &PlanArm| {
            Some(ArmRow {
                id: ArmId::from_hex(&arm.id)?,
                label: arm.label.clone(),
                problem: arm.problem.clone(),
                operators: arm.operators.clone(),
                swept: arm.swept.iter().map(|swept| swept.as_ref().map(value)).collect(),
                settings: arm.settings.clone(),
                baseline: arm.baseline.as_deref().and_then(ArmId::from_hex),
            })
        };
        let arms = self.arms.iter().map(arm).collect::<Option<Vec<ArmRow>>>()?;
        if arms.iter().any(|arm| arm.swept.len() != self.swept_keys.len()) {
            return None;
        }
        let trace =
            [Trace::None, Trace::Best, Trace::Population].into_iter().find(|trace| trace.word() == self.trace)?;
        let best = if self.reals { BestType::Reals } else { BestType::Integers };
        Some(Shape::new(self.experiment.clone(), trace, best, self.swept_keys.clone(), arms))
    }
}
