//! Building, the third pass: each tree becomes an arm, and the arms a plan.

use super::axis::Axis;
use super::data_files::DataFiles;
use super::diagnostic::{Diagnostic, Faults, Refused};
use super::expand::{Expanded, Trees};
use super::experiment::{Experiment, folder};
use super::fields::is_misspelt;
use super::lints::{self, Lints};
use super::node::Node;
use super::operator_plugins::OperatorPlugins;
use super::presets::SetTable;
use super::source::{Origin, Sources};
use super::sweep::swept;
use super::{
    Catalogue, baseline, duplicate_arms, keys, operator_set, problem, start, stop, unused_values,
};
use crate::plan::settings::{ArmSettings, Source, Stop};
use crate::plan::{ArmDraft, Arms, NoArms, Plan, fingerprints};
use crate::problem::parameter::Value;
use crate::problem::{Library, Problem};
use crate::search::OperatorSet;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Builds the plan of an expanded tree.
pub(super) fn build(
    mut config: Expanded<'_>,
    experiment: Experiment,
    (source, sources): (Source, &Sources),
    catalogue: &mut Catalogue,
    out: &mut Faults,
) -> Result<Plan, Refused> {
    let Experiment { name, seed, repeats, baseline, pairing, trace, checkpoint, library } =
        experiment;
    let (root, base) = (config.root, folder(&source.path));
    let from = (catalogue.given.clone(), catalogue.files);
    let files = DataFiles::new(base, catalogue, sources);
    let mut plugins = OperatorPlugins::new(catalogue, base, files);
    let mut drafts = arms(&config, library.as_ref(), &mut plugins, out);
    let (operator_libraries, data_files) = plugins.into_found();
    let swept_keys: Vec<String> = config.axes.iter().map(|axis| axis.key.clone()).collect();
    // After an error, a warning may only be its consequence, and arms are missing.
    if Refused::before(out).is_none() {
        if let Some(library) = library.as_ref().filter(|_| config.several) {
            let prints = fingerprints(&drafts, library, pairing);
            let mut stay = config.grid.remove_repeated_arms(prints).into_iter();
            drafts.retain(|_| stay.next().unwrap_or(true));
        }
        Lints { config: &config, drafts: &drafts }.complain(out);
    }
    if let Some(asked) = baseline {
        let before = out.len();
        baseline::add(&mut drafts, &swept_keys, asked, out);
        out.extend(lints::no_baseline(&drafts, asked).filter(|_| out.len() == before));
    }
    start::give(root, base, from, &swept_keys, &mut drafts, out);
    out.extend(lints::unpairable(&drafts, pairing, root));
    // A tuning compares settings in its iterations.
    out.extend(lints::nothing_paired(&drafts, pairing, root).filter(|_| !config.tunes));
    out.extend(lints::by_time_alone(&drafts, root));
    out.extend(stop::nothing_counted(&drafts, trace, root));
    if let Some(refused) = Refused::before(out) {
        return Err(refused);
    }
    out.extend(lints::no_target(&drafts, repeats.as_ref(), root));
    let (Some(name), Some(seed), Some(repeats), Some(library)) = (name, seed, repeats, library)
    else {
        return Err(Refused::by(Diagnostic::unexplained(&source.path), out));
    };
    let arms = match Arms::of(drafts, &library, pairing, &swept_keys) {
        Ok(arms) => arms,
        Err(NoArms::None) => return Err(Refused::by(Diagnostic::unexplained(&source.path), out)),
        Err(NoArms::Duplicates(first, others)) => {
            return Err(duplicate_arms::refuse(&config, &first, &others, out));
        }
        Err(NoArms::SameLabel(arms)) => {
            return Err(duplicate_arms::refuse_label(&config, &arms, out));
        }
    };
    let stopping_rule = repeats.stopping_rule(&arms, out);
    if let Some(refused) = Refused::before(out) {
        return Err(refused);
    }
    let (repeats, repeated) = (repeats.trials, config.grid.repeated());
    let plan = Plan {
        name,
        seed,
        repeats,
        stopping_rule,
        trace,
        checkpoint,
        swept_keys,
        arms,
        repeated,
        samples: config.samples,
        library,
        operator_libraries,
        data_files,
        source,
    };
    out.extend(lints::unanswerable(&plan, root));
    out.extend(lints::all_the_same(&plan, config.sets));
    Ok(plan)
}

/// A problem with its parameters' values: one for all arms of the same values. And the number of
/// its description: equal ones have the same.
#[derive(Clone)]
struct Made {
    parameters: Arc<[(String, Value)]>,
    problem: Arc<Problem>,
    kind: usize,
}

/// Returns every arm, operator sets outermost. A table is read once per tree of it. An operator set
/// is also read once per description of a problem.
fn arms(
    config: &Expanded<'_>,
    library: Option<&Arc<Library>>,
    plugins: &mut OperatorPlugins<'_>,
    out: &mut Faults,
) -> Vec<ArmDraft> {
    let (problems, examples) = problems(config, library, plugins.files(), out);
    plugins.problem = examples.first().cloned();
    let stops = stops(config, out);
    let of_problem = config.parts(keys::PROBLEM.name, None);
    let of_stop = config.parts(keys::STOP.name, None);
    let mut arms = Vec::new();
    unused_values::check_presets(config.unused_presets, plugins, out);
    for (place, set) in config.sets.iter().enumerate() {
        let trees = config.trees(keys::OPERATORS.name, &set.node, Some(place));
        let operators = operators(config, set, &trees, &examples, plugins, out);
        let mut is_sound = true;
        for combination in config.grid.of_set(place) {
            let Some(made) = &problems[of_problem.of(combination)] else { continue };
            let Some(stop) = &stops[of_stop.of(combination)] else { continue };
            let made_of = operators.get(trees.of(combination));
            let Some(Some(operators)) = made_of.map(|kinds| kinds[made.kind].as_ref()) else {
                continue;
            };
            if is_sound && let Some(fault) = stop::fault_of_set(set, operators, stop) {
                out.push(fault);
                is_sound = false;
            }
            let target = stop.target.or(made.problem.description().ideal);
            let axes = config.axes.iter().zip(combination);
            let settings = ArmSettings {
                parameters: Arc::clone(&made.parameters),
                operators: Arc::clone(operators),
                stop: Stop { target, ..stop.clone() },
                start: None,
                swept: axes.map(|(axis, value)| axis.values.get(*value).map(swept)).collect(),
            };
            arms.push(ArmDraft { settings, problem: Arc::clone(&made.problem), baseline: None });
        }
    }
    arms
}

/// Returns the problem of each tree of [problem], and an example of each kind.
fn problems(
    config: &Expanded<'_>,
    library: Option<&Arc<Library>>,
    files: &mut DataFiles,
    out: &mut Faults,
) -> (Vec<Option<Made>>, Vec<Arc<Problem>>) {
    let mut examples: Vec<Arc<Problem>> = Vec::new();
    let Some((node, library)) = keys::PROBLEM.of(config.root).zip(library) else {
        return (vec![None; config.parts(keys::PROBLEM.name, None).list.len()], examples);
    };
    let mut kinds: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut known: HashMap<String, Made> = HashMap::new();
    let mut make = |tree: Node, out: &mut Faults| {
        let parameters = problem::parameter_values(library, &tree, files, out)?;
        let identity = problem::identity(&parameters);
        if let Some(made) = known.get(&identity) {
            return Some(made.clone());
        }
        let problem = problem::make(library, &parameters, &tree, out)?;
        let alike = kinds.entry(problem.description().genome_length).or_default();
        let same =
            alike.iter().find(|kind| examples[**kind].description() == problem.description());
        let kind = same.copied().unwrap_or_else(|| {
            alike.push(examples.len());
            examples.push(Arc::clone(&problem));
            examples.len() - 1
        });
        let parameters = problem::stated(library, parameters).into();
        let made = Made { parameters, problem, kind };
        known.insert(identity, made.clone());
        Some(made)
    };
    let before = out.len();
    unused_values::check_problem(&config.axes, node, library, out);
    let trees = config.trees(keys::PROBLEM.name, node, None);
    let made: Vec<Option<Made>> = trees.iter().map(|tree| make(tree, out)).collect();
    merge_repeated_messages(made.len(), before, out);
    (made, examples)
}

/// Returns the stop rules of each tree of [stop], without the target that a problem may give.
fn stops(config: &Expanded<'_>, out: &mut Faults) -> Vec<Option<Stop>> {
    let endless = config.sets.is_empty() || config.sets.iter().any(|set| !exhausts(config, set));
    let root = config.root;
    let empty = Node::empty_table(root.origin);
    let given = config.axes.iter().any(|axis| axis.table() == keys::STOP.name);
    let node = match keys::STOP.of(root) {
        Some(node) => node,
        None if endless && !given => {
            if !is_misspelt(root, &keys::STOP) {
                out.push(stop::missing(root.origin, "no table [stop]").of_absence());
            }
            return vec![None];
        }
        None => &empty,
    };
    unused_values::check_stop(&config.axes, node, endless, out);
    let trees = config.trees(keys::STOP.name, node, None);
    trees.iter().map(|tree| stop::read(&tree, endless, out)).collect()
}

/// Returns whether a set enumerates the whole space, and therefore ends on its own.
fn exhausts(config: &Expanded<'_>, set: &SetTable) -> bool {
    let name = keys::ALGORITHM.of(&set.node).map(|node| node.get(keys::KIND).unwrap_or(node));
    let swept = config
        .axes
        .iter()
        .any(|axis| axis.is_of(&set.name) && axis.path.starts_with("operators.algorithm"));
    !swept && name.and_then(Node::as_text) == Some("exhaustive")
}

/// Returns an operator set for each of its trees, and for each kind of problem. Without a problem
/// it is checked as far as that goes.
fn operators(
    config: &Expanded<'_>,
    set: &SetTable,
    trees: &Trees<'_>,
    examples: &[Arc<Problem>],
    plugins: &mut OperatorPlugins<'_>,
    out: &mut Faults,
) -> Vec<Vec<Option<Arc<OperatorSet>>>> {
    let before = out.len();
    let lacks = lacks_slot(config, set, out);
    if lacks {
        operator_set::read(&set.name, &set.node, plugins, out);
    }
    let mut read = |tree: Node| {
        let written = operator_set::read(&set.name, &tree, plugins, out);
        let build = |problem: &Arc<Problem>| written.as_ref()?.build(problem, out).map(Arc::new);
        examples.iter().map(build).collect()
    };
    let read = trees.iter().filter(|_| !lacks).map(&mut read).collect();
    unused_values::check_set(&config.axes, set, plugins, out);
    set.forgive_absence(out, before);
    set.trace_preset(&mut out[before..]);
    for one in &mut out[before..] {
        // A swept key that the set does not know: which set?
        if one.also.is_empty() && config.axes.iter().any(|axis| one.origin == Some(axis.origin)) {
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
fn lacks_slot(config: &Expanded<'_>, set: &SetTable, out: &mut Faults) -> bool {
    let before = out.len();
    let own = |axis: &&Axis| axis.table() == keys::OPERATORS.name && axis.is_of(&set.name);
    for axis in config.axes.iter().filter(own) {
        let path = axis.path();
        let [slot, parameter] = path.as_slice() else { continue };
        let filled = |other: &Axis| match other.path().as_slice() {
            [whole] | [whole, keys::KIND] => whole == slot,
            _ => false,
        };
        if set.node.get(slot).is_some() || config.axes.iter().filter(own).any(filled) {
            continue;
        }
        let message =
            format!("operator set `{}` has no {slot} with a `{parameter}` to sweep", set.name);
        let error = axis.origin.error(message, "swept in every operator set");
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

/// Keeps the first of several plugin messages that differ only in numbers, and adds to how many
/// combinations it applies.
fn merge_repeated_messages(values: usize, from: usize, out: &mut Faults) {
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
