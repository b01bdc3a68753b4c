//! Resolution: from a document to a plan, every combination of the sweep checked.

use super::diagnostic::{Diagnostic, Refused};
use super::fields::{choice, given, text, unsigned};
use super::grid::{ABSENT, Combination, Grid};
use super::node::{Node, Origin, Shape};
use super::operator_plugins::OperatorPlugins;
use super::presets::{Presets, SetTable, operator_sets};
use super::sense::{self, Sense};
use super::sweep::{self, Axis};
use super::{Catalogue, baseline, keys, operator_set, problem, repeats, start, stop};
use crate::plan::settings::{ArmSettings, Pairing, Source, Stop};
use crate::plan::{Draft, MOST_ARMS, NoPlan, Plan, Twins, fingerprints};
use crate::problem::parameter::Value;
use crate::problem::{Library, Problem};
use crate::search::OperatorSet;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The experiment's name and its source span.
pub(super) type Named = (String, Option<Origin>);

/// Makes the plan of a document; without one, complaints say why. The name is there even so, where
/// it is good.
pub(super) fn plan(
    root: &Node,
    source: Source,
    catalogue: &mut Catalogue,
    presets: &Presets,
    out: &mut Vec<Diagnostic>,
) -> (Option<Named>, Result<Plan, Refused>) {
    let name = experiment_name(root, &source.path, out);
    let origin = root.get("name").map(|node| node.origin);
    let plan = plan_named(root, name.clone(), source, catalogue, presets, out);
    (name.map(|name| (name, origin)), plan)
}

fn plan_named(
    root: &Node,
    name: Option<String>,
    source: Source,
    catalogue: &mut Catalogue,
    presets: &Presets,
    out: &mut Vec<Diagnostic>,
) -> Result<Plan, Refused> {
    let seed = match (keys::SEED.of(root), keys::SEED.default()) {
        (None, Some(Value::Integer(usual))) => Some(usual as u64),
        (given, _) => given.and_then(|node| unsigned(node, keys::SEED.name, out)),
    };
    let repeats = repeats::read(root, out);
    let pairing = match &*choice(root, &keys::PAIRING, out) {
        "common" => Pairing::Common,
        _ => Pairing::Independent,
    };
    let measured = given(root, &keys::BASELINE, out).or(keys::BASELINE.default());
    let trace = stop::read_output(root, out);
    let base = source.path.parent().unwrap_or(Path::new("."));
    let library = problem::read_plugin(root, base, catalogue, out);
    let keys: Option<Vec<&str>> = library
        .as_ref()
        .map(|library| library.parameters().iter().map(|one| one.key.as_ref()).collect());
    let sweep = sweep::read(root, keys.as_deref(), out);
    let sets = operator_sets(root, presets, out);
    let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    if sets.len() > MOST_ARMS {
        return Err(Refused::by(too_many(&sweep.axes, sets.len(), root), out));
    }
    let Some(mut grid) = Grid::of(&sweep, &names, MOST_ARMS) else {
        return Err(Refused::by(too_many(&sweep.axes, sets.len(), root), out));
    };
    if grid.count() == 0 && !sets.is_empty() {
        return Err(Refused::by(nothing_left(root), out));
    }
    let axes = sweep.axes;
    let several = sweep.tables.len() > 1;
    stop::swept_budget(root, &axes, out);
    catalogue.planned.store(grid.count(), Ordering::Relaxed);
    let mut plugins = OperatorPlugins::new(catalogue, base);
    let mut drafts = Resolver { root, axes: &axes, grid: &grid }.arms(
        library.as_ref(),
        &sets,
        &mut plugins,
        out,
    );
    let operator_libraries = plugins.into_found();
    let swept_keys: Vec<String> = axes.iter().map(|axis| axis.key.clone()).collect();
    // After an error, a warning may only be its consequence, and arms are missing.
    if Refused::before(out).is_none() {
        if let Some(library) = library.as_ref().filter(|_| several) {
            let mut stay = grid.make_once(fingerprints(&drafts, library, pairing)).into_iter();
            drafts.retain(|_| stay.next().unwrap_or(true));
        }
        Sense { root, sets: &sets, axes: &axes, grid: &grid, drafts: &drafts }.complain(out);
    }
    if let (Some(Value::Boolean(true)), Some(node)) = (measured, keys::BASELINE.of(root)) {
        let before = out.len();
        baseline::add(&mut drafts, &swept_keys, node.origin, out);
        out.extend(sense::no_baseline(&drafts, node.origin).filter(|_| out.len() == before));
    }
    let from = (catalogue.given.as_ref(), catalogue.files);
    start::give(root, base, from, &swept_keys, &mut drafts, out);
    out.extend(sense::nothing_paired(&drafts, pairing, root));
    out.extend(sense::by_time_alone(&drafts, root));
    if let Some(refused) = Refused::before(out) {
        return Err(refused);
    }
    if drafts.iter().all(|draft| draft.settings.stop.target.is_none()) {
        out.push(no_target(root));
    }
    let path = source.path.clone();
    let (Some(name), Some(seed), Some(repeats), Some(library)) = (name, seed, repeats, library)
    else {
        return Err(Refused::by(Diagnostic::untold(&path), out));
    };
    let trials = repeats.trials;
    let made = Plan::new(name, seed, trials, trace, pairing, swept_keys, drafts, library, source);
    let mut plan = match made {
        Ok(plan) => plan,
        Err(NoPlan::NoArms) => return Err(Refused::by(Diagnostic::untold(&path), out)),
        Err(NoPlan::Twins(first, others)) => {
            let origins = Origins { root, sets: &sets, axes: &axes, grid: &grid };
            return Err(complain_of_twins(&first, &others, &origins, out));
        }
    };
    plan.operator_libraries = operator_libraries;
    plan.repeated = grid.repeated();
    plan.stopping_rule = repeats.stopping_rule(&plan, out);
    if let Some(refused) = Refused::before(out) {
        return Err(refused);
    }
    out.extend(sense::unanswerable(&plan, root));
    out.extend(sense::all_the_same(&plan, &sets));
    Ok(plan)
}

fn no_target(root: &Node) -> Diagnostic {
    let at = root.get("stop").map_or(root.origin, |stop| stop.origin);
    let words = "no trial can succeed: there is no target";
    Diagnostic::warning(words, at, "no `fitness` in this table")
        .rule("the problem does not state an ideal fitness, so nothing counts as success")
        .help("add the fitness to reach, such as fitness = 0.001")
}

/// Marks in the names of folders that belong to an experiment, with their meaning.
const MARKS: [(&str, &str); 3] = [
    (".shard-", "looks like a shard"),
    (".round-", "looks like a round"),
    (".submission", "looks like a submission"),
];

/// Returns the name of the experiment: a folder's name, so that nothing is written outside the
/// results.
fn experiment_name(root: &Node, path: &Path, out: &mut Vec<Diagnostic>) -> Option<String> {
    let rule = "it names the results folder: 1 to 100 bytes of letters, digits, spaces and \
        -_.+,=@, with no dot or space at either end, and without .shard-, .round- and .submission, \
        which mark parts of an experiment";
    let allowed = |c: char| c.is_alphanumeric() || " -_.+,=@".contains(c);
    let good = |name: &str| {
        (1..=100).contains(&name.len())
            && !name.starts_with(['.', ' '])
            && !name.ends_with([' ', '.'])
            && name.chars().all(allowed)
            && !MARKS.iter().any(|(mark, _)| name.contains(mark))
    };
    match root.get("name") {
        Some(node) => {
            let name = text(node, "name", out)?;
            if !good(name) {
                let marked = MARKS.iter().find(|(mark, _)| name.contains(mark));
                let label = match name {
                    "" => "empty",
                    _ if name.len() > 100 => "longer than 100 bytes",
                    _ if name.contains(['/', '\\']) => "contains a path separator",
                    _ if name.starts_with(['.', ' ']) => "begins with a dot or a space",
                    _ if name.ends_with(['.', ' ']) => "ends with a dot or a space",
                    _ => marked.map_or("contains a character that is not allowed", |(_, is)| is),
                };
                let error = Diagnostic::error(
                    format!("{} is not a valid folder name", node.to_toml()),
                    node.origin,
                    label,
                );
                out.push(error.rule(rule).help("choose another, such as name = \"eight-queens\""));
                return None;
            }
            Some(name.to_string())
        }
        None => {
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            if !good(stem) {
                let message =
                    format!("{}: the file's name is not a valid folder name", path.display());
                out.push(
                    Diagnostic::general(message)
                        .rule(rule)
                        .help("add a name to the file: name = \"…\""),
                );
                return None;
            }
            Some(stem.to_string())
        }
    }
}

/// Maximum number of swept keys that a message lists.
const MOST_NAMED: usize = 8;

fn too_many(axes: &[Axis], sets: usize, root: &Node) -> Diagnostic {
    let mut counts: Vec<String> = axes
        .iter()
        .take(MOST_NAMED)
        .map(|axis| format!("{} of `{}`", axis.values.len(), axis.key))
        .collect();
    if axes.len() > MOST_NAMED {
        counts.push(format!("those of {} more keys", axes.len() - MOST_NAMED));
    }
    // `except` and values swept together make fewer.
    let most = axes.iter().try_fold(sets, |arms, axis| arms.checked_mul(axis.values.len()));
    let beyond = match most {
        Some(most) if most > MOST_ARMS => {
            format!("up to {}, {} beyond the limit of {MOST_ARMS}", most, most - MOST_ARMS)
        }
        _ => format!("the limit is {MOST_ARMS}"),
    };
    let at = root.get("sweep").map_or(root.origin, |sweep| sweep.origin);
    Diagnostic::error(
        format!("this experiment has more than {MOST_ARMS} arms: {beyond}"),
        at,
        "every combination makes an arm",
    )
    .rule(match counts.is_empty() {
        true => format!("there are {sets} operator sets"),
        false => format!("there are {sets} operator sets, times the values: {}", counts.join(", ")),
    })
    .help("list fewer values, or write several experiments")
}

/// Returns the diagnostic of a sweep that leaves out every combination.
fn nothing_left(root: &Node) -> Diagnostic {
    let at = root.get("sweep").map_or(root.origin, |sweep| sweep.origin);
    let error = Diagnostic::error("this experiment has no arms", at, "`except` leaves all out");
    error.rule("every combination of values makes an arm").help("leave out fewer")
}

struct Resolver<'a> {
    root: &'a Node,
    axes: &'a [Axis],
    grid: &'a Grid,
}

/// A problem with its parameters' values: one for all arms of the same values. And the number of
/// its description: equal ones have the same.
#[derive(Clone)]
struct Made {
    parameters: Arc<[(String, Value)]>,
    problem: Arc<Problem>,
    kind: usize,
}

impl Resolver<'_> {
    /// Returns every arm, operator sets outermost. A table is read once per combination of the
    /// swept keys in it. An operator set is also read once per description of a problem.
    fn arms(
        &self,
        library: Option<&Arc<Library>>,
        sets: &[SetTable],
        plugins: &mut OperatorPlugins<'_>,
        out: &mut Vec<Diagnostic>,
    ) -> Vec<Draft> {
        let (problems, examples) = self.problems(library, out);
        let endless = sets.is_empty() || sets.iter().any(|set| !self.exhausts(set));
        let stops = self.stops(endless, out);
        let of_problem = self.grid.parts(self.axes, "problem", None);
        let of_stop = self.grid.parts(self.axes, "stop", None);
        let mut arms = Vec::new();
        for (place, set) in sets.iter().enumerate() {
            let of_operators = self.grid.parts(self.axes, "operators", Some(place));
            let operators = self.operators(set, &of_operators.list, &examples, plugins, out);
            for combination in self.grid.of_set(place) {
                let Some(made) = &problems[of_problem.of(combination)] else { continue };
                let Some(stop) = &stops[of_stop.of(combination)] else { continue };
                let made_of = operators.get(of_operators.of(combination));
                let Some(Some(operators)) = made_of.map(|kinds| kinds[made.kind].as_ref()) else {
                    continue;
                };
                let target = stop.target.or(made.problem.description().ideal);
                let swept = self
                    .axes
                    .iter()
                    .zip(combination)
                    .map(|(axis, value)| axis.swept.get(*value).cloned())
                    .collect();
                let settings = ArmSettings {
                    parameters: Arc::clone(&made.parameters),
                    operators: Arc::clone(operators),
                    stop: Stop { target, ..stop.clone() },
                    start: None,
                    swept,
                };
                arms.push(Draft { settings, problem: Arc::clone(&made.problem), baseline: None });
            }
        }
        arms
    }

    /// Returns the problems by their part of the combination, and an example of each kind.
    fn problems(
        &self,
        library: Option<&Arc<Library>>,
        out: &mut Vec<Diagnostic>,
    ) -> (Vec<Option<Made>>, Vec<Arc<Problem>>) {
        let mut kinds: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut examples: Vec<Arc<Problem>> = Vec::new();
        let mut known: HashMap<String, Made> = HashMap::new();
        let node = self.root.get("problem");
        let mut make = |combination: &[usize], out: &mut Vec<Diagnostic>| {
            let node = self.overlaid("problem", node?, combination);
            let parameters = problem::parameter_values(library?, &node, out)?;
            let identity = problem::identity(&parameters);
            if let Some(made) = known.get(&identity) {
                return Some(made.clone());
            }
            let problem = problem::make(library?, &parameters, node.origin, out)?;
            let alike = kinds.entry(problem.description().genome_length).or_default();
            let same =
                alike.iter().find(|kind| examples[**kind].description() == problem.description());
            let kind = same.copied().unwrap_or_else(|| {
                alike.push(examples.len());
                examples.push(Arc::clone(&problem));
                examples.len() - 1
            });
            let made = Made { parameters: parameters.into(), problem, kind };
            known.insert(identity, made.clone());
            Some(made)
        };
        let parts = self.grid.parts(self.axes, "problem", None).list;
        let before = out.len();
        let mut make = |combination: &Vec<usize>| make(combination, out);
        let made = parts.iter().map(&mut make).collect();
        told_once(parts.len(), before, out);
        (made, examples)
    }

    /// Returns the stop rules by their part of the combination, without the target that a problem
    /// may give.
    fn stops(&self, endless: bool, out: &mut Vec<Diagnostic>) -> Vec<Option<Stop>> {
        let Some(node) = self.root.get("stop") else {
            let given = self.axes.iter().any(|axis| axis.table() == "stop");
            if endless && !given {
                out.push(stop::missing(self.root.origin, "no table [stop]").of_absence());
                return vec![None];
            }
            let empty = Node::empty_table(self.root.origin);
            return self.stops_of(&empty, endless, out);
        };
        self.stops_of(node, endless, out)
    }

    /// Returns whether a set enumerates the whole space, and therefore ends on its own.
    fn exhausts(&self, set: &SetTable) -> bool {
        let algorithm = set.node.get("algorithm");
        let name = algorithm.map(|node| &node.get("kind").unwrap_or(node).shape);
        let swept = self
            .axes
            .iter()
            .any(|axis| axis.is_of(&set.name) && axis.path.starts_with("operators.algorithm"));
        !swept && matches!(name, Some(Shape::Text(name)) if name == "exhaustive")
    }

    fn stops_of(&self, node: &Node, endless: bool, out: &mut Vec<Diagnostic>) -> Vec<Option<Stop>> {
        self.grid
            .parts(self.axes, "stop", None)
            .list
            .iter()
            .map(|combination| stop::read(&self.overlaid("stop", node, combination), endless, out))
            .collect()
    }

    /// Returns an operator set by its part of the combination, and for each kind of problem.
    /// Without a problem it is checked as far as that goes.
    fn operators(
        &self,
        set: &SetTable,
        parts: &[Combination],
        examples: &[Arc<Problem>],
        plugins: &mut OperatorPlugins<'_>,
        out: &mut Vec<Diagnostic>,
    ) -> Vec<Vec<Option<Arc<OperatorSet>>>> {
        let before = out.len();
        let lacks = self.lacks_slot(set, out);
        if lacks {
            operator_set::read(&set.name, &set.node, plugins, out);
        }
        let mut read = |combination: &Vec<usize>| {
            let node = self.overlaid("operators", &set.node, combination);
            let written = operator_set::read(&set.name, &node, plugins, out);
            let build =
                |problem: &Arc<Problem>| written.as_ref()?.build(problem, out).map(Arc::new);
            examples.iter().map(build).collect()
        };
        let read = parts.iter().filter(|_| !lacks).map(&mut read).collect();
        set.forgive_absence(out, before);
        set.trace_preset(&mut out[before..]);
        for one in &mut out[before..] {
            // A swept key that the set does not know: which set?
            if one.also.is_empty() && self.axes.iter().any(|axis| one.origin == Some(axis.origin)) {
                one.also.push((set.origin, format!("operator set `{}`", set.name)));
                one.help = Some(
                    "sweep a key that every operator set has, or move this set to a separate \
                    experiment file"
                        .into(),
                );
            }
        }
        read
    }

    /// Complains of swept parameters of a slot that the operator set leaves empty.
    fn lacks_slot(&self, set: &SetTable, out: &mut Vec<Diagnostic>) -> bool {
        let before = out.len();
        let own = |axis: &&Axis| axis.table() == "operators" && axis.is_of(&set.name);
        for axis in self.axes.iter().filter(own) {
            let path = axis.path();
            let [slot, parameter] = path.as_slice() else { continue };
            let filled = |other: &Axis| match other.path().as_slice() {
                [whole] | [whole, "kind"] => whole == slot,
                _ => false,
            };
            if set.node.get(slot).is_some() || self.axes.iter().filter(own).any(filled) {
                continue;
            }
            let message =
                format!("operator set `{}` has no {slot} with a `{parameter}` to sweep", set.name);
            let error = Diagnostic::error(message, axis.origin, "swept in every operator set");
            let error = error
                .also(set.origin, format!("no {slot} here"))
                .rule("a swept key applies to every operator set, or to the one that it names");
            out.push(error.help(format!(
                "add a {slot} to this operator set, or sweep the key in the others: \
                \"operators.NAME.{slot}.{parameter}\""
            )));
        }
        out.len() > before
    }

    /// Returns a copy of a table with the swept values put in. The shorter path goes first: a whole
    /// slot, then a parameter of it.
    fn overlaid(&self, table: &str, node: &Node, combination: &[usize]) -> Node {
        let mut node = node.clone();
        let mut own: Vec<(&Axis, usize)> =
            self.axes.iter().zip(combination.iter().copied()).collect();
        own.retain(|(axis, value)| axis.table() == table && *value != ABSENT);
        own.sort_by_key(|(axis, _)| axis.path().len());
        for (axis, value) in own {
            node.put(&axis.path(), axis.origin, axis.values[value].clone());
        }
        node
    }
}

/// Leaves of what a plugin says again and again, but for numbers, the first; and adds of how many
/// values that holds.
fn told_once(values: usize, from: usize, out: &mut Vec<Diagnostic>) {
    let shape = |one: &Diagnostic| {
        one.message.chars().filter(|letter| !letter.is_ascii_digit()).collect::<String>()
    };
    let mut firsts: BTreeMap<(String, Option<Origin>), (usize, usize)> = BTreeMap::new();
    let told = out.split_off(from);
    for one in told {
        if !one.plugin {
            out.push(one);
            continue;
        }
        match firsts.entry((shape(&one), one.origin)) {
            Entry::Occupied(mut first) => first.get_mut().1 += 1,
            Entry::Vacant(free) => {
                free.insert((out.len(), 1));
                out.push(one);
            }
        }
    }
    for (place, times) in firsts.into_values().filter(|(_, times)| *times > 1) {
        let rule = out[place].rule.take().map_or_else(String::new, |rule| format!("{rule}; "));
        out[place].rule =
            Some(format!("{rule}this applies to {times} of the {values} swept combinations"));
    }
}

/// Source spans of the settings of arms.
struct Origins<'a> {
    root: &'a Node,
    sets: &'a [SetTable],
    axes: &'a [Axis],
    grid: &'a Grid,
}

impl Origins<'_> {
    /// Returns the source of the second of two equal arms, the source of the first, and the kind of
    /// the source. For baselines, the source is the key that asks for them.
    fn of(&self, twins: &Twins) -> (Origin, Origin, &'static str) {
        let Origins { root, sets, axes, grid } = self;
        let Some(((first, one), (second, two))) = grid.at(twins.first).zip(grid.at(twins.second))
        else {
            let asked = keys::BASELINE.of(root).map_or(root.origin, |node| node.origin);
            return (asked, asked, "this baseline");
        };
        let axis =
            (0..axes.len()).find(|axis| one[*axis] != two[*axis]).filter(|_| first == second);
        let Some(axis) = axis else {
            return (sets[second].origin, sets[first].origin, "this operator set");
        };
        let own = &axes[axis];
        let value = |value: usize| own.values.get(value).map_or(own.origin, |it| it.origin);
        (value(two[axis]), value(one[axis]), "this value")
    }
}

/// Arms of equal settings: one complaint for each pair of places that made them.
fn complain_of_twins(
    first: &Twins,
    others: &[Twins],
    origins: &Origins<'_>,
    out: &mut Vec<Diagnostic>,
) -> Refused {
    let complaint = |twins: &Twins, (at, other, what): (Origin, Origin, &str)| {
        let (one, two) = (&twins.first_label, &twins.second_label);
        let error = Diagnostic::error(
            format!("the arms `{one}` and `{two}` have the same settings"),
            at,
            what,
        );
        let error = error.also(other, "is equivalent to this");
        let error = error.rule("equal arms run equal trials: the second adds no information");
        error.help("change or remove one of the two")
    };
    let places = origins.of(first);
    let refused = Refused::by(complaint(first, places), out);
    let mut seen = BTreeSet::from([(places.0, places.1)]);
    for twins in others {
        let places = origins.of(twins);
        if seen.insert((places.0, places.1)) {
            out.push(complaint(twins, places));
        }
    }
    refused
}
