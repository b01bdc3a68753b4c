//! Keys that a tuning sets, with their ranges or values.

use super::diagnostic::Faults;
use super::fields::{check_keys, wrong_type};
use super::keys;
use super::node::{Entry, Node, Shape};
use super::range::{FROM, TO};
use super::source::Origin;
use super::spread::{COURSE, Spread, has_no_steps};
use super::sweep_tables::flatten_paths;
use super::tune_condition::Condition;
use crate::tune::{Coordinate, Dimension};
use std::collections::BTreeMap;

pub(super) const VALUES: &str = "values";
pub(super) const WHEN: &str = "when";

/// Returns values of a key, as advice.
fn example(key: &str) -> &'static str {
    match key.ends_with(".population") {
        true => "{ from = 10, to = 200, course = \"geometric\" }",
        false => {
            "{ from = 0.001, to = 0.5, course = \"geometric\" } or [\"uniform\", \"one-point\"]"
        }
    }
}

/// Returns whether the entries of a table are the range or the values of a key.
fn is_value(entries: &[Entry]) -> bool {
    entries.iter().any(|one| [FROM, TO, COURSE, VALUES, WHEN].contains(&one.key.as_str()))
}

/// Returns whether the entries of a table are a range with both ends, or values: without keys of
/// another table, they say all that there is to say.
pub(super) fn is_whole(entries: &[Entry]) -> bool {
    let has = |key: &str| entries.iter().any(|one| one.key == key);
    has(VALUES) || (has(FROM) && has(TO))
}

/// Tables of `[tune]` whose keys are dotted keys of an experiment.
pub(super) const FLAT: [&str; 3] =
    [keys::TUNE_KEYS.name, keys::TUNE_TRAIN.name, keys::TUNE_TEST.name];

/// Returns whether `name` is a table of `[tune]` whose keys are dotted keys of an experiment.
pub(super) fn is_flat(tune: &Node, name: &str) -> bool {
    FLAT.contains(&name) && !matches!(tune.get(name), Some(Node { shape: Shape::List(_), .. }))
}

/// Flattens the tables that dotted keys without quotes make below `[tune]`.
pub(super) fn flatten(root: &mut Node) {
    let Some(tune) = root.get_mut(keys::TUNE.name) else { return };
    for name in FLAT {
        if let Some(entries) = tune.get_mut(name).and_then(Node::entries_mut) {
            flatten_paths(entries, &is_value);
        }
    }
}

/// Key that `[tune.keys]` has, and what it says if that could be read.
#[derive(Clone, Debug)]
pub(super) struct WrittenKey {
    pub name: String,
    pub origin: Origin,
    pub read: Option<TunedKey>,
}

/// Returns the names of these keys.
pub(super) fn names(keys: &[WrittenKey]) -> Vec<&str> {
    keys.iter().map(|one| one.name.as_str()).collect()
}

/// One tuned key.
#[derive(Clone, Debug)]
pub(super) struct TunedKey {
    pub key: String,
    pub origin: Origin,
    /// Range or values with their condition, as TOML.
    pub text: String,
    values: Values,
    /// Condition under which a setting has the key; `None` if every setting has it.
    pub when: Option<Condition>,
}

#[derive(Clone, Debug)]
enum Values {
    Range(Spread),
    List(Vec<Node>),
}

impl TunedKey {
    /// Reads a key. `earlier` are the keys above it.
    pub(super) fn read(entry: &Entry, earlier: &[&str], out: &mut Faults) -> Option<Self> {
        let Entry { key, key_origin: origin, value } = entry;
        let text = value.to_toml();
        let mut value = value.clone();
        let when = match value.take(WHEN) {
            Some(node) => {
                let example = "when = { \"operators.selection\" = \"tournament\" }";
                Some(Condition::read(&node, (WHEN, example), earlier, out)?)
            }
            None => None,
        };
        let values = match &value.shape {
            Shape::List(values) => Values::List(list(key, &value, values, out)?),
            Shape::Table(entries) if entries.iter().any(|one| one.key == VALUES) => {
                check_keys(entries, &[VALUES, WHEN], "a tuned key with values", out);
                let node = value.get(VALUES)?;
                let Shape::List(values) = &node.shape else {
                    let error = wrong_type(node, VALUES, "a list of values");
                    return error.help(format!("write \"{key}\" = {}", example(key))).to(out);
                };
                Values::List(list(key, node, values, out)?)
            }
            Shape::Table(entries) if is_value(entries) && has_no_steps(entries) => {
                Values::Range(Spread::read(key, &value, entries, out)?)
            }
            _ => {
                let error = wrong_type(&value, key, "a range without steps, or a list of values");
                return error.help(format!("write \"{key}\" = {}", example(key))).to(out);
            }
        };
        Some(TunedKey { key: key.clone(), origin: *origin, text, values, when })
    }

    pub(super) fn dimension(&self) -> Dimension {
        match &self.values {
            Values::Range(_) => Dimension::Number,
            Values::List(values) => Dimension::Choice(values.len()),
        }
    }

    /// Returns the value at a coordinate.
    pub(super) fn value(&self, coordinate: Coordinate) -> Option<Node> {
        match (&self.values, coordinate) {
            (Values::Range(spread), Coordinate::Share(share)) => Some(spread.value(share)),
            (Values::List(values), Coordinate::Choice(place)) => values.get(place).cloned(),
            _ => None,
        }
    }

    /// Returns the coordinate of a value; `None` if it is none of the values.
    pub(super) fn coordinate(&self, value: &Node) -> Option<Coordinate> {
        let coordinate = self.nearest(value)?;
        self.value(coordinate).is_some_and(|own| own.is_like(value)).then_some(coordinate)
    }

    /// Returns the coordinate that is nearest to a value in the range, or that of the choice;
    /// `None` for any other value.
    pub(super) fn nearest(&self, value: &Node) -> Option<Coordinate> {
        match &self.values {
            Values::Range(spread) => Some(Coordinate::Share(spread.share(value)?)),
            Values::List(values) => {
                let place = values.iter().position(|one| one.is_like(value))?;
                Some(Coordinate::Choice(place))
            }
        }
    }

    /// Returns whether it has a value between two numbers, or one of them.
    pub(super) fn has_between(&self, low: f64, high: f64) -> bool {
        match &self.values {
            Values::Range(spread) => spread.has_between(low, high),
            Values::List(values) => values
                .iter()
                .any(|one| one.as_number().is_some_and(|number| (low..=high).contains(&number))),
        }
    }

    /// Returns its values as the file has them.
    pub(super) fn shown(&self) -> String {
        match &self.values {
            Values::Range(spread) => spread.shown(),
            Values::List(values) => values.iter().map(Node::to_toml).collect::<Vec<_>>().join(", "),
        }
    }

    /// Returns the coordinates of its extreme values: the ends of a range, or every value.
    pub(super) fn extremes(&self) -> Vec<Coordinate> {
        match &self.values {
            Values::Range(_) => vec![Coordinate::Share(0.0), Coordinate::Share(1.0 - f64::EPSILON)],
            Values::List(values) => (0..values.len()).map(Coordinate::Choice).collect(),
        }
    }
}

/// Returns the values of a list, if there are at least two, and each once.
fn list(key: &str, node: &Node, values: &[Node], out: &mut Faults) -> Option<Vec<Node>> {
    if values.len() < 2 {
        let message = format!("`{key}` has fewer than two values to choose from");
        let error = node.error(message, "nothing to choose");
        return error.help("list at least two values, or set the key in [[operators]]").to(out);
    }
    let mut seen: BTreeMap<String, Origin> = BTreeMap::new();
    for value in values {
        if let Some(first) = seen.insert(value.to_toml(), value.origin) {
            let message = format!("`{key}` has {} twice", value.to_toml());
            let error = value.error(message, "again");
            return error.also(first, "first used here").help("remove one of them").to(out);
        }
    }
    Some(values.to_vec())
}
