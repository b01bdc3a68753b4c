//! The plan: an experiment's arms with their problem instances and fingerprints, and the trials of
//! each.

mod arm_patterns;
mod arms;
pub mod budget;
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
use crate::plan::sections::Sections;
use crate::plan::seed::{Seeds, trial_seed};
use crate::plan::settings::{ArmSettings, ENGINE_REVISION, Pairing, Source, Trace};
use crate::plan::stopping::StoppingRule;
use crate::problem::parameter::Value;
use crate::problem::{Library, Problem};
use crate::search::start::GivenGenomes;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

pub use arm_patterns::ArmPatterns;
pub use arms::Arms;
pub use find_arm::{ArmKey, find_arm, listed};
pub use fingerprint::{ArmId, Fingerprint};
pub use spec::swept_text;
pub use spec::{ArmSpec, BestType, ResultsSpec};

/// Maximum number of arms of an experiment. More of them are a slip of the keyboard, and tables,
/// reports and plans of that size take gigabytes of memory.
pub const MOST_ARMS: usize = 100_000;

/// One arm, ready to run.
#[derive(Debug)]
pub struct Arm {
    /// Place in the plan, from 0.
    pub index: usize,
    /// Readable and unique within the plan: the operator set's name, then the swept values
    /// ("tournament problem.n=8").
    pub label: String,
    /// Of everything that decides the results of its trials.
    pub fingerprint: Fingerprint,
    /// What its trials run with.
    pub settings: ArmSettings,
    /// An instance of the plugin, with the arm's parameters.
    pub problem: Arc<Problem>,
    /// The same with every default written out: what tables show.
    pub resolved: Settings,
    /// Place of the random search that the arm is measured against.
    pub baseline: Option<usize>,
    /// What the initial populations of paired trials follow from: the problem alone. None: they are
    /// not paired.
    start: Option<Fingerprint>,
}

impl Arm {
    /// The start of its fingerprint, which tables and commands show.
    #[must_use]
    pub fn id(&self) -> ArmId {
        self.fingerprint.id()
    }

    /// The seeds of a trial.
    #[must_use]
    pub fn seeds(&self, experiment_seed: u64, trial: u64) -> Seeds {
        let of = |fingerprint| trial_seed(experiment_seed, fingerprint, trial);
        Seeds { trial: of(self.fingerprint), start: self.start.map(of), number: trial }
    }
}

/// All that will be run for one experiment file.
#[derive(Debug)]
pub struct Plan {
    /// The experiment's name: the folder under the results directory.
    pub name: String,
    /// From which the seeds of all trials derive.
    pub seed: u64,
    /// Trials per arm; at least 1. The maximum, with a stopping rule.
    pub repeats: u64,
    /// What ends the trials before that.
    pub stopping_rule: Option<StoppingRule>,
    /// What the generations table holds.
    pub trace: Trace,
    /// Keys of `[sweep]` in the order of the file, for example `problem.n`; a column each in the
    /// tables.
    pub swept_keys: Vec<String>,
    /// In the order of the file: operator sets outermost, then the sweep's combinations, the last
    /// key fastest; then the baselines. No two have the same fingerprint or label.
    pub arms: Arms,
    /// How many arms of the config are left out because an earlier sweep of it makes the same.
    pub repeated: usize,
    /// The plugin.
    pub library: Arc<Library>,
    /// Those of operators that operator sets name, in the order of the config.
    pub operator_libraries: Vec<OperatorLibrary>,
    /// The config that the plan was made from.
    pub source: Source,
}

impl Plan {
    /// What two processes compare before they work on one plan.
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

    /// Names what a run comes to: experiment, arms, trials, stopping rule, and the builds of runner
    /// and plugins. Two processes with the same run the same trials into the same tables. 16 hex
    /// digits.
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

/// A plugin whose operators an experiment uses.
#[derive(Clone, Debug)]
pub struct OperatorLibrary {
    /// Its name or path, as the config has it.
    pub named: String,
    /// The plugin.
    pub library: Arc<Library>,
}

/// An arm before it has its place, label and fingerprint.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What its trials run with.
    pub settings: ArmSettings,
    /// An instance of the plugin, with the arm's parameters.
    pub problem: Arc<Problem>,
    /// Place of its baseline among the drafts.
    pub baseline: Option<usize>,
}

/// Two arms of the same settings, by their places and labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twins {
    /// Place of the first among the drafts.
    pub first: usize,
    /// Place of the second among the drafts.
    pub second: usize,
    /// Label of the first.
    pub first_label: String,
    /// Label of the second.
    pub second_label: String,
}

/// Why drafts make no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPlan {
    /// There are none.
    NoArms,
    /// Some have the same settings as one before them: the first of these, and the others.
    Twins(Twins, Vec<Twins>),
}

/// The fingerprint of each arm: those that have the same run the same trials.
#[must_use]
pub fn fingerprints(drafts: &[Draft], library: &Library, pairing: Pairing) -> Vec<Fingerprint> {
    let mut sections = Sections::of(library.name(), pairing);
    let of = |draft: &Draft| {
        let in_full = sections.arm(&draft.settings);
        fingerprint(&in_full.fingerprinted(), library.name(), library.version())
    };
    drafts.iter().map(of).collect()
}

impl Plan {
    /// Gives the arms their places, labels and fingerprints.
    ///
    /// # Errors
    /// If there are none, or some have the same settings.
    #[expect(
        clippy::too_many_arguments,
        reason = "a plan is made in one place, from exactly what it consists of"
    )]
    pub fn new(
        name: String,
        seed: u64,
        repeats: u64,
        trace: Trace,
        pairing: Pairing,
        swept_keys: Vec<String>,
        drafts: Vec<Draft>,
        library: Arc<Library>,
        source: Source,
    ) -> Result<Plan, NoPlan> {
        let mut seen: HashMap<Fingerprint, usize> = HashMap::with_capacity(drafts.len());
        let mut arms: Vec<Arm> = Vec::with_capacity(drafts.len());
        let mut twins = Vec::new();
        let mut sections = Sections::of(library.name(), pairing);
        for (index, Draft { settings, problem, baseline }) in drafts.into_iter().enumerate() {
            let label = label(&settings, &swept_keys);
            let in_full = sections.arm(&settings);
            let of = |pieces: &[&str]| fingerprint(pieces, library.name(), library.version());
            let fingerprint = of(&in_full.fingerprinted());
            let first = *seen.entry(fingerprint).or_insert(index);
            if first != index {
                let (first_label, second_label) = (arms[first].label.clone(), label.clone());
                twins.push(Twins { first, second: index, first_label, second_label });
            }
            let start = (pairing == Pairing::Common).then(|| of(&in_full.problem()));
            let resolved = in_full.settings;
            arms.push(Arm {
                index,
                label,
                fingerprint,
                settings,
                resolved,
                problem,
                baseline,
                start,
            });
        }
        let mut twins = twins.into_iter();
        if let Some(first) = twins.next() {
            return Err(NoPlan::Twins(first, twins.collect()));
        }
        let arms = Arms::new(arms).ok_or(NoPlan::NoArms)?;
        Ok(Plan {
            name,
            seed,
            repeats,
            stopping_rule: None,
            trace,
            swept_keys,
            arms,
            repeated: 0,
            library,
            operator_libraries: Vec::new(),
            source,
        })
    }

    /// The genomes that trials begin with, where the config gives some.
    #[must_use]
    pub fn given_genomes(&self) -> Option<&Arc<GivenGenomes>> {
        self.arms.iter().find_map(|arm| Some(&arm.settings.start.as_ref()?.genomes))
    }

    /// Trials of all arms, or the most.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.repeats * self.arms.len() as u64
    }
}

/// "tournament problem.n=8": the operator set's name, then the swept keys with their values.
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

/// BLAKE3 over the text of these pieces, a zero byte, the plugin's name, a zero byte, its version,
/// a zero byte, and the engine's revision (u32, little endian). Trial seeds follow from it, so a
/// test freezes it.
fn fingerprint(pieces: &[&str], plugin: &str, version: &str) -> Fingerprint {
    let mut hasher = blake3::Hasher::new();
    pieces.iter().for_each(|piece| _ = hasher.update(piece.as_bytes()));
    hasher.update(&[0]);
    for part in [plugin, version] {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    hasher.update(&ENGINE_REVISION.to_le_bytes());
    Fingerprint(*hasher.finalize().as_bytes())
}
