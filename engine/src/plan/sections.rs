//! Sections: the complete settings of a plan's arms. Parts that several arms share are made once.

use super::budget::without_budget;
use super::resolved::{Settings, pieces, problem_pieces};
use super::settings::{ArmSettings, OnSuccess, Pairing, Stop};
use crate::problem::parameter::Value;
use crate::problem::section::{Key, Section};
use crate::search::Start;
use std::collections::HashMap;
use std::iter;
use std::sync::Arc;

/// Section and its text.
struct Written {
    section: Arc<Section>,
    text: Arc<str>,
}

impl From<Section> for Written {
    fn from(section: Section) -> Self {
        Written { text: section.to_string().into(), section: section.into() }
    }
}

/// Builder of the settings of a plan's arms, with caches of shared parts.
pub(super) struct Sections<'plan> {
    plugin: &'plan str,
    pairing: Pairing,
    /// Problem sections by the address of their parameters, which the plan's arms keep alive.
    problems: HashMap<usize, Written>,
    /// Texts of operator sets by the address of the set, which the plan's arms keep alive.
    operators: HashMap<usize, Arc<str>>,
    names: HashMap<String, Arc<str>>,
    /// Stop sections by their texts.
    stops: HashMap<Arc<str>, Arc<Section>>,
    /// Start sections by the number of given genomes. The genomes are the same for all arms.
    starts: HashMap<usize, Arc<Section>>,
}

/// Complete settings of an arm, and the texts of its sections.
pub(super) struct InFull {
    pub settings: Settings,
    problem: Arc<str>,
    operators: Arc<str>,
    stop: Arc<str>,
    /// Text that the fingerprint covers instead of `stop`; `None` unless trials that ended are
    /// kept.
    stop_without_budget: Option<String>,
    start: String,
}

impl InFull {
    /// Returns the text that the fingerprint covers: all settings that affect a trial.
    pub(super) fn fingerprinted(&self) -> [&str; 10] {
        let pairing = self.settings.pairing;
        let stop = self.stop_without_budget.as_deref().unwrap_or(&self.stop);
        pieces(pairing, &self.problem, "", &self.operators, stop, &self.start)
    }

    /// Returns the text that identifies the problem.
    pub(super) fn problem(&self) -> [&str; 2] {
        problem_pieces(&self.problem)
    }
}

impl<'plan> Sections<'plan> {
    pub(super) fn of(plugin: &'plan str, pairing: Pairing) -> Self {
        Sections {
            plugin,
            pairing,
            problems: HashMap::new(),
            operators: HashMap::new(),
            names: HashMap::new(),
            stops: HashMap::new(),
            starts: HashMap::new(),
        }
    }

    pub(super) fn arm(&mut self, settings: &ArmSettings) -> InFull {
        let place = Arc::as_ptr(&settings.parameters).addr();
        let problem = self
            .problems
            .entry(place)
            .or_insert_with(|| problem(self.plugin, &settings.parameters).into());
        let set = &settings.operators;
        let operators = self
            .operators
            .entry(Arc::as_ptr(set).addr())
            .or_insert_with(|| set.section.to_string().into());
        let name = self.names.entry(set.name.clone()).or_insert_with(|| set.name.as_str().into());
        let stop = Written::from(stop(&settings.stop));
        let stops = self.stops.entry(Arc::clone(&stop.text)).or_insert(stop.section);
        let of_count = |given: &Start| {
            let section = self.starts.entry(given.count).or_insert_with(|| start(given).into());
            Arc::clone(section)
        };
        let start = settings.start.as_ref().map(of_count);
        let keeps = settings.stop.keep_ended;
        InFull {
            stop_without_budget: keeps.then(|| without_budget(stops).to_string()),
            start: start.as_ref().map(ToString::to_string).unwrap_or_default(),
            settings: Settings {
                pairing: self.pairing,
                problem: Arc::clone(&problem.section),
                name: Arc::clone(name),
                operators: Arc::clone(&set.section),
                stop: Arc::clone(stops),
                start,
            },
            problem: Arc::clone(&problem.text),
            operators: Arc::clone(operators),
            stop: stop.text,
        }
    }
}

fn problem(plugin: &str, parameters: &[(String, Value)]) -> Section {
    let plugin = (Key::from("plugin"), Value::Text(plugin.to_owned().into()));
    let own = parameters.iter().map(|(key, value)| (Key::from(key.clone()), value.resolved()));
    iter::once(plugin).chain(own).collect()
}

/// Returns the section of the given genomes, by their hash, because their origin affects no trial.
fn start(start: &Start) -> Section {
    let whole = |count: usize| Value::Integer(i64::try_from(count).unwrap_or(i64::MAX));
    [
        (Key::from("genomes"), Value::Text(start.genomes.hash().into())),
        (Key::from("rows"), whole(start.genomes.rows().len())),
        (Key::from("given"), whole(start.count)),
    ]
    .into_iter()
    .collect()
}

fn stop(stop: &Stop) -> Section {
    let on_success = if stop.on_success == OnSuccess::Stop { "stop" } else { "continue" };
    // The config limits counts to the integers of TOML.
    let count = |count: u64| Value::Integer(i64::try_from(count).unwrap_or(i64::MAX));
    [
        ("fitness", stop.target.map(Value::Real)),
        ("generations", stop.generations.map(count)),
        ("evaluations", stop.evaluations.map(count)),
        ("stagnation", stop.stagnation.map(count)),
        ("diversity", stop.diversity.map(Value::Real)),
        ("trial-seconds", stop.trial_seconds.map(Value::Real)),
        ("on-success", Some(Value::Text(on_success.into()))),
        ("keep-ended", stop.keep_ended.then_some(Value::Boolean(true))),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((Key::from(key), value?)))
    .collect()
}
