//! A config's document: the file's tree with the command line's overrides in it.

use super::diagnostic::{Diagnostic, Sources};
use super::fields::check_keys;
use super::node::{Entry, Node, Origin, Shape, override_value, parse};
use super::{keys, presets};
use crate::config::nearest::nearest;
use crate::operators::registry::listed;

/// What the command line changes in every file.
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
    /// From what [`words`](Self::words) gave.
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

    /// As the user gave them.
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

/// Reads what the command line changes. Each text is a source of its own.
pub(super) fn changes(
    overrides: &Overrides,
    sources: &mut Sources,
    out: &mut Vec<Diagnostic>,
) -> Vec<Change> {
    let mut changes = Vec::new();
    for set in &overrides.set {
        let (source, start) = sources.add_flag("--set", set);
        let whole = Origin { source, start, end: start + set.len() };
        let split = set
            .split_once('=')
            .filter(|(path, _)| path.split('.').all(|segment| !segment.trim().is_empty()));
        let Some((path, _)) = split else {
            let error = Diagnostic::error(
                format!("`{set}` sets nothing"),
                whole,
                "not of the form KEY=VALUE",
            );
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
        let segments: Vec<&str> = path.split('.').map(str::trim).collect();
        changes.push(Change { path: segments.join("."), key_origin, value });
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
    changes
}

/// The document of a source, with the changes made.
pub(super) fn read(
    sources: &Sources,
    source: usize,
    changes: &[Change],
    out: &mut Vec<Diagnostic>,
) -> Node {
    let mut root = parse(sources, source, out);
    flatten_sweep(&mut root);
    for change in changes {
        if let Err(error) = put(&mut root, change) {
            out.push(*error);
        }
    }
    flatten_sweep(&mut root);
    if let Shape::Table(entries) = &root.shape {
        check_keys(entries, &keys::TOP.names(), keys::TOP.name, out);
    }
    root
}

/// Below [sweep] a dotted key without quotes makes tables: `problem.n = [6, 8]` is meant just the
/// same.
fn flatten_sweep(root: &mut Node) {
    let Shape::Table(entries) = &mut root.shape else { return };
    let Some(sweep) = entries.iter_mut().find(|entry| entry.key == "sweep") else { return };
    if let Shape::Table(nested) = &mut sweep.value.shape {
        let mut flat = Vec::new();
        for entry in std::mem::take(nested) {
            flatten(entry, &mut flat);
        }
        *nested = flat;
    }
}

fn flatten(entry: Entry, flat: &mut Vec<Entry>) {
    match entry.value.shape {
        Shape::Table(below) if !below.is_empty() => {
            for inner in below {
                let key = format!("{}.{}", entry.key, inner.key);
                let joined = inner.key_origin.start > entry.key_origin.start;
                let key_origin = if joined {
                    Origin { end: inner.key_origin.end, ..entry.key_origin }
                } else {
                    inner.key_origin
                };
                flatten(Entry { key, key_origin, value: inner.value }, flat);
            }
        }
        _ => flat.push(entry),
    }
}

/// Makes a change. A swept key that it sets stops being swept; `operators.…` reaches every operator
/// set, and `operators.NAME.…` the one of that name.
fn put(root: &mut Node, change: &Change) -> Result<(), Box<Diagnostic>> {
    let Change { path, key_origin, value } = change;
    let segments: Vec<&str> = path.split('.').collect();
    match segments.as_slice() {
        ["sweep", _, ..] => {
            root.put(&["sweep", &segments[1..].join(".")], *key_origin, value.clone());
            return Ok(());
        }
        ["operators", key, ..] => {
            let known = keys::OPERATOR_SET.has(key);
            let Some(tables) = operator_tables(root) else { return Ok(()) };
            let names: Vec<String> = tables
                .iter()
                .enumerate()
                .map(|(place, table)| presets::set_name(table, place))
                .collect();
            let below = &path["operators.".len()..];
            let inside = |name: &String| {
                below.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('.'))
            };
            let found = names
                .iter()
                .enumerate()
                .find_map(|(place, name)| inside(name).map(|rest| (place, rest)));
            match found {
                Some((place, rest)) if !known => {
                    let rest: Vec<&str> = rest.split('.').collect();
                    tables[place].put(&rest, *key_origin, value.clone());
                    return swept_for_all(root, change, &rest.join("."));
                }
                None if !known => return Err(unknown_set(key, &names, *key_origin)),
                _ => root.put(&segments, *key_origin, value.clone()),
            }
        }
        _ => root.put(&segments, *key_origin, value.clone()),
    }
    for entry in sweep_entries(root) {
        if entry.key == *path {
            entry.value = Node { shape: Shape::List(vec![value.clone()]), origin: value.origin };
        } else if let Some(rest) =
            path.strip_prefix(entry.key.as_str()).and_then(|rest| rest.strip_prefix('.'))
        {
            let rest: Vec<&str> = rest.split('.').collect();
            entry.value.put(&rest, *key_origin, value.clone());
        }
    }
    Ok(())
}

fn operator_tables(root: &mut Node) -> Option<&mut Vec<Node>> {
    let Shape::Table(entries) = &mut root.shape else { return None };
    match &mut entries.iter_mut().find(|entry| entry.key == "operators")?.value.shape {
        Shape::List(tables) => Some(tables),
        _ => None,
    }
}

fn sweep_entries(root: &mut Node) -> &mut [Entry] {
    let Shape::Table(entries) = &mut root.shape else { return &mut [] };
    match entries.iter_mut().find(|entry| entry.key == "sweep").map(|sweep| &mut sweep.value.shape)
    {
        Some(Shape::Table(swept)) => swept,
        _ => &mut [],
    }
}

/// A change of one operator set is lost where the sweep sets the same key in all.
fn swept_for_all(root: &mut Node, change: &Change, rest: &str) -> Result<(), Box<Diagnostic>> {
    let key = format!("operators.{rest}");
    let swept = sweep_entries(root)
        .iter()
        .find(|entry| entry.key == key || key.starts_with(&format!("{}.", entry.key)));
    let Some(swept) = swept else { return Ok(()) };
    let error = Diagnostic::error(
        format!("`{}` would be lost", change.path),
        change.key_origin,
        "set for one operator set",
    );
    let error = error
        .also(swept.key_origin, "swept for every operator set")
        .rule("a swept key applies to every operator set")
        .help(format!("set it for all, with --set {key}=…, or remove it from [sweep]"));
    Err(Box::new(error))
}

fn unknown_set(name: &str, names: &[String], origin: Origin) -> Box<Diagnostic> {
    let keys = keys::OPERATOR_SET.swept();
    let shown: Vec<&str> = names.iter().map(String::as_str).collect();
    let error = Diagnostic::error(
        format!("`{name}` is neither a key of an operator set nor the name of one"),
        origin,
        "unknown",
    )
    .rule(format!(
        "the keys are {}; the operator sets are {}",
        listed(&keys, "and"),
        listed(&shown, "and")
    ));
    let near = nearest(name, keys.iter().copied().chain(shown));
    Box::new(match near {
        Some(near) => error.help(format!("did you mean `operators.{near}`?")),
        None => error.help("choose one of them"),
    })
}
