//! A config's document: the file's tree with the command line's overrides in it.

use super::diagnostic::{Diagnostic, Sources};
use super::fields::check_keys;
use super::file_access::FileAccess;
use super::node::{Entry, Node, Origin, Shape, override_value, parse};
use super::{design, extends, keys, presets, range, sweep};
use crate::config::nearest::nearest;
use crate::operators::operator::listed;
use std::path::Path;

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
    out: &mut Vec<Diagnostic>,
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

/// A document that was read.
pub(super) struct Document {
    pub root: Node,
    /// Text that gives the same document without the files that it names; `None` if it names no
    /// files.
    pub resolved: Option<String>,
    /// Whether an extended file or the rows of a sweep cannot be read.
    pub broken: bool,
}

/// Returns the document of a source, which is the file at `path`: over what it extends, with the
/// changes made.
pub(super) fn read(
    sources: &mut Sources,
    source: usize,
    path: &Path,
    (changes, files): (&[Change], FileAccess),
    out: &mut Vec<Diagnostic>,
) -> Document {
    let mut root = parse(sources, source, out);
    flatten_sweep(&mut root);
    let extends = extends::follow(&mut root, path, files, sources, out);
    // Missing keys may be in a file that cannot be read.
    let rows = extends.and_then(|_| design::lay_out(&mut root, path, files, sources, out));
    let names_some = extends == Some(true) || rows == Some(true);
    let resolved = names_some.then(|| extends::to_text(&root));
    change(&mut root, changes, out);
    Document { root, resolved, broken: rows.is_none() }
}

/// Makes the changes, and looks for keys that are none.
pub(super) fn change(root: &mut Node, changes: &[Change], out: &mut Vec<Diagnostic>) {
    for change in changes {
        if change.path == keys::EXTENDS.name {
            let origin = change.key_origin;
            let error = Diagnostic::error("`extends` cannot be set", origin, "only in a file");
            out.push(error.help("write it in a file of its own, with extends = \"…\""));
            continue;
        }
        if let Err(error) = put(root, change) {
            out.push(*error);
        }
    }
    flatten_sweep(root);
    design::refuse(root, out);
    if let Shape::Table(entries) = &root.shape {
        check_keys(entries, &keys::TOP.names(), keys::TOP.name, out);
    }
}

/// Flattens the tables that a dotted key without quotes makes below [sweep]. A key such as
/// `problem.n` then has the meaning of a quoted key.
pub(super) fn flatten_sweep(root: &mut Node) {
    let Shape::Table(entries) = &mut root.shape else { return };
    let Some(sweep) = entries.iter_mut().find(|entry| entry.key == "sweep") else { return };
    match &mut sweep.value.shape {
        Shape::List(tables) => tables.iter_mut().for_each(flatten_table),
        _ => flatten_table(&mut sweep.value),
    }
}

/// Flattens the tables of one sweep, and of the rules in it that leave combinations out.
fn flatten_table(table: &mut Node) {
    let Shape::Table(nested) = &mut table.shape else { return };
    let mut flat = Vec::new();
    for mut entry in std::mem::take(nested) {
        if let (sweep::EXCEPT, Shape::List(rules)) = (&*entry.key, &mut entry.value.shape) {
            rules.iter_mut().for_each(flatten_table);
        }
        flatten(entry, &mut flat);
    }
    *nested = flat;
}

fn flatten(entry: Entry, flat: &mut Vec<Entry>) {
    match entry.value.shape {
        Shape::Table(below) if !below.is_empty() && !range::is_range(&below) => {
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
    // Swept keys that it sets: its own, and that of each operator set that has one of its own.
    let mut set = vec![path.clone()];
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
                    if !sweep_entries(root).iter().any(|entry| entry.key == *path) {
                        return swept_for_all(root, change, &rest.join("."));
                    }
                }
                None if !known => return Err(unknown_set(key, &names, *key_origin)),
                _ => {
                    set.extend(names.iter().map(|name| format!("operators.{name}.{below}")));
                    root.put(&segments, *key_origin, value.clone());
                }
            }
        }
        _ => root.put(&segments, *key_origin, value.clone()),
    }
    for entry in sweep_entries(root) {
        if set.contains(&entry.key) {
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

/// Returns the entries of all sweeps.
fn sweep_entries(root: &mut Node) -> Vec<&mut Entry> {
    design::sweeps(root).into_iter().flatten().collect()
}

/// A change of one operator set is lost where the sweep sets the same key in all.
fn swept_for_all(root: &mut Node, change: &Change, rest: &str) -> Result<(), Box<Diagnostic>> {
    let key = format!("operators.{rest}");
    let swept = sweep_entries(root)
        .into_iter()
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
