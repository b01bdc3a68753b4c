//! Conditions on tuned keys: `when` of a key, and the tables of `forbid`.

use super::diagnostic::Faults;
use super::fields::{check_keys, table, takeable, wrong_type};
use super::node::{Node, Shape};
use super::range::{FROM, TO};

/// Condition that holds if every key matches.
#[derive(Clone, Debug)]
pub(super) struct Condition(Vec<(usize, Vec<Match>)>);

/// Values that match.
#[derive(Clone, Debug)]
pub(super) enum Match {
    Value(Node),
    /// Numbers between two ends, which match too.
    Between(f64, f64),
}

impl Condition {
    /// Reads a condition on the keys of `known`, by their indices. `name` is its key, and `example`
    /// shows one.
    pub(super) fn read(
        node: &Node,
        (name, example): (&str, &str),
        known: &[&str],
        out: &mut Faults,
    ) -> Option<Self> {
        let entries = table(node, name, example, out)?;
        let before = out.len();
        if entries.is_empty() {
            let error = node.error(format!("`{name}` names no key"), "empty");
            out.push(error.help(format!("write it as {example}")));
        }
        let mut rules = Vec::new();
        for entry in entries {
            let Some(place) = known.iter().position(|key| *key == entry.key) else {
                let key = &entry.key;
                let message = format!("`{name}` names `{key}`, which is no tuned key above it");
                let error = entry.key_origin.error(message, "not a tuned key");
                let error = error.rule("a condition is about keys that stand above it");
                let names = known.iter().copied();
                out.push(error.help_nearest(
                    key,
                    names,
                    "in [tune.keys], add the key above, or move it there",
                ));
                continue;
            };
            rules.push((place, matches(&entry.value, &entry.key, out)));
        }
        (out.len() == before).then_some(Condition(rules))
    }

    /// Returns the indices of the keys that it is about.
    pub(super) fn keys(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|(key, _)| *key)
    }

    /// Returns whether the condition holds. `value` returns the value of a key; `None` if the
    /// setting does not have it.
    pub(super) fn holds(&self, value: impl Fn(usize) -> Option<Node>) -> bool {
        let matched = |(key, matches): &(usize, Vec<Match>)| {
            value(*key).is_some_and(|value| matches.iter().any(|one| one.fits(&value)))
        };
        self.0.iter().all(matched)
    }
}

impl Match {
    fn fits(&self, value: &Node) -> bool {
        match self {
            Match::Value(wanted) => wanted.is_like(value),
            Match::Between(low, high) => {
                value.as_number().is_some_and(|number| (*low..=*high).contains(&number))
            }
        }
    }
}

/// Reads a value, a list of values, or a range with one end or two.
pub(super) fn matches(node: &Node, key: &str, out: &mut Faults) -> Vec<Match> {
    match &node.shape {
        Shape::List(values) => {
            values.iter().for_each(|value| _ = takeable(value, key, out));
            values.iter().cloned().map(Match::Value).collect()
        }
        Shape::Table(entries) if entries.iter().any(|one| [FROM, TO].contains(&&*one.key)) => {
            check_keys(entries, &[FROM, TO], "a range of values", out);
            let mut end = |name: &str, open: f64| match node.get(name) {
                None => open,
                Some(end) => end.as_number().filter(|end| end.is_finite()).unwrap_or_else(|| {
                    let error = wrong_type(end, name, "a number");
                    out.push(error.help(format!("write \"{key}\" = {{ from = 0.1, to = 0.5 }}")));
                    open
                }),
            };
            vec![Match::Between(end(FROM, f64::NEG_INFINITY), end(TO, f64::INFINITY))]
        }
        _ => {
            _ = takeable(node, key, out);
            vec![Match::Value(node.clone())]
        }
    }
}
