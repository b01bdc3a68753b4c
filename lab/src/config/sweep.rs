//! The table [sweep]: which keys take which values, and every combination of them.

use super::axis::{Axis, Sweep, Table};
use super::diagnostic::Diagnostic;
use super::fields::{entries, wrong_type};
use super::keys;
use super::node::{Entry, Node, Shape};
use super::range;
use super::set_name::{of_one_set, set_names};
use super::source::Origin;
use super::sweep_rules::{Rules, goes_together};
use super::sweep_tables::{EXCEPT, TOGETHER, sweeps};
use super::swept_keys::SweptKeys;
use crate::operators::operator::Slot;
use crate::problem::parameter::Value;
use std::collections::{BTreeMap, HashMap};

/// Reads [sweep], or every [[sweep]]. `parameters` are the plugin's, where it could be loaded.
pub(super) fn read(root: &Node, parameters: Option<&[&str]>, out: &mut Vec<Diagnostic>) -> Sweep {
    let known = SweptKeys { parameters, foreign: slots_of_plugins(root) };
    let mut reader =
        Reader { names: set_names(operator_sets(root)), known, sweep: Sweep::default(), out };
    sweeps(root).iter().for_each(|table| reader.table(table));
    reader.sweep
}

/// Returns the tables of the operator sets.
fn operator_sets(root: &Node) -> &[Node] {
    match keys::OPERATORS.of(root).map(|node| &node.shape) {
        Some(Shape::List(sets)) => sets,
        _ => &[],
    }
}

/// Returns the slots that hold an operator of a plugin, in some operator set or by a sweep: its
/// parameters are the plugin's.
fn slots_of_plugins(root: &Node) -> Vec<&'static str> {
    let names_plugin = |value: &Node| match &value.shape {
        Shape::List(values) => values.iter().any(|one| keys::PLUGIN.of(one).is_some()),
        _ => keys::PLUGIN.of(value).is_some(),
    };
    let of_sweep = |key: &str, slot: &str| {
        key.strip_prefix("operators.").is_some_and(|path| path.rsplit('.').next() == Some(slot))
    };
    let swept = || sweeps(root).iter().filter_map(Node::entries).flatten();
    let holds = |slot: &Slot| {
        let slot = slot.as_str();
        operator_sets(root).iter().filter_map(|set| set.get(slot)).any(names_plugin)
            || swept().any(|entry| of_sweep(&entry.key, slot) && names_plugin(&entry.value))
    };
    let slots = [Slot::Selection, Slot::Crossover, Slot::Mutation];
    slots.into_iter().filter(holds).map(Slot::as_str).collect()
}

struct Reader<'a> {
    names: Vec<String>,
    known: SweptKeys<'a>,
    sweep: Sweep,
    out: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Reads one table.
    fn table(&mut self, node: &Node) {
        let Some(entries) = entries(node, &keys::SWEEP_TABLE, self.out) else { return };
        let mut seen: BTreeMap<&str, Origin> = BTreeMap::new();
        let mut read = Table { axes: Vec::new(), together: Vec::new(), except: Vec::new() };
        let before = self.out.len();
        let is_rule = |entry: &&Entry| [TOGETHER, EXCEPT].contains(&entry.key.as_str());
        for entry in entries.iter().filter(|entry| !is_rule(entry)) {
            if let Some(first) = seen.get(entry.key.as_str()) {
                let error = Diagnostic::error(
                    format!("`{}` is swept twice", entry.key),
                    entry.key_origin,
                    "again",
                );
                let error = error.also(*first, "first used here").help("keep one list");
                self.out.push(error);
                continue;
            }
            seen.insert(&entry.key, entry.key_origin);
            let (set, path) = self.of_one_set(&entry.key);
            let (key, origin) = (entry.key.clone(), entry.key_origin);
            let repeats = goes_together(node, &key);
            let found = axis(key, path, origin, (&entry.value, repeats), &self.known, self.out);
            if let Some(found) = found {
                read.axes.push(self.add(Axis { set, ..found }));
            }
        }
        // The rules are about keys that were read.
        if self.out.len() == before {
            let mut rules = Rules { axes: &self.sweep.axes, own: &read.axes, out: self.out };
            if let Some(together) = node.get(TOGETHER) {
                read.together = rules.together(together);
                rules.each_once(node, &read.together);
            }
            if let Some(except) = node.get(EXCEPT) {
                read.except = rules.except(except);
            }
        }
        self.sweep.tables.push(read);
    }

    /// Returns the operator set that a key names, and the key without it:
    /// `operators.NAME.population`.
    fn of_one_set(&self, key: &str) -> (Option<String>, String) {
        let below = key.strip_prefix("operators.").unwrap_or_default();
        match of_one_set(below, &self.names) {
            Some((place, rest)) => (Some(self.names[place].clone()), format!("operators.{rest}")),
            None => (None, key.to_owned()),
        }
    }

    /// Adds a key and its values to those that other sweeps gave; its place, and those of the
    /// values.
    fn add(&mut self, found: Axis) -> (usize, Vec<usize>) {
        let known = self.sweep.axes.iter().position(|axis| axis.key == found.key);
        let place = known.unwrap_or(self.sweep.axes.len());
        let Axis { values: given, swept: given_swept, .. } = &found;
        if known.is_none() {
            let empty = Axis { values: Vec::new(), swept: Vec::new(), ..found.clone() };
            self.sweep.axes.push(empty);
        }
        let axis = &mut self.sweep.axes[place];
        let texts = axis.values.iter().map(Node::to_toml);
        let mut known: HashMap<String, usize> = texts.zip(0..).collect();
        let mut values = Vec::with_capacity(given.len());
        for (value, swept) in given.iter().zip(given_swept) {
            let place = *known.entry(value.to_toml()).or_insert(axis.values.len());
            if place == axis.values.len() {
                axis.values.push(value.clone());
                axis.swept.push(swept.clone());
            }
            values.push(place);
        }
        (place, values)
    }
}

/// Returns the axis of a key. Its values must differ, unless it `repeats` them.
fn axis(
    key: String,
    path: String,
    origin: Origin,
    (value, repeats): (&Node, bool),
    known: &SweptKeys<'_>,
    out: &mut Vec<Diagnostic>,
) -> Option<Axis> {
    if let Some(fault) = known.fault(&path, origin) {
        out.push(fault);
        return None;
    }
    let range;
    let values = match &value.shape {
        Shape::List(values) => values,
        Shape::Table(entries) if range::is_range(entries) => {
            range =
                range::values(&key, value, entries).map_err(|errors| out.extend(errors)).ok()?;
            &range
        }
        _ => {
            let error = wrong_type(value, &key, "a list of values, or a range");
            out.push(error.help(format!("write \"{key}\" = [{}]", value.to_toml())));
            return None;
        }
    };
    let differing = if repeats { &values[..values.len().min(1)] } else { values };
    if !all_differ(&key, value, differing, out) {
        return None;
    }
    let swept = values
        .iter()
        .map(|node| node.value().unwrap_or_else(|| Value::Text(node.to_toml().into())))
        .collect();
    Some(Axis { key, path, set: None, origin, values: values.clone(), swept })
}

/// Returns whether there are values, and each of them once; complains otherwise.
fn all_differ(key: &str, list: &Node, values: &[Node], out: &mut Vec<Diagnostic>) -> bool {
    let before = out.len();
    if values.is_empty() {
        let error = Diagnostic::error(
            format!("the sweep of `{key}` has no values"),
            list.origin,
            "an empty list",
        );
        out.push(
            error
                .rule("every combination of values makes an arm; an empty list would give no arms")
                .help("list the values, or remove the key"),
        );
    }
    let mut seen: BTreeMap<String, Origin> = BTreeMap::new();
    for node in values {
        let text = node.to_toml();
        if let Some(first) = seen.get(&text) {
            let error = Diagnostic::error(
                format!("the sweep of `{key}` has {text} twice"),
                node.origin,
                "again",
            );
            let error =
                error.also(*first, "first used here").rule("every value makes its own arms");
            out.push(error.help("remove one of them"));
        } else {
            seen.insert(text, node.origin);
        }
    }
    out.len() == before
}
