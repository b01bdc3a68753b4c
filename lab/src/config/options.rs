//! Options of the command line that change a config: `--set`, `--repeats` and `--seed`.

use super::diagnostic::{Diagnostic, Faults};
use super::fields::check_keys;
use super::layer;
use super::node::{Entry, Node, Shape};
use super::parse::override_value;
use super::source::{Origin, Sources};
use super::{design, keys, set_name, sweep_tables, tuned_key};
use crate::words::{listed, nearest};
use toml_edit::Key;

/// Maximum number of levels of a key: no key of an experiment has as many.
const DEEPEST_KEY: usize = 16;

/// Changes of every file by the command line.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `--set KEY=VALUE`, as given.
    pub set: Vec<String>,
    /// `--repeats`, as given.
    pub repeats: Option<String>,
    /// `--seed`, as given.
    pub seed: Option<String>,
}

impl Overrides {
    /// Returns the overrides of the words that [`words`](Self::words) returned.
    #[must_use]
    pub fn from_words(words: &[String]) -> Self {
        let mut overrides = Overrides::default();
        for word in words {
            match word.split_once(' ') {
                Some(("--set", value)) => overrides.set.push(value.to_owned()),
                Some(("--repeats", value)) => overrides.repeats = Some(value.to_owned()),
                Some(("--seed", value)) => overrides.seed = Some(value.to_owned()),
                _ => {}
            }
        }
        overrides
    }

    /// Returns the words of the overrides, as the user gave them.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = self.set.iter().map(|set| format!("--set {set}")).collect();
        words.extend(self.repeats.iter().map(|value| format!("--repeats {value}")));
        words.extend(self.seed.iter().map(|value| format!("--seed {value}")));
        words
    }
}

/// One override: a path with dots, and the value to put there.
#[derive(Clone, Debug)]
pub(super) struct Change {
    path: String,
    key_origin: Origin,
    value: Node,
}

/// Reads the changes by the command line. Each text is a separate source.
pub(super) fn changes(
    overrides: &Overrides,
    sources: &mut Sources,
    out: &mut Faults,
) -> Vec<Change> {
    let mut changes = Vec::new();
    for set in &overrides.set {
        let (source, start) = sources.add_flag("--set", set);
        let whole = Origin { source, start, end: start + set.len() };
        let split = set
            .split_once('=')
            .filter(|(path, _)| path.split('.').all(|segment| !segment.trim().is_empty()));
        let levels = set.split('=').next().map_or(0, |path| path.split('.').count());
        if levels > DEEPEST_KEY {
            let start: String = set.chars().take(40).collect();
            let error = Diagnostic::general(format!("--set {start}…: the key has {levels} levels"));
            let rule = format!("a key has at most {DEEPEST_KEY} levels");
            out.push(error.rule(rule).help("write a key such as problem.n or operators.mutation"));
            continue;
        }
        let Some((path, _)) = split else {
            let error = whole.error(format!("`{set}` sets nothing"), "not of the form KEY=VALUE");
            out.push(
                error.help("write a key, an equals sign and a value, such as --set problem.n=12"),
            );
            continue;
        };
        let key_origin = Origin { source, start, end: start + path.len() };
        let Some(value) = override_value(sources.text(source), source, key_origin.end + 1, out)
        else {
            continue;
        };
        changes.push(Change { path: without_quotes(path), key_origin, value });
    }
    for (key, text) in [("repeats", &overrides.repeats), ("seed", &overrides.seed)] {
        if let Some(text) = text {
            let (source, start) = sources.add_flag(&format!("--{key}"), text);
            let key_origin = Origin { source, start, end: start + text.len() };
            let Some(value) = override_value(sources.text(source), source, start, out) else {
                continue;
            };
            changes.push(Change { path: key.to_string(), key_origin, value });
        }
    }
    out.extend(contradiction(&changes));
    // An operator is set before its parameters, and a key of all operator sets before that of one,
    // whatever comes first on the command line.
    changes.sort_by_key(Change::rank);
    changes
}

impl Change {
    /// Returns the number of levels of the key, without the name of an operator set, and whether it
    /// names one.
    fn rank(&self) -> (usize, bool) {
        let mut keys = self.path.split('.');
        let names_set = keys.next() == Some(keys::OPERATORS.name)
            && keys.next().is_some_and(|key| !keys::OPERATOR_SET.has(key));
        (self.path.split('.').count() - usize::from(names_set), names_set)
    }
}

/// Returns the error of a key that is set to two values.
fn contradiction(changes: &[Change]) -> Option<Diagnostic> {
    changes.iter().enumerate().find_map(|(place, Change { path, key_origin, value })| {
        let differs = |one: &&Change| one.path == *path && one.value.to_toml() != value.to_toml();
        let first = changes[..place].iter().find(differs)?;
        Some(two_values(path, *key_origin, first.key_origin))
    })
}

/// Returns the error of a key that the command line sets to two values, at these two places.
pub(super) fn two_values(key: &str, again: Origin, first: Origin) -> Diagnostic {
    let error = again.error(format!("`{key}` is set to two values"), "again");
    error.also(first, "first set here").help("keep one of them")
}

/// Returns a dotted key without the quotes of its parts, such as those of `sweep."problem.n"`.
fn without_quotes(path: &str) -> String {
    let parts =
        Key::parse(path).map(|parts| parts.iter().map(|key| key.get().to_owned()).collect());
    let parts: Vec<_> =
        parts.unwrap_or_else(|_| path.split('.').map(|part| part.trim().to_owned()).collect());
    parts.join(".")
}

/// Makes the changes, and reports keys that do not exist.
pub(super) fn change(root: &mut Node, changes: &[Change], out: &mut Faults) {
    for change in changes {
        // Results record what the file names.
        let first = change.path.split('.').next();
        let of_files = [&keys::EXTENDS, &keys::PRESETS];
        if let Some(key) = of_files.into_iter().find(|key| first == Some(key.name)) {
            let (name, origin) = (key.name, change.key_origin);
            let message = format!("`{name}` cannot be set");
            let error = origin.error(message, "only in a file");
            out.push(error.help(format!("write it in a file of its own, with {name} = \"…\"")));
            continue;
        }
        out.extend(put(root, change));
    }
    sweep_tables::flatten(root);
    tuned_key::flatten(root);
    design::refuse(root, out);
    if let Shape::Table(entries) = &root.shape {
        check_keys(entries, &keys::TOP.names(), keys::TOP.name, out);
    }
}

/// Makes a change. A swept key that it sets stops being swept; `operators.…` reaches every operator
/// set, and `operators.NAME.…` the one of that name. Returns the fault of a change that cannot be
/// made.
fn put(root: &mut Node, change: &Change) -> Option<Diagnostic> {
    let Change { path, key_origin, value } = change;
    let segments: Vec<&str> = path.split('.').collect();
    // Swept keys that it sets: its own, and that of each operator set that has one of its own.
    let mut set = vec![path.clone()];
    match segments.as_slice() {
        ["sweep", _, ..] => {
            let key = segments[1..].join(".");
            let is_own = |entry: &&mut Entry| entry.key == key;
            if !sweep_entries(root).iter().any(is_own) {
                layer::put(root, &["sweep", &key], *key_origin, value.clone());
            }
            let own = sweep_entries(root).into_iter().filter(is_own);
            own.for_each(|entry| entry.value = value.clone());
            return None;
        }
        ["tune", name, _, ..]
            if keys::TUNE.of(root).is_some_and(|tune| tuned_key::is_flat(tune, name)) =>
        {
            put_tuned(root, (name, &segments[2..].join(".")), change);
            return None;
        }
        ["operators", key, ..] => {
            let tables = operator_tables(root)?;
            let names = set_name::set_names(tables);
            let below = &path["operators.".len()..];
            match set_name::of_one_set(below, &names) {
                Some((place, rest)) => {
                    let keys: Vec<&str> = rest.split('.').collect();
                    layer::put(&mut tables[place], &keys, *key_origin, value.clone());
                    if let Some(fault) = swept_for_all(root, change, rest) {
                        return Some(fault);
                    }
                }
                None if !keys::OPERATOR_SET.has(key) => {
                    return Some(unknown_set(key, &names, *key_origin));
                }
                None => {
                    set.extend(names.iter().map(|name| format!("operators.{name}.{below}")));
                    layer::put(root, &segments, *key_origin, value.clone());
                }
            }
        }
        _ => layer::put(root, &segments, *key_origin, value.clone()),
    }
    for entry in sweep_entries(root) {
        if set.contains(&entry.key) {
            entry.value = Node { shape: Shape::List(vec![value.clone()]), origin: value.origin };
        } else if let Some(rest) = set.iter().find_map(|path| below(path, &entry.key)) {
            let rest: Vec<&str> = rest.split('.').collect();
            layer::put(&mut entry.value, &rest, *key_origin, value.clone());
        }
    }
    None
}

/// Returns the rest of a path that is below a key.
fn below<'a>(path: &'a str, key: &str) -> Option<&'a str> {
    path.strip_prefix(key)?.strip_prefix('.')
}

/// Makes a change below `[tune.keys]`, `train` or `test`: of a key, or of a part of its range, such
/// as `tune.keys.operators.population.to`.
fn put_tuned(root: &mut Node, (table, path): (&str, &str), change: &Change) {
    let entries = keys::TUNE.of(root).and_then(|tune| tune.get(table)).and_then(Node::entries);
    let keys = entries.unwrap_or_default().iter().map(|entry| entry.key.as_str());
    let below = |key: &&str| {
        path.strip_prefix(*key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let key = keys.filter(below).max_by_key(|key| key.len()).unwrap_or(path).to_owned();
    let rest = path[key.len()..].split('.').skip(1);
    let path: Vec<&str> = [keys::TUNE.name, table, &key].into_iter().chain(rest).collect();
    layer::put(root, &path, change.key_origin, change.value.clone());
}

fn operator_tables(root: &mut Node) -> Option<&mut Vec<Node>> {
    match &mut root.get_mut(keys::OPERATORS.name)?.shape {
        Shape::List(tables) => Some(tables),
        _ => None,
    }
}

/// Returns the entries of all sweeps.
fn sweep_entries(root: &mut Node) -> Vec<&mut Entry> {
    sweep_tables::entries(root).into_iter().flatten().collect()
}

/// Returns the fault of a change of one operator set that is lost, because the sweep sets the same
/// key in all, and not in this one.
fn swept_for_all(root: &mut Node, change: &Change, rest: &str) -> Option<Diagnostic> {
    let key = format!("operators.{rest}");
    let covers = |swept: &str, path: &str| swept == path || below(path, swept).is_some();
    let has_own = |sweep: &Vec<Entry>| sweep.iter().any(|entry| covers(&entry.key, &change.path));
    let mut sweeps = sweep_tables::entries(root).into_iter().filter(|sweep| !has_own(sweep));
    let swept = sweeps.find_map(|sweep| sweep.iter().find(|entry| covers(&entry.key, &key)))?;
    let error = change
        .key_origin
        .error(format!("`{}` would be lost", change.path), "set for one operator set");
    let error = error
        .also(swept.key_origin, "swept for every operator set")
        .rule("a swept key applies to every operator set")
        .help(format!("set it for all, with --set {key}=…, or remove it from [sweep]"));
    Some(error)
}

fn unknown_set(name: &str, names: &[String], origin: Origin) -> Diagnostic {
    if names.iter().any(|one| one == name) {
        let message = format!("`{name}` is an operator set, and no value can take its place");
        let error = origin.error(message, "an operator set");
        return error.help(format!("set one of its keys, such as operators.{name}.population"));
    }
    let keys = keys::OPERATOR_SET.swept();
    let shown: Vec<&str> = names.iter().map(String::as_str).collect();
    let error = origin
        .error(
            format!("`{name}` is neither a key of an operator set nor the name of one"),
            "unknown",
        )
        .rule(format!(
            "the keys are {}; the operator sets are {}",
            listed(&keys, "and"),
            listed(&shown, "and")
        ));
    let near = nearest(name, keys.iter().copied().chain(shown));
    match near {
        Some(near) => error.help(format!("did you mean `operators.{near}`?")),
        None => error.help("choose one of them"),
    }
}
