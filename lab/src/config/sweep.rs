//! The table [sweep]: which keys take which values, and every combination of them.

use super::axis::{Axis, Sweep, Table};
use super::diagnostic::{Diagnostic, Faults, Refused};
use super::fields::{entries, is_meant, takeable, wrong_type};
use super::keys;
use super::node::{Node, Shape};
use super::range;
use super::sample::{self, Column, Sample, Spreads};
use super::set_name::{of_one_set, set_names};
use super::source::Origin;
use super::spread::{Spread, has_no_steps};
use super::sweep_rules::{Rules, goes_together};
use super::sweep_tables::{EXCEPT, TOGETHER, is_rule, rules, sweeps};
use super::swept_keys::{SweptKeys, operator_sets};
use crate::problem::Library;
use crate::problem::parameter::Value;
use std::collections::{BTreeMap, HashMap};

/// Reads [sweep], or every [[sweep]]. `library` is the problem's plugin, where it could be loaded;
/// samples are drawn by `seed`.
pub(super) fn read(root: &Node, library: Option<&Library>, seed: u64, out: &mut Faults) -> Sweep {
    let known = SweptKeys::of(root, library);
    let names = set_names(operator_sets(root));
    let mut reader = Reader { names, known, seed, sweep: Sweep::default(), out };
    sweeps(root).iter().for_each(|table| reader.table(table));
    reader.sweep
}

struct Reader<'a> {
    names: Vec<String>,
    known: SweptKeys<'a>,
    seed: u64,
    sweep: Sweep,
    out: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Reads one table.
    fn table(&mut self, node: &Node) {
        let Some(entries) = entries(node, &keys::SWEEP_TABLE, self.out) else { return };
        let mut seen: BTreeMap<&str, Origin> = BTreeMap::new();
        let mut read = Table::default();
        let before = self.out.len();
        let meant = is_meant(entries, keys::SAMPLE.name, &rules());
        let sample = if meant { None } else { sample::read(node, self.out) };
        let sampled = meant || keys::SAMPLE.of(node).is_some();
        let mut spreads = Spreads::new();
        for entry in entries.iter().filter(|entry| !is_rule(&entry.key)) {
            if let Some(first) = seen.get(entry.key.as_str()) {
                let error =
                    entry.key_origin.error(format!("`{}` is swept twice", entry.key), "again");
                let error = error.also(*first, "first used here").help("keep one list");
                self.out.push(error);
                continue;
            }
            seen.insert(&entry.key, entry.key_origin);
            let (set, path) = self.of_one_set(&entry.key);
            let (key, origin) = (entry.key.clone(), entry.key_origin);
            let repeats = goes_together(node, &key);
            let given = Given { value: &entry.value, repeats, sampled };
            let found = axis(key, path, origin, given, &self.known, self.out);
            if let Some((found, spread)) = found {
                let own = self.add(Axis { set, ..found });
                spread.into_iter().for_each(|spread| _ = spreads.insert(own.0, spread));
                read.axes.push(own);
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
        if sampled {
            let good = Refused::before(&self.out[before..]).is_none();
            let sample = sample.filter(|_| good);
            let chosen = sample.and_then(|sample| self.choose(sample, &read, &spreads));
            read = chosen.unwrap_or_else(|| self.first(read, &spreads));
        }
        self.sweep.tables.push(read);
    }

    /// Returns the combinations of a sample of a table: the values of its keys go together.
    fn choose(&mut self, sample: Sample, read: &Table, spreads: &Spreads) -> Option<Table> {
        let place = (self.seed, self.sweep.tables.len());
        let (columns, words) =
            sample.columns((&self.sweep.axes, read, spreads), place, self.out)?;
        self.sweep.samples.push(words);
        let mut axes = Vec::with_capacity(columns.len());
        for (axis, column) in columns {
            axes.push(match column {
                Column::Places(places) => (axis, places),
                Column::Values(values) => {
                    self.add(Axis { values, ..self.sweep.axes[axis].clone() })
                }
            });
        }
        let together = vec![axes.iter().map(|(axis, _)| *axis).collect()];
        Some(Table { axes, together, except: Vec::new() })
    }

    /// Returns one combination of a table, to go on with after an error: all may be far too many.
    fn first(&mut self, read: Table, spreads: &Spreads) -> Table {
        let mut axes = Vec::with_capacity(read.axes.len());
        for (axis, mut own) in read.axes {
            if let Some(spread) = spreads.get(&axis) {
                let values = vec![spread.value(0.5)];
                own = self.add(Axis { values, ..self.sweep.axes[axis].clone() }).1;
            }
            own.truncate(1);
            axes.push((axis, own));
        }
        Table { axes, ..Table::default() }
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

    /// Adds a key and its values to those of other sweeps. Returns its place, and those of the
    /// values.
    fn add(&mut self, found: Axis) -> (usize, Vec<usize>) {
        let known = self.sweep.axes.iter().position(|axis| axis.key == found.key);
        let place = known.unwrap_or(self.sweep.axes.len());
        if known.is_none() {
            self.sweep.axes.push(Axis { values: Vec::new(), ..found.clone() });
        }
        let axis = &mut self.sweep.axes[place];
        let texts = axis.values.iter().map(Node::to_toml);
        let mut known: HashMap<String, usize> = texts.zip(0..).collect();
        let mut values = Vec::with_capacity(found.values.len());
        for value in found.values {
            let place = *known.entry(value.to_toml()).or_insert(axis.values.len());
            if place == axis.values.len() {
                axis.values.push(value);
            }
            values.push(place);
        }
        (place, values)
    }
}

/// Value of a key in a sweep.
#[derive(Clone, Copy)]
struct Given<'a> {
    value: &'a Node,
    /// Whether it may repeat values.
    repeats: bool,
    /// Whether its sweep has a sample.
    sampled: bool,
}

/// Returns the axis of a key, whose values must differ unless they may repeat. A range without
/// steps has values once a sample takes them.
fn axis(
    key: String,
    path: String,
    origin: Origin,
    Given { value, repeats, sampled }: Given<'_>,
    known: &SweptKeys<'_>,
    out: &mut Faults,
) -> Option<(Axis, Option<Spread>)> {
    if let Some(fault) = known.fault(&path, origin) {
        return fault.to(out);
    }
    let of = |values| Axis { key: key.clone(), path: path.clone(), set: None, origin, values };
    let range;
    let values = match &value.shape {
        Shape::List(values) => values,
        Shape::Table(entries) if sampled && range::is_range(entries) && has_no_steps(entries) => {
            if repeats {
                return Spread::goes_together(&key, value).to(out);
            }
            let spread = Spread::read(&key, value, entries, out)?;
            return Some((of(Vec::new()), Some(spread)));
        }
        Shape::Table(entries) if range::is_range(entries) => {
            range =
                range::values(&key, value, entries).map_err(|errors| out.extend(errors)).ok()?;
            &range
        }
        _ => {
            let error = wrong_type(value, &key, "a list of values, or a range");
            let one = takeable(value, &key, &mut Vec::new());
            let listed = match one.filter(|one| one.entries().is_none_or(|one| !one.is_empty())) {
                Some(value) => value.to_toml(),
                None => " … ".to_owned(),
            };
            return error.help(format!("write \"{key}\" = [{listed}]")).to(out);
        }
    };
    let differing = if repeats { &values[..values.len().min(1)] } else { values };
    all_differ(&key, value, differing, out).then(|| (of(values.clone()), None))
}

/// Returns a value as the tables have it. What is not a single value is TOML.
pub(super) fn swept(node: &Node) -> Value {
    node.value().unwrap_or_else(|| Value::Text(node.to_toml().into()))
}

/// Returns whether there are values, all different; reports a fault otherwise.
fn all_differ(key: &str, list: &Node, values: &[Node], out: &mut Faults) -> bool {
    let before = out.len();
    if values.is_empty() {
        let error = list.error(format!("the sweep of `{key}` has no values"), "an empty list");
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
            let error = node.error(format!("the sweep of `{key}` has {text} twice"), "again");
            let error =
                error.also(*first, "first used here").rule("every value makes its own arms");
            out.push(error.help("remove one of them"));
        } else {
            seen.insert(text, node.origin);
        }
    }
    out.len() == before
}
