//! The plan: an experiment's arms with their problem instances and fingerprints, and the trials of each.

use crate::experiment::{ArmSettings, ENGINE_REVISION, OnSuccess, Source, Trace};
use crate::parameter::Value;
use crate::problem::{Library, Problem};
use std::collections::BTreeMap;
use std::sync::Arc;

pub use crate::fingerprint::{ArmId, Fingerprint};

/// One arm, ready to run.
#[derive(Debug)]
pub struct Arm {
    /// Place in the plan, from 0.
    pub index: usize,
    /// Readable and unique within the plan: the operator set's name, then the swept values ("tournament problem.n=8").
    pub label: String,
    pub fingerprint: Fingerprint,
    pub settings: ArmSettings,
    pub problem: Arc<Problem>,
    /// The resolved arm as TOML, every default written out.
    pub toml: String,
}

impl Arm {
    #[must_use]
    pub fn id(&self) -> ArmId {
        self.fingerprint.id()
    }
}

/// All that will be run for one experiment file.
#[derive(Debug)]
pub struct Plan {
    /// The experiment's name: the folder under the results directory.
    pub name: String,
    pub seed: u64,
    /// Trials an arm; at least 1.
    pub repeats: u64,
    pub trace: Trace,
    /// Keys of `[sweep]` in the order of the file, for example `problem.n`; a column each in the tables.
    pub swept_keys: Vec<String>,
    /// In the order of the file: operator sets outermost, then the sweep's combinations, the last key fastest.
    /// No two have the same fingerprint or label.
    pub arms: Vec<Arm>,
    pub library: Arc<Library>,
    pub source: Source,
}

/// An arm before it has its place, label and fingerprint.
#[derive(Clone, Debug)]
pub struct Draft {
    pub settings: ArmSettings,
    pub problem: Arc<Problem>,
}

impl Plan {
    /// Gives the arms their places, labels and fingerprints.
    ///
    /// # Errors
    /// The labels of the first two arms whose settings are the same.
    #[expect(clippy::too_many_arguments, reason = "a plan is made in one place, from exactly what it consists of")]
    pub fn new(
        name: String,
        seed: u64,
        repeats: u64,
        trace: Trace,
        swept_keys: Vec<String>,
        drafts: Vec<Draft>,
        library: Arc<Library>,
        source: Source,
    ) -> Result<Plan, (String, String)> {
        let mut seen: BTreeMap<Fingerprint, String> = BTreeMap::new();
        let mut arms = Vec::with_capacity(drafts.len());
        for (index, Draft { settings, problem }) in drafts.into_iter().enumerate() {
            let label = label(&settings, &swept_keys);
            let canonical = canonical(&settings, library.name());
            let fingerprint = fingerprint(&canonical, library.name(), library.version());
            if let Some(first) = seen.insert(fingerprint, label.clone()) {
                return Err((first, label));
            }
            let toml = readable(&settings, library.name());
            arms.push(Arm { index, label, fingerprint, settings, problem, toml });
        }
        Ok(Plan { name, seed, repeats, trace, swept_keys, arms, library, source })
    }

    /// Trials of all arms.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.repeats * self.arms.len() as u64
    }
}

/// "tournament problem.n=8": the operator set's name, then the swept keys with their values.
fn label(settings: &ArmSettings, swept_keys: &[String]) -> String {
    let mut label = settings.operators.name.clone();
    for (key, value) in swept_keys.iter().zip(&settings.swept) {
        let value = match value {
            Value::Text(text) => text.to_string(),
            other => other.to_string(),
        };
        label.push_str(&format!(" {key}={value}"));
    }
    label
}

/// The arm as a config, every default written out and nothing that changes no trial: what its fingerprint covers.
fn canonical(settings: &ArmSettings, plugin: &str) -> String {
    let mut text = format!("[problem]\nplugin = {}\n", Value::Text(plugin.to_string().into()));
    for (key, value) in &settings.parameters {
        text.push_str(&format!("{key} = {value}\n"));
    }
    let operators = &settings.operators;
    text.push_str(&format!("\n[[operators]]\npopulation = {}\n", operators.population));
    for (slot, setting) in &operators.settings {
        text.push_str(&format!("{slot} = {}\n", setting.to_toml()));
    }
    if let Some(mix) = operators.mix {
        let share = |share: f64| Value::Real(share).to_string();
        let (clone, crossover, mutate) = (share(mix.clone), share(mix.crossover), share(mix.mutate));
        text.push_str(&format!("mix = {{ clone = {clone}, crossover = {crossover}, mutate = {mutate} }}\n"));
    }
    let stop = &settings.stop;
    text.push_str("\n[stop]\n");
    let mut line = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            text.push_str(&format!("{key} = {value}\n"));
        }
    };
    line("fitness", stop.target.map(|target| Value::Real(target).to_string()));
    line("generations", stop.generations.map(|count| count.to_string()));
    line("evaluations", stop.evaluations.map(|count| count.to_string()));
    line("stagnation", stop.stagnation.map(|count| count.to_string()));
    line("trial-seconds", stop.trial_seconds.map(|seconds| Value::Real(seconds).to_string()));
    let word = if stop.on_success == OnSuccess::Stop { "stop" } else { "continue" };
    line("on-success", Some(format!("\"{word}\"")));
    text
}

/// BLAKE3 over the canonical text, a zero byte, the plugin's name, a zero byte, its version, a zero byte, and the engine's
/// revision (u32, little endian).
fn fingerprint(canonical: &str, plugin: &str, version: &str) -> Fingerprint {
    let mut hasher = blake3::Hasher::new();
    for part in [canonical, plugin, version] {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    hasher.update(&ENGINE_REVISION.to_le_bytes());
    Fingerprint(*hasher.finalize().as_bytes())
}

/// The canonical text with the operator set's name in its place.
fn readable(settings: &ArmSettings, plugin: &str) -> String {
    let name = Value::Text(settings.operators.name.clone().into());
    canonical(settings, plugin).replacen("[[operators]]\n", &format!("[[operators]]\nname = {name}\n"), 1)
}
