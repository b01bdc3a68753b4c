//! The plan: an experiment's arms with their problem instances, fingerprints and trials.

mod arm_key;
mod arm_patterns;
mod arms;
pub mod budget;
mod cost;
mod find_arm;
pub mod fingerprint;
pub mod resolved;
pub mod round;
mod sections;
pub mod seed;
pub mod settings;
pub mod shard;
mod spec;

pub mod stopping;

use crate::plan::resolved::Settings;
use crate::plan::seed::{Seeds, trial_seed};
use crate::plan::settings::{ArmSettings, ENGINE_REVISION, Source, Trace};
use crate::plan::stopping::StoppingRule;
use crate::problem::parameter::Value;
use crate::problem::{DataFile, Library, Problem};
use crate::search::Guidance;
use crate::search::start::GivenGenomes;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

pub use arm_key::{ArmKey, listed};
pub use arm_patterns::ArmPatterns;
pub use arms::{ArmDraft, Arms, DuplicateArms, NoArms, fingerprints};
pub use cost::{Cost, CostRace, Limit, NoCost};
pub use find_arm::find_arm;
pub use fingerprint::{ArmId, Fingerprint};
pub use spec::swept_text;
pub use spec::{ArmSpec, BestType, ResultsSpec};

/// Maximum number of arms of an experiment. A larger number is most likely a typing error. Tables,
/// reports and plans of that size take gigabytes of memory.
pub const MOST_ARMS: usize = 100_000;

/// One arm, ready to run.
#[derive(Debug)]
pub struct Arm {
    /// Index in the plan, from 0.
    pub index: usize,
    /// Readable label, unique within the plan. It consists of the operator set's name and the swept
    /// values, such as "tournament problem.n=8".
    pub label: String,
    /// Hash of all settings that affect the results of its trials.
    pub fingerprint: Fingerprint,
    /// Settings that its trials run with.
    pub settings: ArmSettings,
    /// Instance of the plugin with the arm's parameters.
    pub problem: Arc<Problem>,
    /// Settings with every default written out, as tables show them.
    pub resolved: Settings,
    /// Index of the random search that the arm is compared with; `None` if there is none.
    pub baseline: Option<usize>,
    /// Fingerprint of the problem alone, from which the initial populations of paired trials
    /// derive. `None` if the trials are not paired.
    start: Option<Fingerprint>,
}

impl Arm {
    /// Returns the start of the arm's fingerprint, which tables and commands show.
    #[must_use]
    pub fn id(&self) -> ArmId {
        self.fingerprint.id()
    }

    /// Returns whether all trials are the same, whatever their seeds: the search goes through the
    /// genomes in a fixed order, and evaluations have no noise.
    #[must_use]
    pub fn is_deterministic(&self) -> bool {
        let guidance = self.settings.operators.algorithm.guidance();
        guidance == Guidance::Order && !self.problem.description().is_noisy()
    }

    /// Returns the seeds of a trial.
    #[must_use]
    pub fn seeds(&self, experiment_seed: u64, trial: u64) -> Seeds {
        let of = |fingerprint| trial_seed(experiment_seed, fingerprint, trial);
        Seeds { trial: of(self.fingerprint), start: self.start.map(of), number: trial }
    }
}

/// All arms, trials and plugins of one experiment file.
#[derive(Debug)]
pub struct Plan {
    /// Name of the experiment, and of its folder under the results directory.
    pub name: String,
    /// Seed from which the seeds of all trials derive.
    pub seed: u64,
    /// Number of trials per arm, at least 1; the maximum if there is a stopping rule.
    pub repeats: u64,
    /// Rule that ends the trials before `repeats` are run; `None` if there is none.
    pub stopping_rule: Option<StoppingRule>,
    /// Content of the generations table.
    pub trace: Trace,
    /// Number of seconds between two checkpoints of a running trial; 0 for no checkpoints. It
    /// affects no result.
    pub checkpoint: f64,
    /// Keys of `[sweep]` in the order of the file, such as `problem.n`. Each key has a column in
    /// the tables.
    pub swept_keys: Vec<String>,
    /// Arms in the order of the file. Operator sets are outermost, then the sweep's combinations,
    /// the last key fastest. The baselines come last. No two arms have the same fingerprint or
    /// label.
    pub arms: Arms,
    /// Number of arms of the config that are left out because an earlier sweep produces the same
    /// arm.
    pub repeated: usize,
    /// Samples that sweeps take of their combinations, in words.
    pub samples: Vec<String>,
    /// Plugin of the problem.
    pub library: Arc<Library>,
    /// Plugins of operators that operator sets name, in the order of the config.
    pub operator_libraries: Vec<OperatorLibrary>,
    /// Files of data that parameters name, by their names in the config.
    pub data_files: Vec<DataFile>,
    /// Config that the plan was made from.
    pub source: Source,
}

impl Plan {
    /// Returns a hash that two processes compare before they work on one plan.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.seed.to_le_bytes());
        hasher.update(self.library.file_hash().as_bytes());
        for one in &self.operator_libraries {
            hasher.update(one.library.file_hash().as_bytes());
        }
        hasher.update(self.trace.as_str().as_bytes());
        self.arms.iter().for_each(|arm| _ = hasher.update(&arm.fingerprint.0));
        *hasher.finalize().as_bytes()
    }

    /// Returns an identifier of 16 hex digits for the whole run. It covers experiment, arms,
    /// trials, stopping rule, and the builds of runner and plugins. Two processes with the same
    /// identifier run the same trials into the same tables.
    #[must_use]
    pub fn identity(&self) -> String {
        let spec = ResultsSpec::from(self);
        let mut hasher = blake3::Hasher::new();
        hasher.update(spec.digest().as_bytes());
        hasher.update(spec.build().as_bytes());
        hasher.update(&self.repeats.to_le_bytes());
        if let Some(rule) = &self.stopping_rule {
            hasher.update(serde_json::to_string(rule).unwrap_or_default().as_bytes());
        }
        hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

/// Plugin whose operators an experiment uses.
#[derive(Clone, Debug)]
pub struct OperatorLibrary {
    /// Name or path of the plugin, as given in the config.
    pub named: String,
    /// Library of the plugin.
    pub library: Arc<Library>,
}

impl Plan {
    /// Returns the time between two checkpoints of a running trial; `None` without checkpoints.
    #[must_use]
    pub fn checkpoint_interval(&self) -> Option<Duration> {
        (self.checkpoint > 0.0).then(|| Duration::from_secs_f64(self.checkpoint))
    }

    /// Returns the genomes that trials begin with; `None` if the config gives none.
    #[must_use]
    pub fn given_genomes(&self) -> Option<&Arc<GivenGenomes>> {
        self.arms.iter().find_map(|arm| Some(&arm.settings.start.as_ref()?.genomes))
    }

    /// Returns the number of trials of all arms; the maximum if there is a stopping rule.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.repeats * self.arms.len() as u64
    }
}

/// Returns the label of an arm, such as "tournament problem.n=8". It consists of the operator set's
/// name, then the swept keys with their values.
pub fn label(settings: &ArmSettings, swept_keys: &[String]) -> String {
    let mut label = settings.operators.name.clone();
    for (key, value) in swept_keys.iter().zip(&settings.swept) {
        // Writing to a String cannot fail.
        _ = match value {
            None => Ok(()),
            Some(Value::Text(text)) => write!(label, " {key}={text}"),
            Some(other) => write!(label, " {key}={other}"),
        };
    }
    label
}

/// Returns the BLAKE3 hash of an arm. The input is the text of these pieces, a zero byte, the
/// plugin's name, and a zero byte. Then follow the plugin's version, a zero byte, the engine's
/// revision, and that of the algorithm unless it is 0 (u32, little endian). Trial seeds derive from
/// the hash, so a test freezes it.
fn fingerprint(pieces: &[&str], library: &Library, revision: u32) -> Fingerprint {
    let mut hasher = blake3::Hasher::new();
    pieces.iter().for_each(|piece| _ = hasher.update(piece.as_bytes()));
    hasher.update(&[0]);
    for part in [library.name(), library.version()] {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    hasher.update(&ENGINE_REVISION.to_le_bytes());
    if revision > 0 {
        hasher.update(&revision.to_le_bytes());
    }
    Fingerprint(*hasher.finalize().as_bytes())
}
