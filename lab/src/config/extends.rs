//! `extends`: a file that begins with the keys of others.

use super::catalogue::is_path;
use super::diagnostic::Diagnostic;
use super::keys;
use super::layer::{Layer, lay};
use super::named_file::{Files, lead_from, paths};
use super::node::{Entry, Node, Shape, key_toml};
use super::parse::parse;
use super::source::Origin;
use super::{extends_rules, sweep_tables, tuned_key};
use crate::problem::is_python;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Maximum number of files in a chain of `extends`.
const LONGEST_CHAIN: usize = 32;

/// A file on the way from the one that was given to the last that is extended.
struct Step {
    /// Path in messages.
    shown: PathBuf,
    /// Path in canonical spelling, so that a cycle is noticed.
    real: PathBuf,
    /// Folder as the first file calls it: paths in the merged tree are relative to that file.
    folder: PathBuf,
}

/// Reader of the files that one file extends, directly or in turn.
struct Reader<'a, 'b> {
    chain: Vec<Step>,
    /// Trees of the files, each behind those that it extends.
    trees: Vec<Node>,
    /// Canonical paths of the files that were read.
    read: BTreeSet<PathBuf>,
    files: &'a mut Files<'b>,
}

/// Merges the document `root` of a file over the files that it extends, directly or in turn. Later
/// files of a list win over earlier ones, and each file over those that it extends. A file that
/// several extend is laid once, below all of them. Returns whether `root` extends any file; `None`
/// if an extended file cannot be used.
pub(super) fn follow(root: &mut Node, files: &mut Files<'_>) -> Option<bool> {
    let Some(wanted) = root.take(keys::EXTENDS.name) else { return Some(false) };
    let path = files.config;
    let first = Step { shown: path.to_owned(), real: real(path), folder: PathBuf::new() };
    let mut reader = Reader { chain: vec![first], trees: Vec::new(), read: BTreeSet::new(), files };
    if !reader.read_all(&wanted) {
        return None;
    }
    let own = std::mem::replace(root, Node::empty_table(root.origin));
    let mut trees = reader.trees.into_iter().chain([own]);
    *root = trees.next()?;
    let mut lost = Vec::new();
    for tree in trees {
        lost.extend(extends_rules::lost(root, &tree));
        extends_rules::take_replaced(root, &tree);
        lay(root, tree, Layer::File);
    }
    extends_rules::warn(lost, root, reader.files.out);
    Some(true)
}

/// Returns the path of a file that is there, in one spelling.
fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

impl Reader<'_, '_> {
    /// Reads the files that the last of the chain names; whether all of them can be used.
    fn read_all(&mut self, wanted: &Node) -> bool {
        let Some(names) = paths(wanted, &keys::EXTENDS, "base.toml", self.files.out) else {
            return false;
        };
        names.into_iter().fold(true, |good, (name, origin)| self.read(name, origin) && good)
    }

    /// Reads a file and those that it extends.
    fn read(&mut self, name: &str, origin: Origin) -> bool {
        let Some(own) = self.chain.last() else { return false };
        let shown = own.shown.parent().unwrap_or(Path::new("")).join(name);
        let folder = own.folder.join(Path::new(name).parent().unwrap_or(Path::new("")));
        let what = ("another experiment file", "the file to extend");
        let Some(text) = self.files.text(&shown, what, origin) else { return false };
        let step = Step { real: real(&shown), shown, folder };
        if let Some(fault) = self.fault(&step, origin) {
            self.files.out.push(fault);
            return false;
        }
        if self.read.contains(&step.real) {
            return true;
        }
        self.read.insert(step.real.clone());
        self.chain.push(step);
        let tree = self.tree(text);
        self.chain.pop();
        let good = tree.is_some();
        self.trees.extend(tree);
        good
    }

    /// Returns the fault of a step that makes the chain too long, or a circle.
    fn fault(&self, step: &Step, origin: Origin) -> Option<Diagnostic> {
        if self.chain.len() >= LONGEST_CHAIN {
            let message = format!("more than {LONGEST_CHAIN} files extend each other");
            let error = origin.error(message, "this one is too many");
            let rule = format!("a chain of `extends` has at most {LONGEST_CHAIN} files");
            return Some(error.rule(rule).help("extend a file that is nearer to the last one"));
        }
        let start = self.chain.iter().position(|other| other.real == step.real)?;
        Some(circle(&self.chain[start..], step, origin))
    }

    /// Returns the tree of the last file of the chain, with its paths as the first file has them;
    /// `None` if the file, or one that it extends, cannot be used.
    fn tree(&mut self, text: String) -> Option<Node> {
        let Step { shown, folder, .. } = self.chain.last()?;
        let (file, folder) = (shown.clone(), folder.clone());
        let Files { sources, out, .. } = &mut *self.files;
        let source = sources.add_extended(&file, text);
        let before = out.len();
        let mut tree = parse(sources, source, out);
        // Keys of an unreadable file are missing: other faults may follow from that.
        if out.len() > before {
            return None;
        }
        sweep_tables::flatten(&mut tree);
        tuned_key::flatten(&mut tree);
        if let Some(wanted) = tree.take(keys::EXTENDS.name)
            && !self.read_all(&wanted)
        {
            return None;
        }
        _ = tree.take(keys::NAME.name);
        lead_plugin_from(&folder, &file, &mut tree);
        lead_start_from(&folder, &mut tree);
        if let Some(presets) = tree.get_mut(keys::PRESETS.name) {
            lead_from(&folder, presets);
        }
        for entry in sweep_tables::entries(&mut tree).into_iter().flatten() {
            if let (sweep_tables::FROM, Shape::Text(text)) = (&*entry.key, &mut entry.value.shape) {
                *text = folder.join(&*text).display().to_string();
            }
        }
        Some(tree)
    }
}

/// Prefixes the paths of plugins and of their interpreters in the tables that may have some with
/// `folder`, by which the file that extends `file` calls the folder of `file`.
pub(super) fn lead_plugin_from(folder: &Path, file: &Path, base: &mut Node) {
    // The plugins of operators are in slots, and in values of slots that are swept or tuned.
    let with_plugins =
        [&keys::PROBLEM, &keys::OPERATORS, &keys::PRESETS, &keys::SWEEP, &keys::TUNE];
    for Entry { key, value, .. } in base.entries_mut().into_iter().flatten() {
        if with_plugins.iter().any(|one| one.name == key) {
            lead_plugins(folder, file.parent().unwrap_or(Path::new("")), value);
        }
    }
}

/// Prefixes the paths of plugins and of their interpreters in a value with `folder`. They are
/// relative to the folder `here`.
pub(super) fn lead_plugins(folder: &Path, here: &Path, value: &mut Node) {
    let beside =
        |text: &str| is_python(Path::new(text)) && here.join(text).is_file() || is_path(text);
    let lead = |key: &str, text: &mut String| {
        let is_path = match key {
            key if key == keys::PLUGIN.name => beside(text),
            key if key == keys::INTERPRETER.name => text.contains(['/', '\\']),
            _ => false,
        };
        if is_path {
            *text = folder.join(&*text).display().to_string();
        }
    };
    each_text(value, &lead);
}

/// Changes every text of a table, and of the tables and lists in it, by its key.
fn each_text(node: &mut Node, change: &impl Fn(&str, &mut String)) {
    match &mut node.shape {
        Shape::Table(entries) => {
            for Entry { key, value, .. } in entries {
                match &mut value.shape {
                    Shape::Text(text) => change(key, text),
                    _ => each_text(value, change),
                }
            }
        }
        Shape::List(items) => items.iter_mut().for_each(|item| each_text(item, change)),
        _ => {}
    }
}

/// Prefixes the paths of the first genomes with `folder`.
fn lead_start_from(folder: &Path, base: &mut Node) {
    let start = base.get_mut(keys::START.name).and_then(Node::entries_mut);
    for Entry { key, value, .. } in start.into_iter().flatten() {
        let is_path = [keys::START_FILE.name, keys::START_EXPERIMENT.name].contains(&key.as_str());
        if let (true, Shape::Text(text)) = (is_path, &mut value.shape) {
            *text = folder.join(&*text).display().to_string();
        }
    }
}

const WITH_OTHERS: &str = "#: With the files that it names, as the runner read them.\n";

/// Returns the document as a separate text, with one line per key at the top.
pub(super) fn to_text(root: &Node) -> String {
    format!("{WITH_OTHERS}{}", lines(root))
}

/// Returns the document as a separate text, below the comments at the head of its file. A run
/// records this text, so that its results can be reproduced without the other files.
pub(super) fn to_text_below(head: &str, root: &Node) -> String {
    let is_comment = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let head: String = head.split_inclusive('\n').take_while(is_comment).collect();
    format!("{head}{}{WITH_OTHERS}", lines(root))
}

fn lines(root: &Node) -> String {
    let line = |entry: &Entry| format!("{} = {}\n", key_toml(&entry.key), entry.value.to_toml());
    root.entries().unwrap_or_default().iter().map(line).collect()
}

fn circle(chain: &[Step], step: &Step, origin: Origin) -> Diagnostic {
    let names = chain.iter().chain([step]).map(|step| step.shown.display().to_string());
    let names: Vec<String> = names.collect();
    let error = origin.error(
        format!("{} extends itself: {}", step.shown.display(), names.join(" extends ")),
        "this closes the circle",
    );
    error.help("remove `extends` from one of these files")
}
