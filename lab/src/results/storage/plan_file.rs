//! The plan of an unfinished experiment, for those who read its parts without its config.

use crate::plan::fingerprint::{ArmId, Fingerprint};
use crate::plan::resolved::SettingsReader;
use crate::plan::round::{Round, Share};
use crate::plan::settings::Trace;
use crate::plan::shard::Shard;
use crate::plan::stopping::StoppingRule;
use crate::plan::{ArmSpec, BestType, MOST_ARMS, ResultsSpec};
use crate::problem::PluginFile;
use crate::problem::parameter::Value;
use crate::results::error::ResultsError;
use crate::results::schema::gene_runs::{GeneRun, gene_runs, give_genes};
use crate::results::schema::table_schema::TableSchema;
use crate::system::regular;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// Texts around the checksum and the plan.
const HEAD: &str = "{\"seal\":\"";
const MIDDLE: &str = "\",\"plan\":";
const TAIL: &str = "}";

#[derive(Serialize, Deserialize)]
pub(crate) struct PlanFile {
    experiment: String,
    /// Trials per arm.
    pub repeats: u64,
    trace: String,
    reals: bool,
    #[serde(default)]
    violations: bool,
    swept_keys: Vec<String>,
    arms: Vec<PlanArm>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    genes: Vec<GeneRun>,
    /// The question that ends the trials; missing in plans of runners that did not note it.
    #[serde(rename = "enough", default)]
    stopping_rule: Option<StoppingRule>,
    /// Further data for readers of the journal and for merging shards.
    pub origin: PlanOrigin,
}

/// Origin of the trials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlanOrigin {
    pub seed: u64,
    /// One fingerprint per arm, in hex.
    pub fingerprints: Vec<String>,
    pub plugin: PluginFile,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operator_plugins: Vec<PluginFile>,
    pub runner_version: String,
    /// BLAKE3 of each library whose trials the folder may hold: another's are not mixed in unasked.
    pub plugins: BTreeSet<String>,
    /// `None` if the folder is to have all trials.
    pub shard: Option<Shard>,
    /// `None` if the shard, if any, is one of all trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<Round>,
}

impl PlanOrigin {
    /// Names the build of the plugins that the run had, in hex.
    pub(crate) fn build(&self) -> String {
        PluginFile::build(&self.plugin, &self.operator_plugins)
    }
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
    /// Bits of a real number, because JSON has no infinity.
    Real(u64),
    Boolean(bool),
    Text(String),
}

impl PlanFile {
    pub(crate) fn new(
        spec: &ResultsSpec,
        share: Option<&Share>,
        plugins: BTreeSet<String>,
    ) -> Self {
        let origin = PlanOrigin {
            seed: spec.seed,
            fingerprints: spec
                .fingerprints
                .iter()
                .map(|fingerprint| fingerprint.to_hex())
                .collect(),
            plugin: spec.plugin.clone(),
            operator_plugins: spec.operator_plugins.clone(),
            runner_version: env!("CARGO_PKG_VERSION").to_owned(),
            plugins,
            shard: share.map(|share| share.shard),
            round: share.and_then(|share| share.round.clone()),
        };
        let value = |value: &Value| match value {
            Value::Integer(value) => PlanValue::Integer(*value),
            Value::Real(value) => PlanValue::Real(value.to_bits()),
            Value::Boolean(value) => PlanValue::Boolean(*value),
            Value::Text(value) => PlanValue::Text(value.to_string()),
            Value::File(file) => PlanValue::Text(file.to_string()),
        };
        let arm = |arm: &ArmSpec| PlanArm {
            id: arm.id.to_string(),
            label: arm.label.clone(),
            problem: arm.problem.clone(),
            operators: arm.operators.clone(),
            swept: arm.swept.iter().map(|swept| swept.as_ref().map(value)).collect(),
            settings: arm.settings.to_toml(),
            baseline: arm.baseline.map(|id| id.to_string()),
        };
        PlanFile {
            experiment: spec.experiment.clone(),
            repeats: spec.repeats,
            trace: spec.trace.as_str().to_owned(),
            reals: spec.best == BestType::Reals,
            violations: spec.violations,
            swept_keys: spec.swept_keys.clone(),
            arms: spec.arms.iter().map(arm).collect(),
            genes: gene_runs(&spec.arms),
            stopping_rule: spec.stopping_rule.clone(),
            origin,
        }
    }

    /// Returns the spec that the plan was made of; `None` if no runner makes such a plan.
    pub(crate) fn spec(&self) -> Option<ResultsSpec> {
        let TableSchema { experiment, stopping_rule, trace, best, swept_keys, arms, .. } =
            self.schema()?;
        let PlanOrigin { seed, fingerprints, plugin, operator_plugins, .. } = self.origin.clone();
        let fingerprints: Vec<Fingerprint> = fingerprints
            .iter()
            .map(|digits| Fingerprint::from_hex(digits))
            .collect::<Option<_>>()?;
        if fingerprints.len() != arms.len() {
            return None;
        }
        Some(ResultsSpec {
            experiment,
            seed,
            repeats: self.repeats,
            limits: None,
            stopping_rule,
            trace,
            best,
            violations: self.violations,
            swept_keys,
            arms,
            fingerprints,
            plugin,
            operator_plugins,
        })
    }

    /// Returns the plan, after the checksum of its text.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        let plan = serde_json::to_string(self).expect("a plan of strings and integers is JSON");
        format!("{HEAD}{}{MIDDLE}{plan}{TAIL}", blake3::hash(plan.as_bytes())).into_bytes()
    }

    /// Reads the plan at `path`; `None` if there is no such file.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, ResultsError> {
        let bytes = match regular::read(path, regular::MOST_OF_DATA) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ResultsError::reading(path, "read the file")(error)),
        };
        let unreadable = |message: &str| ResultsError::Unreadable {
            path: path.to_owned(),
            message: message.to_owned(),
        };
        Self::from_json(&bytes).map(Some).map_err(unreadable)
    }

    fn from_json(bytes: &[u8]) -> Result<Self, &'static str> {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let inner = text.strip_prefix(HEAD).and_then(|text| text.strip_suffix(TAIL));
        let (checksum, plan) = inner
            .and_then(|text| text.split_once(MIDDLE))
            .ok_or("it is not a plan written by this version of the runner")?;
        if blake3::hash(plan.as_bytes()).to_string() != checksum {
            return Err("it was changed or damaged after a run wrote it");
        }
        let plan: Self = serde_json::from_str(plan)
            .map_err(|_| "it is not a plan written by this version of the runner")?;
        if plan.arms.len() > MOST_ARMS {
            return Err("it has more arms than an experiment may have");
        }
        let PlanOrigin { shard, round, .. } = &plan.origin;
        let fits = shard.is_none_or(Shard::exists)
            && round.as_ref().is_none_or(|round| round.fits(plan.arms.len(), plan.repeats));
        if !fits || plan.schema().is_none() {
            Err("it is not a plan written by this version of the runner")
        } else {
            Ok(plan)
        }
    }

    pub(crate) fn schema(&self) -> Option<TableSchema> {
        let value = |value: &PlanValue| match value {
            PlanValue::Integer(value) => Value::Integer(*value),
            PlanValue::Real(bits) => Value::Real(f64::from_bits(*bits)),
            PlanValue::Boolean(value) => Value::Boolean(*value),
            PlanValue::Text(value) => Value::Text(value.clone().into()),
        };
        let mut settings = SettingsReader::default();
        let arm = |arm: &PlanArm| {
            Some(ArmSpec {
                id: ArmId::from_hex(&arm.id)?,
                label: arm.label.clone(),
                problem: arm.problem.clone(),
                operators: arm.operators.clone(),
                swept: arm.swept.iter().map(|swept| swept.as_ref().map(value)).collect(),
                settings: settings.read(&arm.settings)?,
                baseline: arm.baseline.as_deref().and_then(ArmId::from_hex),
                genes: None,
            })
        };
        let mut arms = self.arms.iter().map(arm).collect::<Option<Vec<ArmSpec>>>()?;
        if arms.iter().any(|arm| arm.swept.len() != self.swept_keys.len()) {
            return None;
        }
        give_genes(&self.genes, &mut arms);
        let trace = Trace::parse(&self.trace)?;
        let best = if self.reals { BestType::Reals } else { BestType::Integers };
        let schema =
            TableSchema::new(self.experiment.clone(), trace, best, self.swept_keys.clone(), arms);
        Some(schema.ended_by(self.stopping_rule.clone()).constrained(self.violations))
    }
}
