//! Suites: experiments under one name and version, as a benchmark.

use super::config_file::read_text;
use super::diagnostic::{Diagnostic, Refused};
use super::experiment_name::experiment_name;
use super::fields::{check_keys, table, text, value, wrong_type};
use super::node::{Node, Shape};
use super::parse::parse;
use super::source::Sources;
use crate::problem::parameter::{Kind, Value};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Table that makes a file a suite.
pub(super) const SUITE: &str = "suite";

const NAME: &str = "name";
const VERSION: &str = "version";
const EXPERIMENTS: &str = "experiments";
const RESULTS: &str = "results";
const POOL: &str = "pool";
const BY: &str = "by";
const TARGETS: &str = "targets";
const LEVEL: &str = "level";
const KEYS: [&str; 8] = [NAME, VERSION, EXPERIMENTS, RESULTS, POOL, BY, TARGETS, LEVEL];
const EXAMPLE: &str =
    "[suite] with name = \"mine\", version = \"1\" and experiments = [\"first.toml\"]";

/// Measures by which a suite ranks algorithms, by their names in the tables.
const MEASURES: &[Cow<'static, str>] =
    &[Cow::Borrowed("ert"), Cow::Borrowed("success-rate"), Cow::Borrowed("fitness")];

/// Significance level of a suite that names none.
const DEFAULT_LEVEL: f64 = 0.05;

/// A suite as its file defines it.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// Name of the suite, and of its page.
    pub name: String,
    /// Version of the suite.
    pub version: String,
    /// Text of the file.
    pub text: String,
    /// Experiment files, or patterns of them.
    pub experiments: Vec<PathBuf>,
    /// Results of others: packs and folders.
    pub results: Vec<PathBuf>,
    /// Keys of `[problem]`, without the table, whose values are instances of one function.
    pub pool: Vec<String>,
    /// Measure of the ranks, by its name in the tables; `None` if the functions decide.
    pub by: Option<String>,
    /// Fitness values whose times of arrival are counted, descending; `None` if the trials decide.
    pub targets: Option<Vec<f64>>,
    /// Significance level of the tests.
    pub level: f64,
}

impl Suite {
    /// Reads a suite. Paths in it are relative to its folder.
    ///
    /// # Errors
    /// Returns every fault of the file, with the text that the faults point into.
    pub fn read(path: &Path) -> Result<Self, (Vec<Diagnostic>, Sources)> {
        let (mut sources, mut out) = (Sources::default(), Vec::new());
        let read = read_text(path, &mut out).and_then(|text| {
            let source = sources.add(path.display().to_string(), text.as_str());
            let root = parse(&sources, source, &mut out);
            let good = Refused::before(&out).is_none();
            good.then(|| of_tree(&root, path, text, &mut out))?
        });
        match read.filter(|_| out.is_empty()) {
            Some(suite) => Ok(suite),
            None => Err((out, sources)),
        }
    }
}

impl Suite {
    /// Returns the BLAKE3 hash of the file, in hexadecimal.
    #[must_use]
    pub fn hash(&self) -> String {
        blake3::hash(self.text.as_bytes()).to_string()
    }
}

/// Reads the tree of a suite's file.
fn of_tree(root: &Node, path: &Path, text: String, out: &mut Vec<Diagnostic>) -> Option<Suite> {
    let Some(node) = root.get(SUITE) else {
        let message = format!("{}: this file has no table [suite]", path.display());
        out.push(
            Diagnostic::general(message)
                .help(format!("write it as {EXAMPLE}; an experiment is run without `suite`")),
        );
        return None;
    };
    check_keys(root.entries()?, &[SUITE], "the top level of a suite", out);
    check_keys(table(node, SUITE, EXAMPLE, out)?, &KEYS, "[suite]", out);
    let folder = path.parent().unwrap_or(Path::new(""));
    let (name, version) = (experiment_name(node, path, out), version(node, out));
    let experiments = paths(node, EXPERIMENTS, folder, out);
    let results = match node.get(RESULTS) {
        Some(_) => paths(node, RESULTS, folder, out),
        None => Some(Vec::new()),
    };
    let (pool, by) = (pool(node, out), measure(node, out));
    let (targets, level) = (targets(node, out), level(node, out));
    Some(Suite {
        name: name?,
        version: version?,
        text,
        experiments: experiments?,
        results: results?,
        pool: pool?,
        by: by?,
        targets: targets?,
        level: level?,
    })
}

/// Returns the version, one line of text.
fn version(node: &Node, out: &mut Vec<Diagnostic>) -> Option<String> {
    let rule = "results count for one version of a suite, so each change of it has its own";
    let Some(given) = node.get(VERSION) else {
        let error = Diagnostic::error("[suite] has no version", node.origin, "no version");
        out.push(error.rule(rule).help("add version = \"1\"").of_absence());
        return None;
    };
    let version = text(given, VERSION, out)?;
    if version.trim().is_empty() || version.chars().any(char::is_control) {
        let error = Diagnostic::error("the version is not one line of text", given.origin, "here");
        out.push(error.rule(rule).help("write it as version = \"1\""));
        return None;
    }
    Some(version.to_owned())
}

/// Returns the items of a list that is not empty.
fn list<'a>(
    node: &'a Node,
    key: &str,
    (what, example): (&str, &str),
    out: &mut Vec<Diagnostic>,
) -> Option<&'a [Node]> {
    let Some(given) = node.get(key) else {
        let error = Diagnostic::error(format!("[suite] has no {key}"), node.origin, "incomplete");
        out.push(error.help(format!("add {key} = {example}")).of_absence());
        return None;
    };
    match &given.shape {
        Shape::List(items) if !items.is_empty() => Some(items),
        Shape::List(_) => {
            let error = Diagnostic::error(format!("`{key}` is empty"), given.origin, "no item");
            out.push(error.help(format!("write it as {key} = {example}")));
            None
        }
        _ => {
            let error = wrong_type(given, key, &format!("a list of {what}"));
            out.push(error.help(format!("write it as {key} = {example}")));
            None
        }
    }
}

/// Returns the paths of a list, relative to the suite's folder. Complains of one that is not there;
/// patterns are expanded later.
fn paths(node: &Node, key: &str, folder: &Path, out: &mut Vec<Diagnostic>) -> Option<Vec<PathBuf>> {
    let example = format!("[\"{}\"]", if key == RESULTS { "theirs.zip" } else { "first.toml" });
    let items = list(node, key, ("paths in quotes", &example), out)?;
    let mut found: Vec<PathBuf> = Vec::new();
    for item in items {
        let Some(written) = text(item, key, out) else { continue };
        let path = folder.join(written);
        let is_pattern = key == EXPERIMENTS && written.contains(['*', '?', '[']);
        if !is_pattern && !path.exists() {
            let message = format!("`{key}` names {}, which is not there", path.display());
            let error = Diagnostic::error(message, item.origin, "no such file");
            let error = error.rule("paths are relative to the folder of the suite's file");
            out.push(error.help("correct the path, or remove it"));
        } else if found.contains(&path) {
            let error = Diagnostic::error(format!("`{key}` names it twice"), item.origin, "again");
            out.push(error.help("remove one of them"));
        }
        found.push(path);
    }
    Some(found)
}

/// Returns the keys of the problem whose values are instances.
fn pool(node: &Node, out: &mut Vec<Diagnostic>) -> Option<Vec<String>> {
    if node.get(POOL).is_none() {
        return Some(Vec::new());
    }
    let example = "[\"problem.instance\"]";
    let items = list(node, POOL, ("keys in quotes", example), out)?;
    let mut keys = Vec::new();
    for item in items {
        let Some(key) = text(item, POOL, out) else { continue };
        match key.strip_prefix("problem.") {
            Some(key) if !key.is_empty() && key != "plugin" => keys.push(key.to_owned()),
            _ => {
                let message = format!("`{POOL}` names `{key}`, which is no parameter of a problem");
                let error = Diagnostic::error(message, item.origin, "not a parameter");
                let error = error.rule("trials on instances of one function are pooled");
                out.push(error.help(format!("write it as {POOL} = {example}")));
            }
        }
    }
    Some(keys)
}

/// Returns the measure of the ranks; the inner `None` if the file names none.
fn measure(node: &Node, out: &mut Vec<Diagnostic>) -> Option<Option<String>> {
    let Some(given) = node.get(BY) else { return Some(None) };
    match value(given, BY, &Kind::Choice(MEASURES.into()), out)? {
        Value::Text(word) => Some(Some(word.into_owned())),
        _ => None,
    }
}

/// Returns the targets, from the worst to the best; the inner `None` if the file names none.
fn targets(node: &Node, out: &mut Vec<Diagnostic>) -> Option<Option<Vec<f64>>> {
    if node.get(TARGETS).is_none() {
        return Some(None);
    }
    let any = Kind::Real { low: f64::MIN, low_open: false, high: f64::MAX, high_open: false };
    let items = list(node, TARGETS, ("numbers", "[10, 1, 0.1]"), out)?;
    let numbers = items.iter().map(|item| match value(item, TARGETS, &any, out)? {
        Value::Real(number) => Some(number),
        _ => None,
    });
    let mut numbers = numbers.collect::<Option<Vec<f64>>>()?;
    numbers.sort_unstable_by(|one, other| other.total_cmp(one));
    numbers.dedup();
    Some(Some(numbers))
}

/// Returns the significance level.
fn level(node: &Node, out: &mut Vec<Diagnostic>) -> Option<f64> {
    let Some(given) = node.get(LEVEL) else { return Some(DEFAULT_LEVEL) };
    let kind = Kind::Real { low: 0.0, low_open: true, high: 0.5, high_open: false };
    match value(given, LEVEL, &kind, out)? {
        Value::Real(level) => Some(level),
        _ => None,
    }
}
