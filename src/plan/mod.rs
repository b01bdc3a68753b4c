//! The plan: an experiment's arms with their problem instances and fingerprints, and the trials of
//! each.

mod find_arm;
pub mod fingerprint;
pub mod seed;
pub mod settings;
pub mod shard;
mod spec;
pub mod stopping;

use crate::operators::values::Resolved;
use crate::operators::{Algorithm, Evolutionary, OperatorSet};
use crate::plan::seed::{Seeds, trial_seed};
use crate::plan::settings::{
    ArmSettings, ENGINE_REVISION, OnSuccess, Pairing, Source, Stop, Trace,
};
use crate::plan::stopping::StoppingRule;
use crate::problem::parameter::Value;
use crate::problem::{Library, Problem};
use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::Arc;

pub use find_arm::{ArmName, NoSuchArm, find_arm};
pub use fingerprint::{ArmId, Fingerprint};
pub use spec::{ArmSpec, BestType, ResultsSpec, swept_text};

/// One arm, ready to run.
#[derive(Debug)]
pub struct Arm {
    /// Place in the plan, from 0.
    pub index: usize,
    /// Readable and unique within the plan: the operator set's name, then the swept values
    /// ("tournament problem.n=8").
    pub label: String,
    pub fingerprint: Fingerprint,
    pub settings: ArmSettings,
    pub problem: Arc<Problem>,
    text: ArmText,
    /// Place of the random search that the arm is measured against.
    pub baseline: Option<usize>,
    /// What the initial populations of paired trials follow from: the problem alone. None: they are
    /// not paired.
    start: Option<Fingerprint>,
}

impl Arm {
    #[must_use]
    pub fn id(&self) -> ArmId {
        self.fingerprint.id()
    }

    /// The resolved arm as TOML, every default written out.
    #[must_use]
    pub fn toml(&self) -> String {
        let name = format!("name = {}\n", Value::Text(self.settings.operators.name.clone().into()));
        self.text.pieces(&name, &stop_text(&self.settings.stop)).concat()
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
    pub stopping_rule: Option<StoppingRule>,
    pub trace: Trace,
    /// Keys of `[sweep]` in the order of the file, for example `problem.n`; a column each in the
    /// tables.
    pub swept_keys: Vec<String>,
    /// In the order of the file: operator sets outermost, then the sweep's combinations, the last
    /// key fastest; then the baselines. No two have the same fingerprint or label.
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
        hasher.update(self.trace.as_str().as_bytes());
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
    ) -> Result<Plan, Vec<Twins>> {
        let mut seen: HashMap<Fingerprint, usize> = HashMap::with_capacity(drafts.len());
        let mut arms: Vec<Arm> = Vec::with_capacity(drafts.len());
        let mut twins = Vec::new();
        let mut texts = Texts::of(library.name(), pairing);
        for (index, Draft { settings, problem, baseline }) in drafts.into_iter().enumerate() {
            let label = label(&settings, &swept_keys);
            let text = texts.arm(&settings);
            let fingerprint = fingerprint(
                &text.pieces("", &stop_text(&settings.stop)),
                library.name(),
                library.version(),
            );
            let first = *seen.entry(fingerprint).or_insert(index);
            if first != index {
                let (first_label, second_label) = (arms[first].label.clone(), label.clone());
                twins.push(Twins { first, second: index, first_label, second_label });
            }
            let start = (pairing == Pairing::Common)
                .then(|| self::fingerprint(&[&text.problem], library.name(), library.version()));
            arms.push(Arm { index, label, fingerprint, settings, problem, text, baseline, start });
        }
        if !twins.is_empty() {
            return Err(twins);
        }
        Ok(Plan {
            name,
            seed,
            repeats,
            stopping_rule: None,
            trace,
            swept_keys,
            arms,
            library,
            source,
        })
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

/// What arms of one plan share of their texts as configs: tables are written once, however many
/// arms have them.
#[derive(Clone, Debug)]
struct ArmText {
    pairing: Pairing,
    problem: Arc<str>,
    operators: Arc<str>,
}

const HEADER: &str = "\n[[operators]]\n";

impl ArmText {
    /// The arm as a config, every default written out, in pieces: without `name`, which changes no
    /// trial, what the fingerprint covers.
    fn pieces<'a>(&'a self, name: &'a str, stop: &'a str) -> [&'a str; 6] {
        let pairing = if self.pairing == Pairing::Common { "pairing = \"common\"\n\n" } else { "" };
        [pairing, &self.problem, HEADER, name, &self.operators, stop]
    }
}

/// Writes arms as configs.
struct Texts {
    plugin: Value,
    pairing: Pairing,
    /// By the address of what they are the text of, which the plan's arms keep alive.
    problems: HashMap<usize, Arc<str>>,
    operators: HashMap<usize, Arc<str>>,
}

impl Texts {
    fn of(plugin: &str, pairing: Pairing) -> Self {
        Texts {
            plugin: Value::Text(plugin.to_string().into()),
            pairing,
            problems: HashMap::new(),
            operators: HashMap::new(),
        }
    }

    fn arm(&mut self, settings: &ArmSettings) -> ArmText {
        let place = Arc::as_ptr(&settings.parameters).addr();
        let problem = match self.problems.get(&place) {
            Some(text) => Arc::clone(text),
            None => {
                let text: Arc<str> = self.problem(&settings.parameters).into();
                Arc::clone(self.problems.entry(place).or_insert(text))
            }
        };
        let place = Arc::as_ptr(&settings.operators).addr();
        let operators = self
            .operators
            .entry(place)
            .or_insert_with(|| operators_text(&settings.operators).into());
        ArmText { pairing: self.pairing, problem, operators: Arc::clone(operators) }
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
    if !matches!(operators.algorithm, Algorithm::HillClimbing(_) | Algorithm::SimulatedAnnealing(_))
    {
        lines.line("population", operators.algorithm.population());
    }
    for (slot, resolved) in &operators.slots {
        lines.line(slot.as_str(), inline_table(resolved));
    }
    if let Algorithm::Evolutionary(Evolutionary { mix: Some(mix), .. }) = &operators.algorithm {
        let [clone, crossover, mutate] = [mix.clone, mix.crossover, mix.mutate].map(Value::Real);
        lines.line(
            "mix",
            format_args!("{{ clone = {clone}, crossover = {crossover}, mutate = {mutate} }}"),
        );
    }
    text
}

/// An operator as an inline table of TOML, `kind` first.
fn inline_table(Resolved { kind, values }: &Resolved) -> String {
    let mut text = format!("{{ kind = {}", Value::Text((*kind).into()));
    for (key, value) in values {
        text.push_str(&format!(", {key} = {value}"));
    }
    text.push_str(" }");
    text
}

fn stop_text(stop: &Stop) -> String {
    let mut text = String::from("\n[stop]\n");
    let mut lines = Lines(&mut text);
    lines.given("fitness", stop.target.map(Value::Real));
    lines.given("generations", stop.generations);
    lines.given("evaluations", stop.evaluations);
    lines.given("stagnation", stop.stagnation);
    lines.given("trial-seconds", stop.trial_seconds.map(Value::Real));
    let word = if stop.on_success == OnSuccess::Stop { "stop" } else { "continue" };
    lines.line("on-success", Value::Text(word.into()));
    text
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
