//! The table [sweep]: which keys take which values, and every combination of them.

use super::diagnostic::Diagnostic;
use super::fields::{table, wrong_type};
use super::keys::{self, Form};
use super::node::{Node, Origin, Shape};
use crate::config::nearest::{nearest, nearest_key};
use crate::operators::registry::{listed, operators};
use crate::problem::parameter::Value;
use std::collections::BTreeMap;

/// One swept key.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// As in the file, such as `operators.selection.size`.
    pub key: String,
    pub origin: Origin,
    /// At least one, all different.
    pub values: Vec<Node>,
    /// The same as the tables have them: what is no single value, as TOML.
    pub swept: Vec<Value>,
}

impl Axis {
    /// The table that the key is in: `problem`, `operators` or `stop`.
    pub(super) fn table(&self) -> &str {
        self.key.split('.').next().unwrap_or_default()
    }

    /// The path below that table.
    pub(super) fn path(&self) -> Vec<&str> {
        self.key.split('.').skip(1).collect()
    }
}

/// Reads [sweep]. `parameters` are the plugin's, where it could be loaded.
pub(super) fn read(
    root: &Node,
    parameters: Option<&[&str]>,
    out: &mut Vec<Diagnostic>,
) -> Vec<Axis> {
    let Some(node) = root.get("sweep") else { return Vec::new() };
    let Some(entries) = table(node, "sweep", "[sweep] with \"problem.n\" = [6, 8]", out) else {
        return Vec::new();
    };
    let mut axes: Vec<Axis> = Vec::new();
    let mut seen: BTreeMap<&str, Origin> = BTreeMap::new();
    for entry in entries {
        if let Some(first) = seen.get(entry.key.as_str()) {
            let error = Diagnostic::error(
                format!("`{}` is swept twice", entry.key),
                entry.key_origin,
                "again",
            );
            out.push(error.also(*first, "first used here").help("keep one list"));
        } else {
            seen.insert(&entry.key, entry.key_origin);
            axes.extend(axis(entry.key.clone(), entry.key_origin, &entry.value, parameters, out));
        }
    }
    axes
}

fn axis(
    key: String,
    origin: Origin,
    value: &Node,
    parameters: Option<&[&str]>,
    out: &mut Vec<Diagnostic>,
) -> Option<Axis> {
    if let Err(error) = check_key(&key, origin, parameters) {
        out.push(*error);
        return None;
    }
    let Shape::List(values) = &value.shape else {
        let error = wrong_type(value, &key, "a list of values");
        out.push(error.help(format!("write \"{key}\" = [{}]", value.to_toml())));
        return None;
    };
    if values.is_empty() {
        let error = Diagnostic::error(
            format!("the sweep of `{key}` has no values"),
            value.origin,
            "an empty list",
        );
        out.push(
            error
                .rule("every combination of values makes an arm; an empty list would give no arms")
                .help("list the values, or remove the key"),
        );
        return None;
    }
    let mut seen: BTreeMap<String, Origin> = BTreeMap::new();
    let before = out.len();
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
    if out.len() > before {
        return None;
    }
    let swept = values
        .iter()
        .map(|node| node.value().unwrap_or_else(|| Value::Text(node.to_toml().into())))
        .collect();
    Some(Axis { key, origin, values: values.clone(), swept })
}

/// Whether a key can be swept at all.
fn check_key(
    key: &str,
    origin: Origin,
    parameters: Option<&[&str]>,
) -> Result<(), Box<Diagnostic>> {
    let wrong = |message: String| Box::new(Diagnostic::error(message, origin, "cannot be swept"));
    let segments: Vec<&str> = key.split('.').collect();
    let near = |wanted: &str, prefix: &str, names: &[&str], error: Box<Diagnostic>| {
        let rule = format!("below `{prefix}` there are {}", listed(names, "and"));
        let error = error.rule(rule);
        Box::new(match nearest_key(wanted, names) {
            Some(near) => error.help(format!("did you mean \"{prefix}.{near}\"?")),
            None => error.help("choose one of these"),
        })
    };
    let unknown = || wrong(format!("there is no key `{key}` to sweep"));
    match segments.as_slice() {
        ["problem", "plugin"] => Err(Box::new(wrong("an experiment has one plugin".into()).help(
            "write one file for \
                each plugin",
        ))),
        ["problem", name] => match parameters {
            Some(parameters) if !parameters.contains(name) => {
                Err(near(name, "problem", parameters, unknown()))
            }
            _ => Ok(()),
        },
        ["stop", name] if keys::STOP_TABLE.swept().contains(name) => Ok(()),
        ["stop", name] => Err(near(name, "stop", &keys::STOP_TABLE.swept(), unknown())),
        ["operators", name] if keys::NAMING.iter().any(|naming| naming.name == *name) => {
            Err(Box::new(wrong(format!("`{key}` cannot be swept")).help(
                "write a table [[operators]] for each \
                instead",
            )))
        }
        ["operators", name] if keys::OPERATOR_SET.swept().contains(name) => Ok(()),
        ["operators", name, below]
            if keys::OPERATOR_SET.swept().contains(name) && below_of(name).is_some() =>
        {
            let names = below_of(name).unwrap_or_default();
            if names.contains(below) {
                Ok(())
            } else {
                Err(near(below, &format!("operators.{name}"), &names, unknown()))
            }
        }
        ["operators", _, _, ..] => {
            Err(Box::new(unknown().rule("a swept key applies to every operator set").help(
                "to vary only one operator set, write a table [[operators]] for each of its values",
            )))
        }
        ["operators", name, ..] => {
            Err(near(name, "operators", &keys::OPERATOR_SET.swept(), unknown()))
        }
        [first, ..] => {
            let tables = ["problem", "operators", "stop"];
            let error = unknown().rule("swept keys begin with problem., operators. or stop.");
            Err(Box::new(match nearest(first, tables) {
                Some(near) => {
                    error.help(format!("did you mean \"{}\"?", key.replacen(first, near, 1)))
                }
                None => error.help(match *first {
                    first if keys::TOP.find(first).is_some_and(|key| !key.form.is_table()) => {
                        format!(
                            "`{first}` applies to the whole experiment: write a file for each value"
                        )
                    }
                    first if keys::STOP_TABLE.has(first) => format!("write \"stop.{key}\""),
                    first if keys::OPERATOR_SET.has(first) => format!("write \"operators.{key}\""),
                    _ => format!("for a parameter of the problem write \"problem.{key}\""),
                }),
            }))
        }
        [] => Err(unknown()),
    }
}

/// What a key of an operator set has below it: the parameters of a slot's operators, the shares of
/// a mix.
pub(super) fn below_of(name: &str) -> Option<Vec<&'static str>> {
    match keys::OPERATOR_SET.find(name)?.form {
        Form::Operator(slot) => {
            let mut names = vec!["kind"];
            for parameter in operators(slot).into_iter().flat_map(|one| one.parameters) {
                if !names.contains(&parameter.key.as_ref()) {
                    names.push(parameter.key.as_ref());
                }
            }
            Some(names)
        }
        Form::Table(table) => Some(table.swept()),
        _ => None,
    }
}

/// Every path that can be swept, a list for each table; the parameters of a problem are the
/// plugin's.
pub(super) fn paths() -> Vec<(&'static str, Vec<String>)> {
    let of_sets = keys::OPERATOR_SET.swept().into_iter().flat_map(|name| {
        let below = below_of(name).unwrap_or_default();
        let below = below.into_iter().map(move |below| format!("operators.{name}.{below}"));
        std::iter::once(format!("operators.{name}")).chain(below)
    });
    let of_stop = keys::STOP_TABLE.swept().into_iter().map(|name| format!("stop.{name}"));
    vec![
        (keys::PROBLEM_TABLE.header, vec!["problem.PARAMETER".to_owned()]),
        (keys::OPERATOR_SET.header, of_sets.collect()),
        (keys::STOP_TABLE.header, of_stop.collect()),
    ]
}

/// Every combination of the axes' values, the last axis fastest; one empty combination where there
/// are no axes.
#[derive(Clone, Debug)]
pub(super) struct Combinations {
    /// Values of each axis.
    lengths: Vec<usize>,
}

impl Combinations {
    pub(super) fn of(axes: &[Axis]) -> Self {
        Combinations { lengths: axes.iter().map(|axis| axis.values.len()).collect() }
    }

    /// How many there are; none: too many to count.
    pub(super) fn count(&self) -> Option<usize> {
        self.lengths.iter().try_fold(1usize, |count, length| count.checked_mul(*length))
    }

    /// Combination number `number`: the index of a value for each axis.
    pub(super) fn nth(&self, mut number: usize) -> Vec<usize> {
        let mut values = vec![0; self.lengths.len()];
        for (value, length) in values.iter_mut().zip(&self.lengths).rev() {
            *value = number % length;
            number /= length;
        }
        values
    }

    /// Which value of an axis combination number `number` has.
    pub(super) fn value(&self, number: usize, axis: usize) -> usize {
        let below: usize = self.lengths[axis + 1..].iter().product();
        number / below % self.lengths[axis]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Vec<usize>> {
        (0..self.count().unwrap_or(0)).map(|number| self.nth(number))
    }

    /// A table's part of a combination, as a number: combinations that differ in other tables alone
    /// share it.
    pub(super) fn part(&self, axes: &[Axis], table: &str, combination: &[usize]) -> usize {
        let own = axes
            .iter()
            .zip(&self.lengths)
            .zip(combination)
            .filter(|((axis, _), _)| axis.table() == table);
        own.fold(0, |part, ((_, length), value)| part * length + value)
    }

    /// A combination for each part of a table, in the order of [`part`](Self::part); the other
    /// tables' axes are at their first value.
    pub(super) fn parts(&self, axes: &[Axis], table: &str) -> Vec<Vec<usize>> {
        let own = |(axis, length): (&Axis, &usize)| if axis.table() == table { *length } else { 1 };
        let lengths = axes.iter().zip(&self.lengths).map(own).collect();
        Combinations { lengths }.iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_axis_is_the_fastest() {
        let all: Vec<Vec<usize>> = Combinations { lengths: vec![2, 3] }.iter().collect();
        assert_eq!(all, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
        let combinations = Combinations { lengths: vec![2, 3, 4] };
        for (number, values) in combinations.iter().enumerate() {
            assert_eq!([0, 1, 2].map(|axis| combinations.value(number, axis)), values[..]);
        }
        let none: Vec<Vec<usize>> = Combinations { lengths: vec![] }.iter().collect();
        assert_eq!(none, [Vec::<usize>::new()]);
        assert_eq!(Combinations { lengths: vec![1 << 40, 1 << 40] }.count(), None);
    }
}
