//! Instances of a problem on which a tuning compares settings: `train` and `test`.

use super::diagnostic::Faults;
use super::fields::{names_parameter, table, takeable, wrong_type};
use super::keys::Table;
use super::node::{Entry, Node, Shape, key_toml};
use super::source::Origin;
use super::sweep_tables::TOGETHER;
use super::swept_keys::SweptKeys;
use std::collections::BTreeSet;

/// Instances of a problem, as values of its keys that go together; the problem of the file without
/// keys.
#[derive(Clone, Debug, Default)]
pub(super) struct Instances(Vec<(String, Vec<Node>)>);

impl Instances {
    /// Reads `train` or `test`; `None` if the file does not give them, or wrongly.
    pub(super) fn read(
        tune: &Node,
        definition: &Table,
        known: &SweptKeys<'_>,
        out: &mut Faults,
    ) -> Option<Self> {
        let (name, example) = (definition.name, definition.example);
        let node = tune.get(definition.key)?;
        let entries = table(node, name, example, out)?;
        let before = out.len();
        let mut keys: Vec<(String, Vec<Node>)> = Vec::new();
        for Entry { key, key_origin, value } in entries {
            if !key.starts_with("problem.") {
                let message = format!("`{name}` has the key `{key}`");
                let error = (*key_origin).error(message, "not a key of [problem]");
                let error = error.rule("instances differ in the parameters of the problem");
                out.push(error.help(format!("write it as {example}")));
                continue;
            }
            if let Some(fault) = known.fault(key, *key_origin) {
                out.push(fault);
                continue;
            }
            match &value.shape {
                Shape::List(values) if !values.is_empty() => {
                    values.iter().for_each(|value| _ = takeable(value, key, out));
                    keys.push((key.clone(), values.clone()));
                }
                Shape::List(_) => {
                    let error = value.error(format!("`{key}` has no values"), "empty");
                    out.push(error.help(format!("write it as {example}")));
                }
                _ => {
                    let error = wrong_type(value, key, "a list of values, one per instance");
                    out.push(error.help(format!("write it as {example}")));
                }
            }
        }
        if entries.is_empty() {
            let error = node.error(format!("`{name}` has no key"), "empty");
            out.push(error.help(format!("write it as {example}, or remove it")));
        }
        if let Some((first, others)) = keys.split_first()
            && let Some(other) = others.iter().find(|other| other.1.len() != first.1.len())
        {
            let counts =
                format!("{} of `{}`, {} of `{}`", first.1.len(), first.0, other.1.len(), other.0);
            let message = format!("the keys of `{name}` have different numbers of values");
            let error = node.error(message, counts);
            let error = error.rule("the first values of all keys make the first instance");
            out.push(error.help("list as many values for each"));
        }
        let all = Instances(keys);
        let rows: Vec<String> = (0..all.count()).map(|row| all.words(row)).collect();
        if out.len() == before && rows.iter().collect::<BTreeSet<_>>().len() < rows.len() {
            let message = format!("`{name}` has an instance twice");
            let error = node.error(message, "again");
            out.push(error.help("list each instance once"));
        }
        (out.len() == before).then_some(all)
    }

    /// Returns the instances with their values changed by `lead`, which takes a parameter of the
    /// problem and its value.
    pub(super) fn led(mut self, lead: &impl Fn(&str, &mut Node)) -> Self {
        for (key, values) in &mut self.0 {
            let key = key.strip_prefix("problem.").unwrap_or(key);
            values.iter_mut().for_each(|value| lead(key, value));
        }
        self
    }

    /// Returns the number of instances, at least 1.
    pub(super) fn count(&self) -> usize {
        self.0.first().map_or(1, |(_, values)| values.len())
    }

    /// Returns each instance alone.
    pub(super) fn each(&self) -> impl Iterator<Item = Instances> {
        let alone = |row: usize| {
            let value =
                |(key, values): &(String, Vec<Node>)| (key.clone(), vec![values[row].clone()]);
            Instances(self.0.iter().map(value).collect())
        };
        (0..self.count()).filter(|_| !self.0.is_empty()).map(alone)
    }

    /// Returns the place of the first instance's value that a message names, else of its first
    /// value; `None` without keys.
    pub(super) fn origin_in(&self, message: &str) -> Option<Origin> {
        let is_named =
            |key: &str| names_parameter(message, key.strip_prefix("problem.").unwrap_or(key));
        let named = self.0.iter().find(|(key, _)| is_named(key)).or(self.0.first());
        Some(named?.1.first()?.origin)
    }

    /// Returns the values of all keys as TOML; `None` without keys.
    pub(super) fn to_toml(&self) -> Option<String> {
        let key = |(key, values): &(String, Vec<Node>)| {
            let values: Vec<String> = values.iter().map(Node::to_toml).collect();
            format!("{} = [{}]", key_toml(key), values.join(", "))
        };
        let keys: Vec<String> = self.0.iter().map(key).collect();
        (!keys.is_empty()).then(|| format!("{{ {} }}", keys.join(", ")))
    }

    fn words(&self, row: usize) -> String {
        let word = |(key, values): &(String, Vec<Node>)| {
            format!("{key}={}", values.get(row).map(Node::to_toml).unwrap_or_default())
        };
        self.0.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// Returns the entries of a sweep over the instances.
    pub(super) fn entries(&self, origin: Origin) -> Vec<Entry> {
        let list = |items| Node { shape: Shape::List(items), origin };
        let entry = |key: &str, value| Entry { key: key.to_owned(), key_origin: origin, value };
        let mut entries: Vec<Entry> =
            self.0.iter().map(|(key, values)| entry(key, list(values.clone()))).collect();
        if self.0.len() > 1 {
            let text = |(key, _): &(String, _)| Node { shape: Shape::Text(key.clone()), origin };
            entries.push(entry(TOGETHER, list(self.0.iter().map(text).collect())));
        }
        entries
    }
}
