//! The table [sweep]: which keys take which values, and every combination of them.

use super::diagnostic::Diagnostic;
use super::fields::{table, wrong_type};
use super::node::{Node, Origin, Shape};
use super::{operator_set, stop};
use crate::nearest::nearest;
use crate::operators::registry::{Slot, entries, listed};

/// One swept key.
#[derive(Clone, Debug)]
pub struct Axis {
    /// As in the file, such as `operators.selection.size`.
    pub key: String,
    pub origin: Origin,
    /// At least one, all different.
    pub values: Vec<Node>,
}

impl Axis {
    /// The table that the key is in: `problem`, `operators` or `stop`.
    pub fn table(&self) -> &str {
        self.key.split('.').next().unwrap_or_default()
    }

    /// The path below that table.
    pub fn path(&self) -> Vec<&str> {
        self.key.split('.').skip(1).collect()
    }
}

/// Reads [sweep]. `parameters` are the plugin's, where it could be loaded.
pub fn read(root: &Node, parameters: Option<&[&str]>, out: &mut Vec<Diagnostic>) -> Vec<Axis> {
    let Some(node) = root.get("sweep") else { return Vec::new() };
    let Some(entries) = table(node, "sweep", "[sweep] with \"problem.n\" = [6, 8]", out) else { return Vec::new() };
    let mut axes = Vec::new();
    for entry in entries {
        // An unquoted dotted key makes tables: problem.n = [6, 8] is meant just the same.
        flatten(&entry.key, entry.key_origin, &entry.value, &mut axes);
    }
    axes.into_iter().filter_map(|(key, origin, value)| axis(key, origin, value, parameters, out)).collect()
}

fn flatten<'a>(key: &str, origin: Origin, value: &'a Node, axes: &mut Vec<(String, Origin, &'a Node)>) {
    match &value.shape {
        Shape::Table(entries) => {
            for entry in entries {
                flatten(&format!("{key}.{}", entry.key), origin, &entry.value, axes);
            }
        }
        _ => axes.push((key.to_string(), origin, value)),
    }
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
        let error = Diagnostic::error(format!("the sweep of `{key}` has no values"), value.origin, "an empty list");
        out.push(
            error
                .rule("every combination of values makes an arm: with an empty list there would be none")
                .help("list the values, or remove the key"),
        );
        return None;
    }
    for (place, node) in values.iter().enumerate() {
        let same = |other: &&Node| other.to_toml() == node.to_toml();
        if let Some(first) = values[..place].iter().find(same) {
            let error =
                Diagnostic::error(format!("the sweep of `{key}` has {} twice", node.to_toml()), node.origin, "again");
            out.push(error.also(first.origin, "first here").help("remove one of them"));
            return None;
        }
    }
    Some(Axis { key, origin, values: values.clone() })
}

/// Whether a key can be swept at all.
fn check_key(key: &str, origin: Origin, parameters: Option<&[&str]>) -> Result<(), Box<Diagnostic>> {
    let wrong = |message: String| Box::new(Diagnostic::error(message, origin, "cannot be swept"));
    let segments: Vec<&str> = key.split('.').collect();
    let near = |wanted: &str, prefix: &str, names: &[&str], error: Box<Diagnostic>| {
        let rule = format!("below `{prefix}` there are {}", listed(names, "and"));
        let error = error.rule(rule);
        Box::new(match nearest(wanted, names.iter().copied()) {
            Some(near) => error.help(format!("did you mean \"{prefix}.{near}\"?")),
            None => error,
        })
    };
    let unknown = || wrong(format!("there is no key `{key}` to sweep"));
    match segments.as_slice() {
        ["problem", "plugin"] => {
            Err(Box::new(wrong("an experiment has one plugin".into()).help("write one file for each plugin")))
        }
        ["problem", name] => match parameters {
            Some(parameters) if !parameters.contains(name) => Err(near(name, "problem", parameters, unknown())),
            _ => Ok(()),
        },
        ["stop", name] if stop::KEYS.contains(name) => Ok(()),
        ["stop", name] => Err(near(name, "stop", &stop::KEYS, unknown())),
        ["operators", "name" | "preset"] => {
            Err(Box::new(wrong(format!("`{key}` cannot be swept")).help("write a table [[operators]] for each")))
        }
        ["operators", name] if operator_set::KEYS.contains(name) => Ok(()),
        ["operators", "mix", name] => match *name {
            "clone" | "crossover" | "mutate" => Ok(()),
            _ => Err(near(name, "operators.mix", &["clone", "crossover", "mutate"], unknown())),
        },
        ["operators", slot, name] if Slot::ALL.iter().any(|one| one.word() == *slot) => {
            let slot = Slot::ALL.into_iter().find(|one| one.word() == *slot).expect("just found");
            let mut names = vec!["kind"];
            for entry in entries(slot) {
                for parameter in &entry.parameters {
                    if !names.contains(&parameter.key.as_ref()) {
                        names.push(parameter.key.as_ref());
                    }
                }
            }
            if names.contains(name) { Ok(()) } else { Err(near(name, &format!("operators.{slot}"), &names, unknown())) }
        }
        ["operators", name, ..] => Err(near(name, "operators", &operator_set::KEYS[2..], unknown())),
        [first, ..] => {
            let tables = ["problem", "operators", "stop"];
            let error = unknown().rule("swept keys begin with problem., operators. or stop.");
            Err(Box::new(match nearest(first, tables) {
                Some(near) => error.help(format!("did you mean \"{}\"?", key.replacen(first, near, 1))),
                None => error.help(format!("for a parameter of the problem write \"problem.{key}\"")),
            }))
        }
        [] => Err(unknown()),
    }
}

/// Every combination of value indices, the last axis fastest; one empty combination where there are no axes.
pub fn combinations(axes: &[Axis]) -> Vec<Vec<usize>> {
    axes.iter().fold(vec![Vec::new()], |made, axis| {
        made.iter()
            .flat_map(|before| (0..axis.values.len()).map(|value| before.iter().copied().chain([value]).collect()))
            .collect()
    })
}
