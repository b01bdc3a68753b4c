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
use crate::results::storage::files::read_if_there;
use crate::results::storage::metadata::Origin;
use crate::system::regular::MOST_OF_DATA;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// Texts around the checksum and the plan.
const HEAD: &str = "{\"seal\":\"";
const MIDDLE: &str = "\",\"plan\":";
const TAIL: &str = "}";

/// A plan as it was read.
#[derive(Clone)]
pub(crate) struct PlanFile {
    pub spec: ResultsSpec,
    /// `None` if the folder is to have all trials.
    pub shard: Option<Shard>,
    /// `None` if the shard, if any, is one of all trials.
    pub round: Option<Round>,
    pub runner_version: String,
    /// BLAKE3 of each library whose trials the folder may hold; others need the user's consent.
    pub plugins: BTreeSet<String>,
}

/// The plan in its file.
#[derive(Serialize, Deserialize)]
struct PlanText {
    experiment: String,
    /// Trials per arm.
    repeats: u64,
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
    origin: PlanOrigin,
}

/// Origin of the trials.
#[derive(Serialize, Deserialize)]
struct PlanOrigin {
    seed: u64,
    /// One fingerprint per arm, in hex.
    fingerprints: Vec<String>,
    plugin: PluginFile,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    operator_plugins: Vec<PluginFile>,
    runner_version: String,
    plugins: BTreeSet<String>,
    shard: Option<Shard>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    round: Option<Round>,
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

/// Returns a plan as its file has it, after the checksum of its text.
pub(crate) fn to_json(
    spec: &ResultsSpec,
    share: Option<&Share>,
    plugins: BTreeSet<String>,
) -> Vec<u8> {
    let origin = PlanOrigin {
        seed: spec.seed,
        fingerprints: spec.fingerprints.iter().map(|one| one.to_hex()).collect(),
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
    let plan = PlanText {
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
    };
    let plan = serde_json::to_string(&plan).expect("a plan of strings and integers is JSON");
    format!("{HEAD}{}{MIDDLE}{plan}{TAIL}", blake3::hash(plan.as_bytes())).into_bytes()
}

impl PlanFile {
    /// Returns whether it asks for the trials that another plan asks for.
    pub(crate) fn has_trials_of(&self, other: &PlanFile) -> bool {
        let origin = |plan: &PlanFile| Origin::new(&plan.spec, BTreeSet::new());
        (self.spec.repeats, self.shard, &self.round)
            == (other.spec.repeats, other.shard, &other.round)
            && origin(self) == origin(other)
    }

    /// Reads the plan at `path`; `None` if there is no such file.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, ResultsError> {
        let Some(bytes) = read_if_there(path, MOST_OF_DATA)? else { return Ok(None) };
        let plan = Self::from_json(&bytes);
        plan.map(Some).map_err(|message| ResultsError::unreadable(path, message))
    }

    fn from_json(bytes: &[u8]) -> Result<Self, &'static str> {
        const UNKNOWN: &str = "it is not a plan written by this version of the runner";
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let inner = text.strip_prefix(HEAD).and_then(|text| text.strip_suffix(TAIL));
        let (checksum, plan) = inner.and_then(|text| text.split_once(MIDDLE)).ok_or(UNKNOWN)?;
        if blake3::hash(plan.as_bytes()).to_string() != checksum {
            return Err("it was changed or damaged after a run wrote it");
        }
        let plan: PlanText = serde_json::from_str(plan).map_err(|_| UNKNOWN)?;
        if plan.arms.len() > MOST_ARMS {
            return Err("it has more arms than an experiment may have");
        }
        plan.known().ok_or(UNKNOWN)
    }
}

impl PlanText {
    /// Returns the plan that was written; `None` if no runner makes such a plan.
    fn known(self) -> Option<PlanFile> {
        let value = |value: PlanValue| match value {
            PlanValue::Integer(value) => Value::Integer(value),
            PlanValue::Real(bits) => Value::Real(f64::from_bits(bits)),
            PlanValue::Boolean(value) => Value::Boolean(value),
            PlanValue::Text(value) => Value::Text(value.into()),
        };
        let mut settings = SettingsReader::default();
        let arm = |arm: PlanArm| {
            Some(ArmSpec {
                id: ArmId::from_hex(&arm.id)?,
                label: arm.label,
                problem: arm.problem,
                operators: arm.operators,
                swept: arm.swept.into_iter().map(|swept| swept.map(value)).collect(),
                settings: settings.read(&arm.settings)?,
                baseline: arm.baseline.as_deref().and_then(ArmId::from_hex),
                genes: None,
            })
        };
        let mut arms = self.arms.into_iter().map(arm).collect::<Option<Vec<ArmSpec>>>()?;
        give_genes(&self.genes, &mut arms);
        let PlanOrigin { shard, round, runner_version, plugins, fingerprints, .. } = self.origin;
        let fingerprints = fingerprints.iter().map(|digits| Fingerprint::from_hex(digits));
        let fingerprints = fingerprints.collect::<Option<Vec<Fingerprint>>>()?;
        let fits = fingerprints.len() == arms.len()
            && arms.iter().all(|arm| arm.swept.len() == self.swept_keys.len())
            && shard.is_none_or(Shard::exists)
            && round.as_ref().is_none_or(|round| round.fits(arms.len(), self.repeats));
        let spec = ResultsSpec {
            experiment: self.experiment,
            seed: self.origin.seed,
            repeats: self.repeats,
            limits: None,
            stopping_rule: self.stopping_rule,
            trace: Trace::parse(&self.trace)?,
            best: if self.reals { BestType::Reals } else { BestType::Integers },
            violations: self.violations,
            swept_keys: self.swept_keys,
            arms,
            fingerprints,
            plugin: self.origin.plugin,
            operator_plugins: self.origin.operator_plugins,
        };
        fits.then_some(PlanFile { spec, shard, round, runner_version, plugins })
    }
}
