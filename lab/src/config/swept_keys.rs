//! Keys that can be swept, by their paths.

use super::diagnostic::Diagnostic;
use super::keys::{self, Form, Key};
use super::node::{Node, Shape};
use super::source::Origin;
use super::sweep_tables::{self, sweeps};
use crate::operators::operator::Slot;
use crate::problem::Library;
use crate::search::registry::{operators, plugin_parameters};
use crate::words::{listed, nearest, nearest_key};

/// Words for the keys in messages.
#[derive(Debug)]
struct Words {
    verb: &'static str,
    participle: &'static str,
    keys: &'static str,
    beginnings: &'static str,
}

const SWEPT: Words = Words {
    verb: "sweep",
    participle: "swept",
    keys: "swept keys",
    beginnings: "problem., operators. or stop.",
};

const TUNED: Words =
    Words { verb: "tune", participle: "tuned", keys: "tuned keys", beginnings: "operators." };

/// The keys that a config may sweep, as far as plugins decide it.
#[derive(Debug)]
pub(super) struct SweptKeys<'a> {
    /// Parameters of the problem; `None` if its plugin could not be loaded.
    parameters: Option<Vec<&'a str>>,
    /// The slots that hold operators of plugins, which know their parameters.
    foreign: Vec<&'static str>,
    words: &'static Words,
}

impl<'a> SweptKeys<'a> {
    /// Returns the keys that a config may sweep. `library` is its problem's plugin.
    pub(super) fn of(root: &Node, library: Option<&'a Library>) -> Self {
        let parameters = |one: &'a Library| one.parameters().iter().map(|one| &*one.key).collect();
        let parameters = library.map(parameters);
        SweptKeys { parameters, foreign: slots_of_plugins(root), words: &SWEPT }
    }

    /// Returns the keys that a tuning and its instances may set, which are those of a sweep.
    pub(super) fn of_tuning(root: &Node, library: Option<&'a Library>) -> Self {
        SweptKeys { words: &TUNED, ..SweptKeys::of(root, library) }
    }

    /// Returns the reason why a key cannot be swept; `None` if it can.
    pub(super) fn fault(&self, key: &str, origin: Origin) -> Option<Diagnostic> {
        let Words { verb, participle: past, keys: all, .. } = self.words;
        let wrong = |message: String| origin.error(message, format!("cannot be {past}"));
        let unknown = wrong(format!("there is no key `{key}` to {verb}"));
        let segments: Vec<&str> = key.split('.').collect();
        match segments.as_slice() {
            ["problem", name] if *name == keys::PLUGIN.name => {
                let error = wrong("an experiment has one plugin".into());
                Some(error.help("write one file for each plugin"))
            }
            ["problem", name] => among(name, "problem", self.parameters.as_ref()?, unknown),
            ["stop", name] => among(name, "stop", &keys::STOP_TABLE.swept(), unknown),
            ["operators", name] if keys::NAMING.iter().any(|naming| naming.name == *name) => {
                let error = wrong(format!("`{key}` cannot be {past}"));
                Some(error.help("write a table [[operators]] for each instead"))
            }
            ["operators", name] => among(name, "operators", &keys::OPERATOR_SET.swept(), unknown),
            ["operators", name, below] if below_of(name).is_some() => {
                let names = below_of(name).filter(|_| !self.foreign.contains(name))?;
                among(below, &format!("operators.{name}"), &names, unknown)
            }
            [table @ ("problem" | "stop"), name, _, ..] => {
                Some(no_keys_below(table, name, unknown))
            }
            ["operators", name, _] if keys::OPERATOR_SET.swept().contains(name) => {
                Some(no_keys_below("operators", name, unknown))
            }
            ["operators", _, _, ..] => {
                let error = unknown.rule(format!(
                    "{all} apply to every operator set, or to the one that they name, \
                    as in \"operators.NAME.population\""
                ));
                Some(error.help("check the name of the operator set and the key"))
            }
            [first, ..] => Some(self.no_table(key, first, unknown)),
            [] => Some(unknown),
        }
    }

    /// Returns the error on a key that begins with no table that has such keys.
    fn no_table(&self, key: &str, first: &str, error: Diagnostic) -> Diagnostic {
        let Words { keys: all, beginnings, .. } = self.words;
        let error = error.rule(format!("{all} begin with {beginnings}"));
        if key == first
            && let Some(near) =
                nearest(key, sweep_tables::rules().into_iter().chain([sweep_tables::FROM]))
        {
            return error.help(format!("did you mean `{near}`?"));
        }
        if first == sweep_tables::EXCEPT {
            return error.help("`except` is a list: write it as except = [{ … }]");
        }
        if let Some(near) = nearest(first, ["problem", "operators", "stop"]) {
            return error.help(format!("did you mean \"{}\"?", key.replacen(first, near, 1)));
        }
        error.help(match first {
            first if keys::TOP.find(first).is_some_and(|key| !key.form.is_table()) => {
                format!("`{first}` applies to the whole experiment: write a file for each value")
            }
            first if keys::STOP_TABLE.has(first) => format!("write \"stop.{key}\""),
            first if keys::OPERATOR_SET.has(first) => format!("write \"operators.{key}\""),
            _ => format!("for a parameter of the problem write \"problem.{key}\""),
        })
    }
}

/// Returns the error of a key below one that has values.
fn no_keys_below(table: &str, name: &str, error: Diagnostic) -> Diagnostic {
    let error = error.rule(format!("`{table}.{name}` has values, and no keys below it"));
    error.help(format!("write them as \"{table}.{name}\" = [ … ]"))
}

/// Returns the error with the names that there are, and the nearest of them; `None` if the name is
/// one of them.
fn among(wanted: &str, prefix: &str, names: &[&str], error: Diagnostic) -> Option<Diagnostic> {
    if names.contains(&wanted) {
        return None;
    }
    let error = error.rule(format!("below `{prefix}` there are {}", listed(names, "and")));
    Some(match nearest_key(wanted, names) {
        Some(near) => error.help(format!("did you mean \"{prefix}.{near}\"?")),
        None => error.help("choose one of these"),
    })
}

/// Returns the keys below a swept key of an operator set: the parameters of a slot's operators, or
/// the shares of a mix; `None` if there are none.
pub(super) fn below_of(name: &str) -> Option<Vec<&'static str>> {
    match keys::OPERATOR_SET.find(name).filter(|key| key.swept)?.form {
        Form::Operator(slot) => {
            let mut names = vec![keys::KIND];
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

/// Returns every path that can be swept, one list per table. The parameters of a problem are those
/// of the plugin.
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

/// Returns the tables of the operator sets.
pub(super) fn operator_sets(root: &Node) -> &[Node] {
    tables(root, &keys::OPERATORS)
}

/// Returns the tables that a key lists.
fn tables<'a>(root: &'a Node, key: &Key) -> &'a [Node] {
    match key.of(root).map(|node| &node.shape) {
        Some(Shape::List(tables)) => tables,
        _ => &[],
    }
}

/// Returns the slots that hold an operator of a plugin, in an operator set, in a preset or by a
/// sweep: its parameters are the plugin's.
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
        let sets = || operator_sets(root).iter().chain(tables(root, &keys::PRESETS));
        sets().filter_map(|set| set.get(slot)).any(names_plugin)
            || swept().any(|entry| of_sweep(&entry.key, slot) && names_plugin(&entry.value))
    };
    let slots = Slot::ALL.into_iter().filter(|slot| plugin_parameters(*slot).is_some());
    slots.filter(holds).map(Slot::as_str).collect()
}
