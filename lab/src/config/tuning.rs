//! Tunings: files with a table [tune], and the experiments that their iterations are.

use super::config_file::read_text;
use super::diagnostic::{Diagnostic, Faults, Refused, merge_values};
use super::extends::{follow, to_text};
use super::fields::{choice, given, given_count, given_number, is_meant, strict};
use super::file_access::FileAccess;
use super::named_file::Files;
use super::node::{Entry, Node, Shape, key_toml};
use super::overlay::Overlaid;
use super::parse::parse;
use super::source::{Origin, Sources};
use super::sweep::swept;
use super::sweep_tables::flatten_paths;
use super::swept_keys::{SweptKeys, operator_sets};
use super::tune_condition::Condition;
use super::tune_forbid::forbidden;
use super::tune_initial::initial;
use super::tune_instances::Instances;
use super::tuned_key::{FLAT, TunedKey, WrittenKey, names};
use super::{Catalogue, Outcome, Overrides, keys, layer, load_text, range};
use crate::plan::settings::{Pairing, Source};
use crate::plan::{Arm, Cost, Limit, NoCost, Plan};
use crate::problem::Library;
use crate::problem::parameter::{Kind, Value};
use crate::sequential::cost_race::first_look;
use crate::tune::{Coordinate, Dimension, Point, Schedule, Space, seed_of, settings_with};
use std::collections::BTreeSet;
use std::path::Path;

/// Returns whether a file has a table `[tune]`, or takes one over from files that it extends.
#[must_use]
pub fn is_tuning(path: &Path) -> bool {
    let mut faults = Vec::new();
    // A pipe can be read only once.
    let text = path.is_file().then(|| read_text(path, &mut faults)).flatten();
    let Some(text) = text else { return false };
    let mut sources = Sources::default();
    let source = sources.add(path.display().to_string(), text);
    let mut root = parse(&sources, source, &mut faults);
    let (access, sources, out) = (FileAccess::Any, &mut sources, &mut faults);
    // Without the files that it extends, what it has itself counts.
    _ = follow(&mut root, &mut Files { config: path, access, sources, out });
    keys::TUNE.of(&root).is_some()
}

/// Maximum number of settings that are tried with an extreme value of a key, before the value is
/// refused.
const PROBES: usize = 100;

/// Instances that a tuning compares settings on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Instances of the iterations.
    Train,
    /// Instances of the comparison at the end.
    Test,
}

/// Tuning that a file describes.
#[derive(Debug)]
pub struct Tuning {
    /// The file, with its text and the options that changed it.
    pub source: Source,
    /// Name of the tuning, and of its folder under the results directory.
    pub name: String,
    /// Seed from which everything in the tuning derives.
    pub seed: u64,
    /// Identifier of 16 hex digits: two processes with the same identifier run the same tuning.
    pub identity: String,
    /// Hash of what `[tune]` decides in the iterations. Unlike `identity`, it does not depend on
    /// builds of runner and plugins, or on the comparison at the end.
    pub race_digest: String,
    /// Budget of all iterations together.
    pub budget: Limit,
    /// Cost that is to be low.
    pub cost: Cost,
    /// Confidence of each race.
    pub confidence: f64,
    /// Maximum number of trials of each survivor on each test instance.
    pub test_repeats: u64,
    /// Evaluations that a trial has at most; `None` if there is no such limit.
    pub evaluations: Option<u64>,
    keys: Vec<TunedKey>,
    dimensions: Vec<Dimension>,
    forbid: Vec<Condition>,
    /// Combinations that are not tried, as TOML; `None` if the file has none.
    pub forbid_toml: Option<String>,
    /// Settings that the first iteration tries, and their places in the file.
    initial: Vec<Point>,
    initial_origins: Vec<Origin>,
    train: Instances,
    test: Instances,
    /// The experiment without the keys that its iterations set.
    root: Node,
    /// Place of `[tune]`.
    origin: Origin,
}

impl Space for Tuning {
    fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    fn has(&self, earlier: &[Option<Coordinate>]) -> bool {
        let when = self.keys[earlier.len()].when.as_ref();
        when.is_none_or(|when| when.holds(|key| self.keys[key].value(earlier[key]?)))
    }

    fn base(&self) -> Option<Point> {
        let own: Vec<(&TunedKey, Node)> = self.own_nodes().collect();
        let mut point = Point::new();
        for key in &self.keys {
            let value = own.iter().find(|(one, _)| one.key == key.key);
            point.push(match self.has(&point) {
                true => Some(key.nearest(&value?.1)?),
                false => None,
            });
        }
        Some(point)
    }

    fn initial(&self) -> &[Point] {
        &self.initial
    }
}

/// Parts of a tuning's file that are read one after the other.
pub(super) struct File<'a> {
    pub tune: Node,
    pub overlaid: &'a Overlaid,
    pub library: Option<&'a Library>,
    /// Folders of the files that the tuning's file extends.
    pub sources: &'a Sources,
}

/// Takes the table `[tune]` out of a tree, with what a tuning does not use; complains of what it
/// cannot use.
pub(super) fn take(overlaid: &mut Overlaid, out: &mut Faults) -> Option<Node> {
    let root = &mut overlaid.root;
    let mut tune = root.take(keys::TUNE.name)?;
    overlaid.tunes = true;
    for unused in [&keys::REPEATS, &keys::BASELINE] {
        _ = root.take(unused.name);
    }
    if let Some(sweep) = root.take(keys::SWEEP.name) {
        let error = sweep.error("a tuning has no sweep", "[sweep]");
        let error = error.rule("[tune] says which values are tried");
        out.push(error.help("move its keys to [tune.keys], or those of [problem] to `train`"));
    }
    for name in FLAT {
        let Some(entries) = tune.get_mut(name).and_then(Node::entries_mut) else { continue };
        let whens = entries.iter_mut().filter_map(|entry| entry.value.get_mut("when"));
        whens.filter_map(Node::entries_mut).for_each(flatten_condition);
    }
    for name in [keys::TUNE_FORBID.name, keys::TUNE_INITIAL.name] {
        if let Some(Node { shape: Shape::List(tables), .. }) = tune.get_mut(name) {
            tables.iter_mut().filter_map(Node::entries_mut).for_each(flatten_condition);
        }
    }
    Some(tune)
}

fn flatten_condition(entries: &mut Vec<Entry>) {
    flatten_paths(entries, &range::is_range);
}

impl File<'_> {
    /// Reads `[tune]`. `base` is the plan of the settings that the tuning begins with.
    pub(super) fn read(self, base: &Plan, out: &mut Faults) -> Result<Tuning, Refused> {
        let File { tune, overlaid, library, sources } = self;
        strict(&tune, &keys::TUNE_TABLE, out);
        let root = &overlaid.root;
        one_operator_set(root, out);
        let known = SweptKeys::of_tuning(root, library);
        let written = tuned_keys(&tune, &known, out);
        let forbid = forbidden(&tune, &written, out);
        let (initial, initial_origins) = initial(&tune, &written, out).into_iter().unzip();
        let files = LedFiles { base, sources };
        let mut given = |definition| {
            let read = Instances::read(&tune, definition, &known, out);
            read.map(|all| all.led(&|key, value| files.lead(key, value)))
        };
        let train = given(&keys::TRAIN_TABLE).unwrap_or_default();
        let test = given(&keys::TEST_TABLE).unwrap_or_else(|| train.clone());
        let evaluations = base.arms[0].settings.stop.evaluations;
        let budget = budget(&tune, evaluations, out);
        let cost = cost(&tune, base, out);
        let confidence = given_number(&tune, &keys::TUNE_CONFIDENCE, out);
        let test_repeats = given_count(&tune, &keys::TUNE_TEST_REPEATS, out);
        if let Some(refused) = Refused::before(out) {
            return Err(refused);
        }
        let (Some(budget), Some(cost)) = (budget, cost) else {
            return Err(Refused::by(Diagnostic::unexplained(&base.source.path), out));
        };
        let confidence = confidence.unwrap_or(0.95);
        let race_digest =
            race_digest(&format!("{} {budget:?} {cost:?} {confidence}", base.seed), &tune);
        let keys: Vec<TunedKey> = written.into_iter().filter_map(|one| one.read).collect();
        let dimensions = keys.iter().map(TunedKey::dimension).collect();
        let tuning = Tuning {
            source: base.source.clone(),
            name: base.name.clone(),
            seed: base.seed,
            identity: identity(base, root, &tune),
            race_digest,
            budget,
            cost,
            confidence,
            test_repeats: test_repeats.unwrap_or(200),
            evaluations,
            keys,
            dimensions,
            forbid,
            forbid_toml: keys::TUNE_FORBID.of(&tune).map(Node::to_toml),
            initial,
            initial_origins,
            train,
            test,
            origin: tune.origin,
            root: files.of_problem(template(root, &base.arms[0])),
        };
        if let Some(error) = tuning.too_little(&tune) {
            return Err(Refused::by(error, out));
        }
        Ok(tuning)
    }
}

/// Files of data that the keys of [problem] name. Iterations read their text in the folder of the
/// tuning's file, also where an extended file in another folder names the data.
struct LedFiles<'a> {
    base: &'a Plan,
    sources: &'a Sources,
}

impl LedFiles<'_> {
    /// Makes a path relative to the tuning's file. Values of parameters that are no files stay as
    /// they are.
    fn lead(&self, key: &str, value: &mut Node) {
        let parameters = self.base.library.parameters();
        let is_file = parameters.iter().any(|one| one.key == key && one.kind == Kind::File);
        let Some(folder) = self.sources.folders().get(&value.origin.source) else { return };
        let Shape::Text(text) = &mut value.shape else { return };
        if is_file && !text.is_empty() {
            let own = self.base.source.path.parent().unwrap_or(Path::new(""));
            let folder = folder.strip_prefix(own).unwrap_or(folder);
            *text = folder.join(&*text).display().to_string();
        }
    }

    /// Makes the paths in [problem] relative to the tuning's file.
    fn of_problem(&self, mut root: Node) -> Node {
        let problem = root.get_mut(keys::PROBLEM.name).and_then(Node::entries_mut);
        for Entry { key, value, .. } in problem.into_iter().flatten() {
            self.lead(key, value);
        }
        root
    }
}

/// Returns the identity of a tuning: that of the settings that it begins with, and all of its keys.
fn identity(base: &Plan, root: &Node, tune: &Node) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in [&base.identity(), &to_text(root), &to_text(tune)] {
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Raised when the same file would race other settings.
const RACES_REVISION: u32 = 1;

/// Returns the hash of these figures and of the tables of `[tune]` that the iterations depend on.
fn race_digest(figures: &str, tune: &Node) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(figures.as_bytes());
    hasher.update(&RACES_REVISION.to_le_bytes());
    let tables = [keys::TUNE_KEYS.name, keys::TUNE_FORBID.name, keys::TUNE_INITIAL.name];
    for name in tables.into_iter().chain([keys::TRAIN_TABLE.key]) {
        hasher.update(name.as_bytes());
        if let Some(table) = tune.get(name) {
            hasher.update(table.to_toml().as_bytes());
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Returns the experiment without the keys that iterations set. Trials are paired, unless the file
/// says otherwise or the algorithm, as in `own`, asks for its own first genomes.
fn template(root: &Node, own: &Arm) -> Node {
    let mut root = root.clone();
    for set in [&keys::NAME, &keys::SEED] {
        _ = root.take(set.name);
    }
    let can_pair = !own.settings.operators.algorithm.chooses_start();
    let pairing = own.resolved.pairing;
    if keys::PAIRING.of(&root).is_none() && pairing == Pairing::Independent && can_pair {
        let origin = root.origin;
        push(&mut root, keys::PAIRING.name, Shape::Text("common".to_owned()), origin);
    }
    root
}

/// Returns a key of the operator set, or of [stop], with the value that the file gives it: a sweep
/// that changes nothing.
fn own_value(root: &Node) -> Option<Entry> {
    let entries = |node: Option<&Node>| node.and_then(Node::entries).unwrap_or_default().to_vec();
    let own = |table: &keys::Table, node| {
        let swept = table.swept();
        let known =
            move |entry: &Entry| swept.contains(&&*entry.key) && entry.value.value().is_some();
        let path =
            move |entry: Entry| Entry { key: format!("{}.{}", table.key, entry.key), ..entry };
        entries(node).into_iter().filter(known).map(path).next()
    };
    let of_set = own(&keys::OPERATOR_SET, operator_sets(root).first());
    let mut found = of_set.or_else(|| own(&keys::STOP_TABLE, keys::STOP.of(root)))?;
    let origin = found.value.origin;
    found.value = Node { shape: Shape::List(vec![found.value]), origin };
    Some(found)
}

fn push(root: &mut Node, key: &str, shape: Shape, origin: Origin) {
    let value = Node { shape, origin };
    if let Some(entries) = root.entries_mut() {
        entries.push(Entry { key: key.to_owned(), key_origin: origin, value });
    }
}

fn one_operator_set(root: &Node, out: &mut Faults) {
    if let [_, second, ..] = operator_sets(root) {
        let error = second
            .origin
            .error("a tuning has one operator set, and this file has more", "the second one");
        out.push(error.help(
            "write a file for each set, or choose between operators by a key such as \
            \"operators.selection\" = [\"tournament\", \"roulette\"]",
        ));
    }
}

/// Returns the keys of `[tune.keys]`, each once. Those that are wrong are among them, so that no
/// condition on them is wrong too.
fn tuned_keys(tune: &Node, known: &SweptKeys<'_>, out: &mut Faults) -> Vec<WrittenKey> {
    let example = keys::TUNE_KEYS_TABLE.example;
    let Some(node) = keys::TUNE_KEYS.of(tune) else {
        let error = tune.error("[tune] has no keys to tune", "no `keys`");
        out.push(error.help(format!("write {example}")).of_absence());
        return Vec::new();
    };
    let Some(entries) = super::fields::entries(node, &keys::TUNE_KEYS_TABLE, out) else {
        return Vec::new();
    };
    if entries.is_empty() {
        let error = node.error("[tune.keys] has no keys", "empty");
        out.push(error.help(format!("write {example}")));
    }
    let mut keys: Vec<WrittenKey> = Vec::new();
    for entry in entries {
        let (name, origin) = (entry.key.clone(), entry.key_origin);
        if let Some(first) = keys.iter().find(|one| one.name == name) {
            let error = origin.error(format!("`{name}` is tuned twice"), "again");
            out.push(error.also(first.origin, "first used here").help("keep one of them"));
            continue;
        }
        let read = match not_tuned(&name, origin, known) {
            Some(fault) => fault.to(out),
            None => TunedKey::read(entry, &names(&keys), out),
        };
        keys.push(WrittenKey { name, origin, read });
    }
    keys
}

/// Returns the fault of a key that cannot be tuned.
fn not_tuned(key: &str, origin: Origin, known: &SweptKeys<'_>) -> Option<Diagnostic> {
    if key.starts_with("operators.") || !["problem.", "stop."].iter().any(|at| key.starts_with(at))
    {
        return known.fault(key, origin);
    }
    let error = origin.error(format!("`{key}` cannot be tuned"), "not a key of [[operators]]");
    let error = error.rule("the problem and the budget are what settings are compared on");
    Some(error.help("write instances of the problem as `train` and `test`"))
}

fn budget(tune: &Node, evaluations: Option<u64>, out: &mut Faults) -> Option<Limit> {
    let key = &keys::TUNE_BUDGET;
    let Some(node) = key.of(tune) else {
        let entries = tune.entries().unwrap_or_default();
        if is_meant(entries, key.name, &keys::TUNE_TABLE.names()) {
            return None;
        }
        let error = tune.error("[tune] has no budget", "no `budget`");
        let error = error.rule("a budget ends the tuning");
        return error.help("write the trials of all iterations, such as budget = 5000").to(out);
    };
    let Shape::Table(_) = &node.shape else {
        return match given(tune, key, out) {
            Some(Value::Integer(trials)) => Some(Limit::Trials(trials as u64)),
            _ => None,
        };
    };
    strict(node, &keys::TUNE_BUDGET_TABLE, out);
    if keys::TUNE_EVALUATIONS.of(node).is_none() {
        let error = node.error("this budget has no evaluations", "empty");
        return error.help("write budget = { evaluations = 10000000 }").to(out);
    }
    let limit = given_count(node, &keys::TUNE_EVALUATIONS, out)?;
    if evaluations.is_none() {
        let message = "a budget in evaluations, and no `stop.evaluations`";
        let error = node.error(message, "in evaluations");
        let error = error.rule("the evaluations of a trial say how many trials there can be");
        out.push(error.help("add evaluations to [stop], or give the budget in trials"));
    }
    Some(Limit::Evaluations(limit))
}

fn cost(tune: &Node, base: &Plan, out: &mut Faults) -> Option<Cost> {
    let at = keys::TUNE_COST.of(tune).map_or(tune.origin, |node| node.origin);
    if &*choice(tune, &keys::TUNE_COST, out) == "fitness" {
        return Some(Cost::Fitness);
    }
    match Cost::evaluations(&base.arms[0].settings.stop) {
        Ok(cost) => Some(cost),
        Err(NoCost { missing, message, rule }) => {
            let error = at.error(message, "cost = \"evaluations\"").rule(rule);
            let help = format!("add {missing} to [stop], or choose cost = \"fitness\"");
            error.help(help).to(out)
        }
    }
}

impl Tuning {
    /// Returns the schedule before the first iteration.
    #[must_use]
    pub fn schedule(&self) -> Schedule {
        let (Limit::Trials(budget) | Limit::Evaluations(budget)) = self.budget;
        Schedule::new(self.keys.len(), budget, self.instances(Stage::Train))
    }

    /// Returns the most that a trial can cost, in units of the budget.
    #[must_use]
    pub fn most_of_trial(&self) -> f64 {
        match self.budget {
            Limit::Trials(_) => 1.0,
            Limit::Evaluations(_) => self.evaluations.unwrap_or(1) as f64,
        }
    }

    /// Returns the error of a budget that is too small for one iteration.
    fn too_little(&self, tune: &Node) -> Option<Diagnostic> {
        let (schedule, most) = (self.schedule(), self.most_of_trial());
        // All given settings are in the first look, with that of the file.
        let given = self.first_settings();
        let per_setting = first_look(self.instances(Stage::Train)) as f64 * most;
        let of_given = if given > 1 { (given as f64 * per_setting).ceil() as u64 } else { 0 };
        let least = schedule.least(most).max(of_given);
        if schedule.left >= least {
            return None;
        }
        let node = keys::TUNE_BUDGET.of(tune).unwrap_or(tune);
        let message = format!("the budget of {} is too small", schedule.left);
        let error = node.error(message, "too small");
        Some(if least == of_given {
            let rule =
                format!("the first look at the {given} settings that the file gives takes {least}");
            error.rule(rule).help(format!("raise it to {least}, or give fewer in `initial`"))
        } else {
            let planned = schedule.fewest();
            let rule = format!("an iteration is planned for {planned} settings or more: {least}");
            let fewer = if self.keys.len() > 1 { ", or tune fewer keys" } else { "" };
            error.rule(rule).help(format!("raise it to {least}{fewer}"))
        })
    }

    /// Returns the number of settings that the file gives: its own, and those of `initial` that
    /// differ from each other.
    #[must_use]
    pub fn first_settings(&self) -> usize {
        let different: BTreeSet<String> =
            self.initial.iter().map(|point| format!("{point:?}")).collect();
        1 + different.len()
    }

    /// Returns the number of all settings; `None` if a key has a range or a condition, some are
    /// forbidden, or there are too many to count.
    #[must_use]
    pub fn combinations(&self) -> Option<u64> {
        if !self.forbid.is_empty() || self.keys.iter().any(|key| key.when.is_some()) {
            return None;
        }
        self.dimensions.iter().try_fold(1_u64, |all, dimension| match dimension {
            Dimension::Choice(values) => all.checked_mul(*values as u64),
            Dimension::Number => None,
        })
    }

    /// Returns the seed of an iteration, which counts from 1.
    #[must_use]
    pub fn seed_of_iteration(&self, number: u32) -> u64 {
        seed_of(self.seed, b"iteration of a tuning", number)
    }

    /// Returns the number of instances of a stage, at least 1.
    #[must_use]
    pub fn instances(&self, stage: Stage) -> usize {
        self.of_stage(stage).count()
    }

    fn of_stage(&self, stage: Stage) -> &Instances {
        match stage {
            Stage::Train => &self.train,
            Stage::Test => &self.test,
        }
    }

    /// Returns the values of the problem's keys on the instances of a stage as TOML; `None` if the
    /// only instance is the problem of the file.
    #[must_use]
    pub fn instances_toml(&self, stage: Stage) -> Option<String> {
        self.of_stage(stage).to_toml()
    }

    /// Returns the tuned keys, each with its range or values as TOML, in the order of the file.
    pub fn keys_toml(&self) -> impl Iterator<Item = (String, String)> {
        self.keys.iter().map(|one| (one.key.clone(), one.text.clone()))
    }

    /// Returns the tuned keys, in the order of the file.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|one| one.key.as_str())
    }

    fn nodes(&self, point: &Point) -> impl Iterator<Item = (&TunedKey, Node)> {
        let of = |(key, coordinate): (_, &Option<Coordinate>)| {
            let key: &TunedKey = key;
            Some((key, key.value((*coordinate)?)?))
        };
        self.keys.iter().zip(point).filter_map(of)
    }

    /// Returns the value of each tuned key; `None` where a setting does not have the key.
    #[must_use]
    pub fn values(&self, point: &Point) -> Vec<Option<Value>> {
        let value = |(key, coordinate): (&TunedKey, &Option<Coordinate>)| {
            key.value((*coordinate)?).map(|node| swept(&node))
        };
        self.keys.iter().zip(point).map(value).collect()
    }

    /// Returns a setting as lines of TOML, such as `population = 12`, to put below the header
    /// `[[operators]]` in place of those of the file. A slot has its whole operator.
    #[must_use]
    pub fn lines(&self, point: &Point) -> Vec<String> {
        let Some(mut set) = operator_sets(&self.root).first().cloned() else { return Vec::new() };
        let mut nodes: Vec<(Vec<&str>, Node)> = self
            .nodes(point)
            .map(|(key, node)| (key.key.split('.').skip(1).collect(), node))
            .collect();
        let mut touched: Vec<&str> = nodes.iter().map(|(path, _)| path[0]).collect();
        let mut seen = BTreeSet::new();
        touched.retain(|key| seen.insert(*key));
        // An operator comes before its parameters.
        nodes.sort_by_key(|(path, _)| path.len());
        for (path, node) in nodes {
            layer::put(&mut set, &path, node.origin, node);
        }
        let line = |key: &&str| Some(format!("{} = {}", key_toml(key), set.get(key)?.to_toml()));
        touched.iter().filter_map(line).collect()
    }

    /// Returns settings as tables that another tuning can begin with, in a file for its `extends`.
    /// It has another seed, so that the trials are not those that chose the settings.
    #[must_use]
    pub fn survivors_toml(&self, points: &[&Point]) -> String {
        let seed = seed_of(self.seed, b"tuning from survivors", 0);
        let mut text = format!("seed = {seed}\n");
        for point in points {
            text.push_str("\n[[tune.initial]]\n");
            for (key, node) in self.nodes(point) {
                text.push_str(&format!("{} = {}\n", key_toml(&key.key), node.to_toml()));
            }
        }
        text
    }

    /// Returns the tuned keys to which the file gives a plain value, with the value.
    fn own_nodes(&self) -> impl Iterator<Item = (&TunedKey, Node)> {
        let set = operator_sets(&self.root).first();
        self.keys.iter().filter_map(move |one| {
            let mut path = one.key.split('.').skip(1);
            let value = path.try_fold(set?, |node, key| node.get(key))?;
            value.value().is_some().then(|| (one, value.clone()))
        })
    }

    /// Returns whether a combination of values is forbidden.
    #[must_use]
    pub fn forbids(&self, point: &Point) -> bool {
        self.forbid.iter().any(|rule| rule.holds(|key| self.keys[key].value(point[key]?)))
    }

    /// Returns the experiment of an iteration as text. Its arms are the settings on all instances,
    /// instances innermost. A setting of `None` is the file's own.
    fn text(
        &self,
        (name, seed, repeats): (&str, u64, u64),
        settings: &[Option<&Point>],
        instances: &Instances,
    ) -> String {
        let origin = self.root.origin;
        let instances = instances.entries(origin);
        let table = |setting: &Option<&Point>| {
            let list = |node| Node { shape: Shape::List(vec![node]), origin };
            let entry = |(key, node): (&TunedKey, Node)| Entry {
                key: key.key.clone(),
                key_origin: origin,
                value: list(node),
            };
            let own: Vec<_> = match setting {
                Some(point) => self.nodes(point).collect(),
                None => self.own_nodes().collect(),
            };
            let own = own.into_iter().map(entry);
            let mut entries: Vec<Entry> = own.chain(instances.iter().cloned()).collect();
            // A sweep of no key makes no arm.
            if entries.is_empty() {
                entries.extend(own_value(&self.root));
            }
            Node { shape: Shape::Table(entries), origin }
        };
        let tables = settings.iter().map(table).collect();
        let mut root = self.root.clone();
        let whole = |number: u64| match i64::try_from(number) {
            Ok(number) => Shape::Integer(number),
            Err(_) => Shape::Large(number),
        };
        push(&mut root, keys::NAME.name, Shape::Text(name.to_owned()), origin);
        push(&mut root, keys::SEED.name, whole(seed), origin);
        push(&mut root, keys::REPEATS.name, whole(repeats), origin);
        push(&mut root, keys::SWEEP.name, Shape::List(tables), origin);
        to_text(&root)
    }

    /// Returns the plan of an iteration, or what is wrong with it.
    ///
    /// # Errors
    /// Returns an error if a setting is invalid.
    pub fn plan(
        &self,
        experiment: (&str, u64, u64),
        settings: &[Option<&Point>],
        stage: Stage,
        catalogue: &mut Catalogue,
    ) -> Result<Plan, Box<Outcome>> {
        self.plan_of(&self.text(experiment, settings, self.of_stage(stage)), catalogue)
    }

    /// Returns the plan of the text of an iteration, or what is wrong with it.
    fn plan_of(&self, text: &str, catalogue: &mut Catalogue) -> Result<Plan, Box<Outcome>> {
        let mut outcome = load_text(&self.source.path, text, &Overrides::default(), catalogue);
        match outcome.plans.pop() {
            Some(plan) => Ok(plan),
            None => Err(Box::new(outcome)),
        }
    }

    /// Returns the faults of extreme values: the ends of ranges and the values of lists. A value is
    /// wrong if no setting that has it is valid, whatever its other values.
    pub(super) fn check(&self, catalogue: &mut Catalogue) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        for (stage, name) in [(Stage::Train, "train"), (Stage::Test, "test")] {
            let wrong = match self.plan(("probe", 0, 1), &[None], stage, catalogue) {
                Ok(plan) if plan.arms.len() == self.instances(stage) => continue,
                Ok(_) => Diagnostic::general("two instances are the same"),
                Err(outcome) => match outcome.diagnostics.into_iter().next() {
                    Some(cause) => cause,
                    None => Diagnostic::unexplained(&self.source.path),
                },
            };
            let message = format!("the instances of `{name}` cannot be used: {}", wrong.message);
            let mut each = self.of_stage(stage).each();
            let alone = each.find_map(|one| {
                let text = self.text(("probe", 0, 1), &[None], &one);
                let cause = self.plan_of(&text, catalogue).err()?.diagnostics.into_iter().next()?;
                one.origin_in(&cause.message)
            });
            let error = match alone {
                Some(value) => value.error(message, "not valid"),
                None => self.origin.error(message, "[tune]"),
            };
            let Diagnostic { rule, help, plugin, .. } = wrong;
            faults.push(Diagnostic { rule, help, plugin, ..error });
            return faults;
        }
        let (wrong, mut alone) = self.wrong_extremes(catalogue);
        merge_values(&mut alone);
        // A fault of every setting is no fault of the other keys.
        if !alone.is_empty() {
            return alone;
        }
        faults.extend(self.wrong_initial(catalogue));
        faults.extend(wrong);
        faults
    }

    /// Returns the faults of the settings that a tuning begins with.
    fn wrong_initial(&self, catalogue: &mut Catalogue) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        for (point, origin) in self.initial.iter().zip(&self.initial_origins) {
            let fault = |message: String| (*origin).error(message, "not valid");
            if self.forbids(point) {
                let error = fault("`forbid` forbids this setting of `initial`".to_owned());
                faults.push(error.help("remove the setting, or forbid less"));
                continue;
            }
            let tried = self.plan(("probe", 0, 1), &[Some(point)], Stage::Train, catalogue);
            let cause = tried.err().and_then(|outcome| outcome.diagnostics.into_iter().next());
            if let Some(cause) = cause {
                let error = fault(format!("this setting is not valid: {}", cause.message));
                faults.push(Diagnostic { rule: cause.rule, help: cause.help, ..error });
            }
        }
        faults
    }

    /// Returns the faults of extreme values, and those of them that the value has in any setting.
    fn wrong_extremes(&self, catalogue: &mut Catalogue) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
        let (mut faults, mut alone) = (Vec::new(), Vec::new());
        for (place, key) in self.keys.iter().enumerate() {
            for coordinate in key.extremes() {
                let settings = settings_with(self, 0, (place, coordinate), PROBES);
                let value = key.value(coordinate).map(|node| node.to_toml()).unwrap_or_default();
                let named = format!("`{}` = {value}", key.key);
                let fault = |message: String| key.origin.error(message, "never valid");
                if settings.is_empty() {
                    let message = format!("no setting has {named}");
                    let error = fault(message).rule("its `when` never held in as many draws");
                    faults.push(error.help("change `when`, or remove the key"));
                    break;
                }
                let allowed: Vec<&Point> =
                    settings.iter().filter(|point| !self.forbids(point)).collect();
                if allowed.is_empty() {
                    let error = fault(format!("`forbid` leaves no setting with {named}"));
                    faults.push(error.help("narrow the range, or forbid less"));
                    continue;
                }
                let mut first = None;
                let is_valid = allowed.iter().any(|point| {
                    let settings = &[Some(*point)];
                    match self.plan(("probe", 0, 1), settings, Stage::Train, catalogue) {
                        Ok(_) => true,
                        Err(outcome) => {
                            _ = first.get_or_insert(outcome);
                            false
                        }
                    }
                });
                let Some(outcome) = first.filter(|_| !is_valid) else { continue };
                let Some(cause) = outcome.diagnostics.into_iter().next() else { continue };
                let error = fault(format!("no setting with {named} is valid: {}", cause.message));
                let mut point = vec![None; self.keys.len()];
                point[place] = Some(coordinate);
                let settings = &[Some(&point)];
                let lone = self.plan(("probe", 0, 1), settings, Stage::Train, catalogue).err();
                let lone = lone.and_then(|outcome| outcome.diagnostics.into_iter().next());
                let is_alone = lone.is_some_and(|lone| lone.message == cause.message);
                let error = Diagnostic { rule: cause.rule, help: cause.help, ..error };
                let error = Diagnostic { plugin: cause.plugin, ..error };
                if is_alone { &mut alone } else { &mut faults }.push(error);
            }
        }
        (faults, alone)
    }
}
