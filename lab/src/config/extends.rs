//! `extends`: a file that begins with the keys of others.

use super::catalogue::is_path;
use super::diagnostic::Diagnostic;
use super::fields::wrong_type;
use super::file_access::{FileAccess, NotOpened, Refusal};
use super::keys::{self, Key};
use super::layer::{Layer, lay};
use super::node::{Entry, Node, Shape, key_toml};
use super::parse::parse;
use super::source::{Origin, Sources};
use super::sweep_tables;
use crate::problem::is_python;
use crate::system::regular;
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
struct Reader<'a> {
    chain: Vec<Step>,
    /// Trees of the files, each behind those that it extends.
    trees: Vec<Node>,
    /// Canonical paths of the files that were read.
    read: BTreeSet<PathBuf>,
    files: FileAccess,
    sources: &'a mut Sources,
    out: &'a mut Vec<Diagnostic>,
}

/// Merges the document `root` of a file over the files that it extends, directly or in turn. Later
/// files of a list win over earlier ones, and each file over those that it extends. A file that
/// several extend is laid once, below all of them. Returns whether `root` extends any file; `None`
/// if an extended file cannot be used.
pub(super) fn follow(
    root: &mut Node,
    path: &Path,
    files: FileAccess,
    sources: &mut Sources,
    out: &mut Vec<Diagnostic>,
) -> Option<bool> {
    let Some(wanted) = root.take(keys::EXTENDS.name) else { return Some(false) };
    let first = Step { shown: path.to_owned(), real: real(path), folder: PathBuf::new() };
    let (chain, trees, read) = (vec![first], Vec::new(), BTreeSet::new());
    let mut reader = Reader { chain, trees, read, files, sources, out };
    if !reader.read_all(&wanted) {
        return None;
    }
    let own = std::mem::replace(root, Node::empty_table(root.origin));
    let mut trees = reader.trees.into_iter().chain([own]);
    *root = trees.next()?;
    trees.for_each(|tree| lay(root, tree, Layer::File));
    Some(true)
}

/// Returns the path of a file that is there, in one spelling.
fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

impl Reader<'_> {
    /// Reads the files that the last of the chain names; whether all of them can be used.
    fn read_all(&mut self, wanted: &Node) -> bool {
        let Some(names) = paths(wanted, &keys::EXTENDS, "base.toml", self.out) else {
            return false;
        };
        names.into_iter().fold(true, |good, (name, origin)| self.read(name, origin) && good)
    }

    /// Reads a file and those that it extends.
    fn read(&mut self, name: &str, origin: Origin) -> bool {
        let Some(own) = self.chain.last() else { return false };
        let shown = own.shown.parent().unwrap_or(Path::new("")).join(name);
        let folder = own.folder.join(Path::new(name).parent().unwrap_or(Path::new("")));
        let opened = match self.files.open(&shown) {
            Ok(file) => Ok(file),
            Err(NotOpened::Refused(refusal)) => {
                self.out.push(refused(&shown, &refusal, origin));
                return false;
            }
            Err(NotOpened::System(error)) => Err(error),
        };
        let step = Step { real: real(&shown), shown, folder };
        if let Some(fault) = self.fault(&step, origin) {
            self.out.push(fault);
            return false;
        }
        if self.read.contains(&step.real) {
            return true;
        }
        let text = match opened.and_then(|file| regular::text(&file, regular::MOST_OF_CONFIG)) {
            Ok(text) => text,
            Err(error) => {
                self.out.push(unreadable(&step.shown, &error, origin));
                return false;
            }
        };
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
            let error = Diagnostic::error(message, origin, "this one is too many");
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
        let source = self.sources.add_extended(&file, text);
        let before = self.out.len();
        let mut tree = parse(self.sources, source, self.out);
        // What cannot be read leaves keys out: whatever else is wrong may follow from that.
        if self.out.len() > before {
            return None;
        }
        sweep_tables::flatten(&mut tree);
        if let Some(wanted) = tree.take(keys::EXTENDS.name)
            && !self.read_all(&wanted)
        {
            return None;
        }
        _ = tree.take(keys::NAME.name);
        lead_plugin_from(&folder, &file, &mut tree);
        lead_start_from(&folder, &mut tree);
        for entry in sweep_tables::entries(&mut tree).into_iter().flatten() {
            if let (sweep_tables::FROM, Shape::Text(text)) = (&*entry.key, &mut entry.value.shape) {
                *text = folder.join(&*text).display().to_string();
            }
        }
        Some(tree)
    }
}

/// Returns the paths that a key names, each with its place: a text, or a list of texts that differ.
/// Complains of anything else; `example` is such a path.
fn paths<'a>(
    wanted: &'a Node,
    key: &Key,
    example: &str,
    out: &mut Vec<Diagnostic>,
) -> Option<Vec<(&'a str, Origin)>> {
    let before = out.len();
    let nodes = match &wanted.shape {
        Shape::List(items) => items.as_slice(),
        _ => std::slice::from_ref(wanted),
    };
    if nodes.is_empty() {
        let message = format!("the list of `{}` is empty", key.name);
        let error = Diagnostic::error(message, wanted.origin, "names no file");
        out.push(error.help(format!("name a file, or remove `{}`", key.name)));
    }
    let mut names: Vec<(&str, Origin)> = Vec::new();
    for node in nodes {
        let Shape::Text(name) = &node.shape else {
            let error = wrong_type(node, key.name, &key.form.to_string());
            out.push(error.help(format!("write {} = \"{example}\"", key.name)));
            continue;
        };
        if let Some((_, first)) = names.iter().find(|(other, _)| other == name) {
            let message = format!("`{}` names {name} twice", key.name);
            let error = Diagnostic::error(message, node.origin, "again");
            out.push(error.also(*first, "first used here").help("name each file once"));
        }
        names.push((name, node.origin));
    }
    (out.len() == before).then_some(names)
}

/// Prefixes the paths of a plugin and of its interpreter with `folder`. They are relative to
/// `file`, which names them. The file that extends it calls its folder `folder`.
fn lead_plugin_from(folder: &Path, file: &Path, base: &mut Node) {
    let beside = |text: &str| {
        is_python(Path::new(text)) && file.with_file_name(text).is_file() || is_path(text)
    };
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
    for Entry { key, value, .. } in base.entries_mut().into_iter().flatten() {
        // The plugins of operators are in slots, and in values of slots that are swept.
        if [keys::PROBLEM.name, keys::OPERATORS.name, keys::SWEEP.name].contains(&key.as_str()) {
            each_text(value, &lead);
        }
    }
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

/// Returns the document as a separate text, with one line per key at the top. A run records this
/// text, so that its results can be reproduced without the other files.
pub(super) fn to_text(root: &Node) -> String {
    let line = |entry: &Entry| format!("{} = {}\n", key_toml(&entry.key), entry.value.to_toml());
    let lines: String = root.entries().unwrap_or_default().iter().map(line).collect();
    format!("# With the files that it names, as the runner read them.\n{lines}")
}

fn circle(chain: &[Step], step: &Step, origin: Origin) -> Diagnostic {
    let names = chain.iter().chain([step]).map(|step| step.shown.display().to_string());
    let names: Vec<String> = names.collect();
    let error = Diagnostic::error(
        format!("{} extends itself: {}", step.shown.display(), names.join(" extends ")),
        origin,
        "this closes the circle",
    );
    error.help("remove `extends` from one of these files")
}

fn refused(path: &Path, Refusal { who, help }: &Refusal, origin: Origin) -> Diagnostic {
    let message = format!("{}: {who} cannot read another experiment file", path.display());
    Diagnostic::error(message, origin, "the file to extend").help(*help)
}

fn unreadable(path: &Path, error: &std::io::Error, origin: Origin) -> Diagnostic {
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::InvalidData => "it is not UTF-8".to_owned(),
        _ => error.to_string(),
    };
    let error = Diagnostic::error(
        format!("{}: cannot be read: {why}", path.display()),
        origin,
        "the file to extend",
    );
    error
        .rule("the path is relative to the file that says it")
        .help("check the path and its permissions")
}
