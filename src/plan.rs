//! The plan: an experiment's arms with their problem instances and fingerprints, and the trials of each.

use crate::enough::Enough;
use crate::experiment::{ArmSettings, ENGINE_REVISION, OnSuccess, Pairing, Source, Stop, Trace};
use crate::operators::{Algorithm, Evolutionary, OperatorSet};
use crate::parameter::Value;
use crate::problem::{Library, Problem};
use crate::seed::{Seeds, trial_seed};
use std::collections::BTreeMap;
use std::fmt::{self, Write};
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
    /// Place of the random search that the arm is measured against.
    pub baseline: Option<usize>,
    /// What the initial populations of paired trials follow from: the problem alone. None: they are not paired.
    start: Option<Fingerprint>,
}

impl Arm {
    #[must_use]
    pub fn id(&self) -> ArmId {
        self.fingerprint.id()
    }

    /// The seeds of a trial.
    #[must_use]
    pub fn seeds(&self, experiment_seed: u64, trial: u64) -> Seeds {
        let of = |fingerprint| trial_seed(experiment_seed, fingerprint, trial);
        Seeds { trial: of(self.fingerprint), start: self.start.map(of) }
    }
}

/// All that will be run for one experiment file.
#[derive(Debug)]
pub struct Plan {
    /// The experiment's name: the folder under the results directory.
    pub name: String,
    pub seed: u64,
    /// Trials an arm; at least 1. The most, where a question ends them.
    pub repeats: u64,
    /// What ends the trials before that.
    pub enough: Option<Enough>,
    pub trace: Trace,
    /// Keys of `[sweep]` in the order of the file, for example `problem.n`; a column each in the tables.
    pub swept_keys: Vec<String>,
    /// In the order of the file: operator sets outermost, then the sweep's combinations, the last key fastest; then the
    /// baselines.
    /// No two have the same fingerprint or label.
    pub arms: Vec<Arm>,
    pub library: Arc<Library>,
    pub source: Source,
}

impl Plan {
    /// What two processes compare before they work on one plan.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.seed.to_le_bytes());
        hasher.update(self.library.file_hash().as_bytes());
        hasher.update(self.trace.word().as_bytes());
        self.arms.iter().for_each(|arm| _ = hasher.update(&arm.fingerprint.0));
        *hasher.finalize().as_bytes()
    }
}

/// An arm before it has its place, label and fingerprint.
#[derive(Clone, Debug)]
pub struct Draft {
    pub settings: ArmSettings,
    pub problem: Arc<Problem>,
    /// Place of its baseline among the drafts.
    pub baseline: Option<usize>,
}

/// Two arms of the same settings, by their places and labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twins {
    pub first: usize,
    pub second: usize,
    pub first_label: String,
    pub second_label: String,
}

impl Plan {
    /// Gives the arms their places, labels and fingerprints.
    ///
    /// # Errors
    /// Every arm whose settings are the same as those of one before it.
    #[expect(clippy::too_many_arguments, reason = "a plan is made in one place, from exactly what it consists of")]
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
    ) -> Result<Plan, Vec<Twins>> {
        let mut seen: BTreeMap<Fingerprint, usize> = BTreeMap::new();
        let mut arms: Vec<Arm> = Vec::with_capacity(drafts.len());
        let mut twins = Vec::new();
        let mut texts = Texts::of(library.name(), pairing);
        for (index, Draft { settings, problem, baseline }) in drafts.into_iter().enumerate() {
            let label = label(&settings, &swept_keys);
            let text = texts.arm(&settings);
            let fingerprint = fingerprint(&text.canonical, library.name(), library.version());
            if let Some(first) = seen.get(&fingerprint).copied() {
                let (first_label, second_label) = (arms[first].label.clone(), label.clone());
                twins.push(Twins { first, second: index, first_label, second_label });
            }
            seen.entry(fingerprint).or_insert(index);
            let toml = text.named(&settings.operators.name);
            let start = (pairing == Pairing::Common)
                .then(|| self::fingerprint(&texts.problem, library.name(), library.version()));
            arms.push(Arm { index, label, fingerprint, settings, problem, toml, baseline, start });
        }
        if !twins.is_empty() {
            return Err(twins);
        }
        Ok(Plan { name, seed, repeats, enough: None, trace, swept_keys, arms, library, source })
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
        let value = match value {
            None => continue,
            Some(Value::Text(text)) => text.to_string(),
            Some(other) => other.to_string(),
        };
        label.push_str(&format!(" {key}={value}"));
    }
    label
}

/// An arm as a config, every default written out.
struct ArmText {
    /// Without the operator set's name, which changes no trial: what the fingerprint covers.
    canonical: String,
    /// Where that name goes.
    name_at: usize,
}

/// Writes arms as configs. Neighbours share most of their settings: a table that is the same as before is not written
/// anew.
struct Texts {
    plugin: Value,
    pairing: Pairing,
    parameters: Vec<(String, Value)>,
    problem: String,
    operators: Option<OperatorSet>,
    operators_text: String,
}

impl Texts {
    fn of(plugin: &str, pairing: Pairing) -> Self {
        Texts {
            plugin: Value::Text(plugin.to_string().into()),
            pairing,
            parameters: Vec::new(),
            problem: String::new(),
            operators: None,
            operators_text: String::new(),
        }
    }

    fn arm(&mut self, settings: &ArmSettings) -> ArmText {
        if self.problem.is_empty() || self.parameters != settings.parameters {
            self.problem = self.problem(&settings.parameters);
            self.parameters.clone_from(&settings.parameters);
        }
        if self.operators.as_ref() != Some(&settings.operators) {
            self.operators_text = operators_text(&settings.operators);
            self.operators = Some(settings.operators.clone());
        }
        const HEADER: &str = "\n[[operators]]\n";
        let mut text = String::with_capacity(self.problem.len() + self.operators_text.len() + 200);
        if self.pairing == Pairing::Common {
            text.push_str("pairing = \"common\"\n\n");
        }
        text.push_str(&self.problem);
        text.push_str(HEADER);
        let name_at = text.len();
        text.push_str(&self.operators_text);
        write_stop(&settings.stop, &mut Lines(&mut text));
        ArmText { canonical: text, name_at }
    }

    fn problem(&self, parameters: &[(String, Value)]) -> String {
        let mut text = String::from("[problem]\n");
        let mut lines = Lines(&mut text);
        lines.line("plugin", &self.plugin);
        for (key, value) in parameters {
            lines.line(key, value);
        }
        text
    }
}

/// The table's lines, without header and name.
fn operators_text(operators: &OperatorSet) -> String {
    let mut text = String::new();
    let mut lines = Lines(&mut text);
    if !matches!(operators.algorithm, Algorithm::HillClimbing(_) | Algorithm::SimulatedAnnealing(_)) {
        lines.line("population", operators.algorithm.population());
    }
    for (slot, setting) in &operators.settings {
        lines.line(slot, setting.to_toml());
    }
    if let Algorithm::Evolutionary(Evolutionary { mix: Some(mix), .. }) = &operators.algorithm {
        let [clone, crossover, mutate] = [mix.clone, mix.crossover, mix.mutate].map(Value::Real);
        lines.line("mix", format_args!("{{ clone = {clone}, crossover = {crossover}, mutate = {mutate} }}"));
    }
    text
}

fn write_stop(stop: &Stop, lines: &mut Lines<'_>) {
    lines.0.push_str("\n[stop]\n");
    lines.given("fitness", stop.target.map(Value::Real));
    lines.given("generations", stop.generations);
    lines.given("evaluations", stop.evaluations);
    lines.given("stagnation", stop.stagnation);
    lines.given("trial-seconds", stop.trial_seconds.map(Value::Real));
    let word = if stop.on_success == OnSuccess::Stop { "stop" } else { "continue" };
    lines.line("on-success", Value::Text(word.into()));
}

impl ArmText {
    /// The text with the operator set's name in its place.
    fn named(self, name: &str) -> String {
        let mut text = self.canonical;
        text.insert_str(self.name_at, &format!("name = {}\n", Value::Text(name.to_string().into())));
        text
    }
}

/// Lines of TOML.
struct Lines<'text>(&'text mut String);

impl Lines<'_> {
    fn line(&mut self, key: &str, value: impl fmt::Display) {
        writeln!(self.0, "{key} = {value}").expect("a String takes all that is written to it");
    }

    fn given(&mut self, key: &str, value: Option<impl fmt::Display>) {
        if let Some(value) = value {
            self.line(key, value);
        }
    }
}

/// BLAKE3 over the canonical text, a zero byte, the plugin's name, a zero byte, its version, a zero byte, and the engine's
/// revision (u32, little endian). Trial seeds follow from it, so a test freezes it.
fn fingerprint(canonical: &str, plugin: &str, version: &str) -> Fingerprint {
    let mut hasher = blake3::Hasher::new();
    for part in [canonical, plugin, version] {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    hasher.update(&ENGINE_REVISION.to_le_bytes());
    Fingerprint(*hasher.finalize().as_bytes())
}
