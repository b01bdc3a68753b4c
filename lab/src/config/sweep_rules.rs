//! Rules of a sweep: values that go together, and combinations that are left out.

use super::axis::{Axis, Exception};
use super::diagnostic::Diagnostic;
use super::fields::{table, takeable, wrong_type};
use super::node::{Node, Shape};
use super::source::Origin;
use super::sweep_tables::{EXCEPT, TOGETHER};
use crate::words::listed;
use std::collections::HashMap;

/// Reader of the rules of one table.
pub(super) struct Rules<'a> {
    /// Axes of all sweeps.
    pub axes: &'a [Axis],
    /// Places of the table's own axes, with those of the values that the table gives them.
    pub own: &'a [(usize, Vec<usize>)],
    pub out: &'a mut Vec<Diagnostic>,
}

impl<'a> Rules<'a> {
    /// Returns the place of the key that a rule names, among those of its table.
    fn place(&mut self, key: &str, origin: Origin) -> Option<&'a (usize, Vec<usize>)> {
        let axes = self.axes;
        let found = self.own.iter().find(|(place, _)| axes[*place].key == key);
        if found.is_none() {
            let keys: Vec<&str> =
                self.own.iter().map(|(place, _)| axes[*place].key.as_str()).collect();
            let error =
                origin.error(format!("`{key}` is not swept in this table"), "not one of its keys");
            let error = error.rule(format!("this sweep has {}", listed(&keys, "and")));
            self.out.push(error.help_nearest(key, keys, "name keys of this sweep"));
        }
        found
    }

    /// Reads `together = ["a", "b"]`, or a list of such lists.
    pub(super) fn together(&mut self, node: &Node) -> Vec<Vec<usize>> {
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
                let Some((place, values)) = self.place(key, item.origin) else { continue };
                if taken.contains(place) {
                    let error = item.error(format!("`{key}` goes together twice"), "again");
                    self.out.push(error.help("name each key once"));
                }
                taken.push(*place);
                members.push((*place, values.len()));
            }
            let most = members.iter().map(|(_, values)| *values).max().unwrap_or(0);
            // An override leaves one value: it goes together with all.
            if members.iter().any(|(_, values)| *values != most && *values != 1) {
                let name = |(place, values): &(usize, usize)| {
                    format!("{values} of `{}`", self.axes[*place].key)
                };
                let counts: Vec<String> = members.iter().map(name).collect();
                let at = group.first().map_or(node.origin, |item| item.origin);
                let error = at.error(
                    "keys that go together have different numbers of values",
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

    /// Reports rows of values that repeat an earlier row.
    pub(super) fn each_once(&mut self, node: &Node, together: &[Vec<usize>]) {
        for group in together {
            let of = |place: &usize| self.own.iter().find(|(other, _)| other == place);
            let lists: Vec<&(usize, Vec<usize>)> = group.iter().filter_map(of).collect();
            let Some((first, rows)) = lists.first() else { continue };
            // An override leaves one value: rows may come to the same then.
            if lists.iter().any(|(_, values)| values.len() != rows.len()) {
                continue;
            }
            let key = &self.axes[*first].key;
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
                    let axis = &self.axes[*axis];
                    format!("`{}` = {}", axis.key, axis.values[values[row]].to_toml())
                };
                let values: Vec<String> = lists.iter().map(value).collect();
                let message = format!("the sweep has {} twice", values.join(", "));
                let error = cells[row].error(message, "again");
                let error = error.also(cells[first].origin, "first used here");
                let error = error.rule("every combination of values makes its own arms");
                self.out.push(error.help("remove one of the two"));
            }
        }
    }

    /// Reads `except = [{ "a" = 1, "b" = [2, 3] }]`.
    pub(super) fn except(&mut self, node: &Node) -> Vec<Exception> {
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
                let Some((place, given)) = self.place(&entry.key, entry.key_origin) else {
                    continue;
                };
                let wanted = match &entry.value.shape {
                    Shape::List(values) => values.as_slice(),
                    _ => std::slice::from_ref(&entry.value),
                };
                let before = self.out.len();
                wanted.iter().for_each(|value| _ = takeable(value, &entry.key, self.out));
                if self.out.len() > before {
                    continue;
                }
                let values = &self.axes[*place].values;
                let like =
                    |value: usize| wanted.iter().any(|wanted| wanted.is_like(&values[value]));
                let found: Vec<usize> =
                    given.iter().copied().filter(|value| like(*value)).collect();
                if found.is_empty() {
                    let warning = entry.value.origin.warning(
                        format!("no arm has `{}` = {}", entry.key, entry.value.to_toml()),
                        "leaves nothing out",
                    );
                    self.out.push(warning.help("name values that this sweep has"));
                }
                rule.push((*place, found));
            }
            if entries.is_empty() {
                let error = item.error("this rule names no key", "would leave all out");
                self.out.push(error.help(format!("write it as {example}")));
            }
            rules.push(Exception(rule));
        }
        rules
    }
}

/// Returns whether a rule of a sweep has a key's values go together with those of others.
pub(super) fn goes_together(sweep: &Node, key: &str) -> bool {
    fn names(node: &Node, key: &str) -> bool {
        match &node.shape {
            Shape::Text(text) => text == key,
            Shape::List(items) => items.iter().any(|item| names(item, key)),
            _ => false,
        }
    }
    sweep.get(TOGETHER).is_some_and(|rules| names(rules, key))
}
