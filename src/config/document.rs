//! A config's document: file plus overrides, presets laid under, and its tables found.

use super::diagnostic::{Diagnostic, Sources};
use super::fields::{check_keys, table, text, wrong_type};
use super::node::{Entry, Node, Origin, Shape, parse, parse_value};
use crate::nearest::nearest;
use crate::operators::registry::listed;

/// The operator sets that ship with the runner, as TOML tables by name.
const PRESETS: &str = include_str!("presets.toml");

/// The keys at the top of a file.
const KEYS: [&str; 8] = ["name", "seed", "repeats", "problem", "operators", "stop", "sweep", "output"];

/// What the command line changes in every file.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `--set KEY=VALUE`, as given.
    pub set: Vec<String>,
    pub repeats: Option<String>,
    pub seed: Option<String>,
}

impl Overrides {
    /// As the user gave them.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = self.set.iter().map(|set| format!("--set {set}")).collect();
        words.extend(self.repeats.iter().map(|value| format!("--repeats {value}")));
        words.extend(self.seed.iter().map(|value| format!("--seed {value}")));
        words
    }
}

/// An operator set's table, with its name settled and its preset laid under.
#[derive(Clone, Debug)]
pub struct SetTable {
    pub name: String,
    pub node: Node,
}

/// Reads a file's text and puts the overrides in.
pub fn read(sources: &mut Sources, source: usize, overrides: &Overrides, out: &mut Vec<Diagnostic>) -> Node {
    let mut root = parse(sources, source, out);
    for set in &overrides.set {
        let id = sources.add("--set", set.clone());
        let whole = Origin { source: id, start: 0, end: set.len() };
        let Some((path, _)) = set.split_once('=').filter(|(path, _)| !path.trim().is_empty()) else {
            let error = Diagnostic::error(format!("`{set}` sets nothing"), whole, "no KEY=VALUE");
            out.push(error.help("write a key, an equals sign and a value, such as --set problem.n=12"));
            continue;
        };
        let value = parse_value(set, id, path.len() + 1);
        put(&mut root, path.trim(), whole, value);
    }
    for (key, text) in [("repeats", &overrides.repeats), ("seed", &overrides.seed)] {
        if let Some(text) = text {
            let id = sources.add(format!("--{key}"), text.clone());
            let whole = Origin { source: id, start: 0, end: text.len() };
            root.put(&[key], whole, parse_value(text, id, 0));
        }
    }
    if let Shape::Table(entries) = &root.shape {
        check_keys(entries, &KEYS, "an experiment file", out);
    }
    root
}

/// Puts a value at a path; `operators.NAME.…` reaches the set of that name alone, and a sweep's keys have dots inside.
fn put(root: &mut Node, path: &str, key_origin: Origin, value: Node) {
    let segments: Vec<&str> = path.split('.').map(str::trim).collect();
    match segments.as_slice() {
        ["sweep", ..] if segments.len() > 2 => root.put(&["sweep", &segments[1..].join(".")], key_origin, value),
        ["operators", name, rest @ ..] if !rest.is_empty() => {
            let named =
                |table: &Node| table.get("name").and_then(Node::value).is_some_and(|value| is_text(&value, name));
            if let Shape::Table(entries) = &mut root.shape
                && let Some(entry) = entries.iter_mut().find(|entry| entry.key == "operators")
                && let Shape::List(tables) = &mut entry.value.shape
                && let Some(table) = tables.iter_mut().find(|table| named(table))
            {
                table.put(rest, key_origin, value);
            } else {
                root.put(&segments, key_origin, value);
            }
        }
        _ => root.put(&segments, key_origin, value),
    }
}

fn is_text(value: &crate::parameter::Value, wanted: &str) -> bool {
    matches!(value, crate::parameter::Value::Text(text) if text == wanted)
}

/// The operator sets of a document, presets resolved, names unique.
pub fn operator_sets(root: &Node, sources: &mut Sources, out: &mut Vec<Diagnostic>) -> Vec<SetTable> {
    let Some(node) = root.get("operators") else {
        let error = Diagnostic::error("this experiment has no operator set", root.origin, "nothing says how to search");
        out.push(error.help("add a table [[operators]], for example with preset = \"simple-ga\""));
        return Vec::new();
    };
    let Shape::List(tables) = &node.shape else {
        let error = wrong_type(node, "operators", "a list of tables");
        out.push(error.help("write the header with two brackets, [[operators]], once for each operator set"));
        return Vec::new();
    };
    if tables.is_empty() {
        out.push(
            Diagnostic::error("the list of operator sets is empty", node.origin, "nothing to run")
                .help("add a table [[operators]]"),
        );
    }
    let presets = presets(sources);
    let mut sets: Vec<(SetTable, Origin)> = Vec::new();
    for (place, node) in tables.iter().enumerate() {
        let Some(entries) = table(node, "operators", "[[operators]]", out) else { continue };
        let (node, preset) = lay_preset(node, entries, &presets, out);
        let named = entries.iter().find(|entry| entry.key == "name");
        let name = match named.map(|entry| text(&entry.value, "name", out)) {
            Some(name) => name.unwrap_or_default().to_string(),
            None => preset.unwrap_or_else(|| format!("operators-{}", place + 1)),
        };
        let origin = named.map_or(node.origin, |entry| entry.value.origin);
        if let Some(named) = named
            && (name.trim().is_empty() || name.chars().any(char::is_control) || name.len() > 100)
            && matches!(named.value.shape, Shape::Text(_))
        {
            let error =
                Diagnostic::error("this name cannot stand in a table", origin, "empty, too long or not printable");
            out.push(error.rule("a name has 1 to 100 bytes and no control characters"));
        }
        if let Some((_, first)) = sets.iter().find(|(set, _)| set.name == name) {
            let error = Diagnostic::error(format!("two operator sets are called `{name}`"), origin, "the second");
            out.push(error.also(*first, "the first").help("give one of them another name: name = \"…\""));
        }
        sets.push((SetTable { name, node }, origin));
    }
    sets.into_iter().map(|(set, _)| set).collect()
}

/// The presets that ship, as (name, table).
pub fn presets(sources: &mut Sources) -> Vec<Entry> {
    let source = sources.add("the presets", PRESETS);
    match parse(sources, source, &mut Vec::new()).shape {
        Shape::Table(entries) => entries,
        _ => Vec::new(),
    }
}

/// The table with its preset's keys where it has none of its own; and the preset's name.
fn lay_preset(node: &Node, entries: &[Entry], presets: &[Entry], out: &mut Vec<Diagnostic>) -> (Node, Option<String>) {
    let Some(wanted) = node.get("preset") else { return (node.clone(), None) };
    let Some(name) = text(wanted, "preset", out) else { return (node.clone(), None) };
    let names: Vec<&str> = presets.iter().map(|preset| preset.key.as_str()).collect();
    let Some(preset) = presets.iter().find(|preset| preset.key == name) else {
        let error = Diagnostic::error(format!("there is no preset called `{name}`"), wanted.origin, "unknown")
            .rule(format!("the presets are {}", listed(&names, "and")));
        out.push(match nearest(name, names) {
            Some(near) => error.help(format!("did you mean \"{near}\"?")),
            None => error,
        });
        return (node.clone(), None);
    };
    let mut laid = entries.to_vec();
    if let Shape::Table(below) = &preset.value.shape {
        let missing = below.iter().filter(|entry| node.get(&entry.key).is_none());
        laid.extend(missing.cloned());
    }
    (Node { shape: Shape::Table(laid), origin: node.origin }, Some(name.to_string()))
}

/// The presets as their text, comment and all, by name.
#[must_use]
pub fn preset_texts() -> Vec<(String, String)> {
    let blocks = PRESETS.split("\n\n").map(str::trim).filter(|block| block.contains("\n["));
    let name =
        |block: &str| block.lines().find_map(|line| line.strip_prefix('[')?.strip_suffix(']').map(str::to_string));
    blocks.filter_map(|block| name(block).map(|name| (name, block.to_string()))).collect()
}
