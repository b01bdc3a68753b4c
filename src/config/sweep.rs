//! The table [sweep]: which keys take which values, and every combination of them.

use super::diagnostic::Diagnostic;
use super::fields::{entries, table, wrong_type};
use super::keys;
use super::node::{Entry, Node, Shape};
use super::presets::set_name;
use super::range;
use super::source::Origin;
use super::sweep_tables::{EXCEPT, TOGETHER, sweeps};
use super::swept_keys::SweptKeys;
use crate::operators::operator::{Slot, listed};
use crate::problem::parameter::Value;
use std::collections::{BTreeMap, HashMap};

/// Swept keys and rules of a config.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    /// One axis per key, with the values that all sweeps give it.
    pub axes: Vec<Axis>,
    /// One entry per sweep.
    pub tables: Vec<Table>,
}

/// One table [sweep].
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// Places of axes, with those of the values that this sweep gives them.
    pub axes: Vec<(usize, Vec<usize>)>,
    /// Axes whose values go together: the first with the first, and so on. Each may repeat values.
    pub together: Vec<Vec<usize>>,
    pub except: Vec<Exception>,
}

/// A rule that leaves combinations out: those that have, of each of these axes, one of these
/// values.
#[derive(Clone, Debug)]
pub(super) struct Exception(Vec<(usize, Vec<usize>)>);

impl Exception {
    /// Returns whether a combination is left out.
    pub(super) fn holds(&self, combination: &[usize]) -> bool {
        self.0.iter().all(|(axis, values)| values.contains(&combination[*axis]))
    }
}

/// One swept key.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// The key as in the file, such as `operators.selection.size` or `operators.NAME.population`.
    pub key: String,
    /// The key without an operator set's name.
    pub path: String,
    /// Operator set that alone has the key; `None` if all sets have it.
    pub set: Option<String>,
    pub origin: Origin,
    /// Values, at least one, all different.
    pub values: Vec<Node>,
    /// The values as the tables have them. A value that is not a single value is TOML.
    pub swept: Vec<Value>,
}

impl Axis {
    /// Returns the table that the key is in: `problem`, `operators` or `stop`.
    pub(super) fn table(&self) -> &str {
        self.path.split('.').next().unwrap_or_default()
    }

    /// Returns whether an operator set of this name has it.
    pub(super) fn is_of(&self, set: &str) -> bool {
        self.set.as_deref().is_none_or(|own| own == set)
    }

    /// Returns the path below that table.
    pub(super) fn path(&self) -> Vec<&str> {
        self.path.split('.').skip(1).collect()
    }
}

/// Reads [sweep], or every [[sweep]]. `parameters` are the plugin's, where it could be loaded.
pub(super) fn read(root: &Node, parameters: Option<&[&str]>, out: &mut Vec<Diagnostic>) -> Sweep {
    let known = SweptKeys { parameters, foreign: slots_of_plugins(root) };
    let mut reader = Reader { names: set_names(root), known, sweep: Sweep::default(), out };
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

/// Returns the names of the operator sets.
fn set_names(root: &Node) -> Vec<String> {
    operator_sets(root).iter().enumerate().map(|(place, set)| set_name(set, place)).collect()
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
        let all_are_read = self.out.len() == before;
        if let Some(rules) = node.get(TOGETHER).filter(|_| all_are_read) {
            read.together = self.together(rules, &read);
            self.each_once(node, &read);
        }
        if let Some(rules) = node.get(EXCEPT).filter(|_| all_are_read) {
            read.except = self.except(rules, &read);
        }
        self.sweep.tables.push(read);
    }

    /// Returns the operator set that a key names, and the key without it:
    /// `operators.NAME.population`.
    fn of_one_set(&self, key: &str) -> (Option<String>, String) {
        let below = key.strip_prefix("operators.").unwrap_or_default();
        let first = below.split('.').next().unwrap_or_default();
        let inside = |name: &&String| {
            below.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        match self.names.iter().filter(|_| !keys::OPERATOR_SET.has(first)).find(inside) {
            Some(name) => (Some(name.clone()), format!("operators{}", &below[name.len()..])),
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

    /// Returns the place of the key that a rule names, among those of its table.
    fn place<'a>(
        &mut self,
        key: &str,
        origin: Origin,
        read: &'a Table,
    ) -> Option<&'a (usize, Vec<usize>)> {
        let axes = &self.sweep.axes;
        let found = read.axes.iter().find(|(place, _)| axes[*place].key == key);
        if found.is_none() {
            let keys: Vec<&str> =
                read.axes.iter().map(|(place, _)| axes[*place].key.as_str()).collect();
            let error = Diagnostic::error(
                format!("`{key}` is not swept in this table"),
                origin,
                "not one of its keys",
            );
            let error = error.rule(format!("this sweep has {}", listed(&keys, "and")));
            self.out.push(error.help_nearest(key, keys, "name keys of this sweep"));
        }
        found
    }

    /// Reads `together = ["a", "b"]`, or a list of such lists.
    fn together(&mut self, node: &Node, read: &Table) -> Vec<Vec<usize>> {
        let example = "together = [\"problem.n\", \"stop.evaluations\"]";
        let wrong = || {
            let error = wrong_type(node, TOGETHER, "a list of swept keys, or of such lists");
            error.help(format!("write it as {example}"))
        };
        let Shape::List(items) = &node.shape else {
            self.out.push(wrong());
            return Vec::new();
        };
        let lists: Option<Vec<&Vec<Node>>> = items
            .iter()
            .map(|item| match &item.shape {
                Shape::List(keys) => Some(keys),
                _ => None,
            })
            .collect();
        let groups = lists.filter(|lists| !lists.is_empty()).unwrap_or_else(|| vec![items]);
        let (mut found, mut taken): (Vec<Vec<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
        for group in groups {
            let mut members: Vec<(usize, usize)> = Vec::new();
            for item in group {
                let Shape::Text(key) = &item.shape else {
                    self.out.push(wrong());
                    return Vec::new();
                };
                let Some((place, values)) = self.place(key, item.origin, read) else { continue };
                if taken.contains(place) {
                    let error = Diagnostic::error(
                        format!("`{key}` goes together twice"),
                        item.origin,
                        "again",
                    );
                    self.out.push(error.help("name each key once"));
                }
                taken.push(*place);
                members.push((*place, values.len()));
            }
            let most = members.iter().map(|(_, values)| *values).max().unwrap_or(0);
            // An override leaves one value: it goes together with all.
            if members.iter().any(|(_, values)| *values != most && *values != 1) {
                let name = |(place, values): &(usize, usize)| {
                    format!("{values} of `{}`", self.sweep.axes[*place].key)
                };
                let counts: Vec<String> = members.iter().map(name).collect();
                let at = group.first().map_or(node.origin, |item| item.origin);
                let error = Diagnostic::error(
                    "keys that go together have different numbers of values",
                    at,
                    format!("there are {}", counts.join(", ")),
                );
                let error = error
                    .rule("the first value of one goes with the first of the other, and so on");
                self.out.push(error.help("list as many values for each"));
            }
            found.push(members.into_iter().map(|(place, _)| place).collect());
        }
        found
    }

    /// Complains of values that go together twice in the same way.
    fn each_once(&mut self, node: &Node, read: &Table) {
        for group in &read.together {
            let of = |place: &usize| read.axes.iter().find(|(other, _)| other == place);
            let lists: Vec<&(usize, Vec<usize>)> = group.iter().filter_map(of).collect();
            let Some((first, rows)) = lists.first() else { continue };
            // An override leaves one value: rows may come to the same then.
            if lists.iter().any(|(_, values)| values.len() != rows.len()) {
                continue;
            }
            let key = &self.sweep.axes[*first].key;
            let Some(Shape::List(cells)) = node.get(key).map(|cells| &cells.shape) else {
                continue;
            };
            let mut seen: HashMap<Vec<usize>, usize> = HashMap::new();
            for row in 0..rows.len() {
                let values = lists.iter().map(|(_, values)| values[row]).collect();
                let first = *seen.entry(values).or_insert(row);
                if first == row {
                    continue;
                }
                let value = |(axis, values): &&(usize, Vec<usize>)| {
                    let axis = &self.sweep.axes[*axis];
                    format!("`{}` = {}", axis.key, axis.values[values[row]].to_toml())
                };
                let values: Vec<String> = lists.iter().map(value).collect();
                let message = format!("the sweep has {} twice", values.join(", "));
                let error = Diagnostic::error(message, cells[row].origin, "again");
                let error = error.also(cells[first].origin, "first used here");
                let error = error.rule("every combination of values makes its own arms");
                self.out.push(error.help("remove one of the two"));
            }
        }
    }

    /// Reads `except = [{ "a" = 1, "b" = [2, 3] }]`.
    fn except(&mut self, node: &Node, read: &Table) -> Vec<Exception> {
        let example = "except = [{ \"problem.n\" = 10, \"operators.population\" = [50, 100] }]";
        let Shape::List(items) = &node.shape else {
            let error = wrong_type(node, EXCEPT, "a list of tables");
            self.out.push(error.help(format!("write it as {example}")));
            return Vec::new();
        };
        let mut rules = Vec::new();
        for item in items {
            let Some(entries) = table(item, EXCEPT, example, self.out) else { continue };
            let mut rule = Vec::new();
            for entry in entries {
                let Some((place, given)) = self.place(&entry.key, entry.key_origin, read) else {
                    continue;
                };
                let wanted = match &entry.value.shape {
                    Shape::List(values) => values.as_slice(),
                    _ => std::slice::from_ref(&entry.value),
                };
                let values = &self.sweep.axes[*place].values;
                let like =
                    |value: usize| wanted.iter().any(|wanted| wanted.is_like(&values[value]));
                let found: Vec<usize> =
                    given.iter().copied().filter(|value| like(*value)).collect();
                if found.is_empty() {
                    let warning = Diagnostic::warning(
                        format!("no arm has `{}` = {}", entry.key, entry.value.to_toml()),
                        entry.value.origin,
                        "leaves nothing out",
                    );
                    self.out.push(warning.help("name values that this sweep has"));
                }
                rule.push((*place, found));
            }
            if entries.is_empty() {
                let error =
                    Diagnostic::error("this rule names no key", item.origin, "would leave all out");
                self.out.push(error.help(format!("write it as {example}")));
            }
            rules.push(Exception(rule));
        }
        rules
    }
}

/// Returns whether a rule of a sweep has a key's values go together with those of others.
fn goes_together(sweep: &Node, key: &str) -> bool {
    fn names(node: &Node, key: &str) -> bool {
        match &node.shape {
            Shape::Text(text) => text == key,
            Shape::List(items) => items.iter().any(|item| names(item, key)),
            _ => false,
        }
    }
    sweep.get(TOGETHER).is_some_and(|rules| names(rules, key))
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
