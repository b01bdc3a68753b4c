//! `extends`: a file that begins with the keys of another.

use super::catalogue::is_path;
use super::diagnostic::Diagnostic;
use super::file_access::{FileAccess, NotOpened, Refusal};
use super::keys;
use super::layer::{Layer, lay};
use super::node::{Entry, Node, Shape, key_toml};
use super::parse::parse;
use super::source::{Origin, Sources};
use super::sweep_tables;
use crate::problem::is_python;
use crate::system::regular;
use std::path::{Path, PathBuf};

/// Maximum number of files in a chain of `extends`.
const LONGEST_CHAIN: usize = 32;

/// A file on the way from the one that was given to the last that is extended.
struct Step {
    /// Path in messages.
    shown: PathBuf,
    /// Path in canonical spelling, so that a cycle is noticed.
    real: PathBuf,
}

/// Merges the document `root` of a file over the files that it extends, directly or in turn.
/// Returns whether it extends any file; `None` if an extended file cannot be used.
pub(super) fn follow(
    root: &mut Node,
    path: &Path,
    files: FileAccess,
    sources: &mut Sources,
    out: &mut Vec<Diagnostic>,
) -> Option<bool> {
    if root.get(keys::EXTENDS.name).is_none() {
        return Some(false);
    }
    let mut chain = vec![Step { shown: path.to_owned(), real: real(path) }];
    lay_under(root, &mut chain, files, sources, out).then_some(true)
}

/// Returns the path of a file that is there, in one spelling.
fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Lays the file that `root` extends under it; whether that could be done.
fn lay_under(
    root: &mut Node,
    chain: &mut Vec<Step>,
    files: FileAccess,
    sources: &mut Sources,
    out: &mut Vec<Diagnostic>,
) -> bool {
    let Some(wanted) = root.take(keys::EXTENDS.name) else { return true };
    let Shape::Text(name) = &wanted.shape else {
        let error = super::fields::wrong_type(&wanted, keys::EXTENDS.name, "the path of a file");
        out.push(error.help("write extends = \"base.toml\""));
        return false;
    };
    let own = chain.last().map_or(Path::new(""), |step| &step.shown);
    let folder = Path::new(name).parent().unwrap_or(Path::new("")).to_owned();
    let shown = own.parent().unwrap_or(Path::new("")).join(name);
    let opened = match files.open(&shown) {
        Ok(file) => Ok(file),
        Err(NotOpened::Refused(refusal)) => {
            out.push(refused(&shown, &refusal, wanted.origin));
            return false;
        }
        Err(NotOpened::System(error)) => Err(error),
    };
    if chain.len() >= LONGEST_CHAIN {
        let message = format!("more than {LONGEST_CHAIN} files extend each other");
        let error = Diagnostic::error(message, wanted.origin, "this one is too many");
        let rule = format!("a chain of `extends` has at most {LONGEST_CHAIN} files");
        out.push(error.rule(rule).help("extend a file that is nearer to the last one"));
        return false;
    }
    let step = Step { real: real(&shown), shown };
    if let Some(start) = chain.iter().position(|other| other.real == step.real) {
        out.push(circle(&chain[start..], &step, wanted.origin));
        return false;
    }
    let text = match opened.and_then(|file| regular::text(&file, regular::MOST_OF_CONFIG)) {
        Ok(text) => text,
        Err(error) => {
            out.push(unreadable(&step.shown, &error, wanted.origin));
            return false;
        }
    };
    let source = sources.add_extended(&step.shown, text);
    let before = out.len();
    let mut base = parse(sources, source, out);
    // What cannot be read leaves keys out: whatever else is wrong may follow from that.
    if out.len() > before {
        return false;
    }
    sweep_tables::flatten(&mut base);
    let file = step.shown.clone();
    chain.push(step);
    if !lay_under(&mut base, chain, files, sources, out) {
        return false;
    }
    _ = base.take(keys::NAME.name);
    lead_plugin_from(&folder, &file, &mut base);
    lead_start_from(&folder, &mut base);
    for entry in sweep_tables::entries(&mut base).into_iter().flatten() {
        if let (sweep_tables::FROM, Shape::Text(text)) = (&*entry.key, &mut entry.value.shape) {
            *text = folder.join(&*text).display().to_string();
        }
    }
    lay(&mut base, std::mem::replace(root, Node::empty_table(root.origin)), Layer::File);
    *root = base;
    true
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
