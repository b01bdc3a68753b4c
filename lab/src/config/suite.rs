//! Suites: experiments under one name and version, as a benchmark.

use super::config_file::read_text;
use super::diagnostic::{Diagnostic, Faults, Refused};
use super::experiment_name::experiment_name;
use super::fields::{given, given_number, is_meant, strict, text, value, wrong_type};
use super::keys::{self, Form, Key};
use super::node::{Node, Shape};
use super::parse::parse;
use super::source::Sources;
use crate::problem::parameter::Value;
use crate::words::{listed, nearest_key};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Beginning of the path of a parameter.
const PROBLEM: &str = "problem.";

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

    /// Checks that each pooled key is one of these parameters of problems. `path` is the file's.
    ///
    /// # Errors
    /// Returns a fault per key that is none, with the text that the faults point into.
    pub fn check_pool(
        &self,
        path: &Path,
        parameters: &BTreeSet<&str>,
    ) -> Result<(), (Vec<Diagnostic>, Sources)> {
        let (mut sources, mut out) = (Sources::default(), Vec::new());
        let source = sources.add(path.display().to_string(), self.text.as_str());
        let root = parse(&sources, source, &mut Vec::new());
        let pool = keys::SUITE.of(&root).and_then(|suite| keys::SUITE_POOL.of(suite));
        let Some(Shape::List(items)) = pool.map(|node| &node.shape) else { return Ok(()) };
        let names: Vec<&str> = parameters.iter().copied().collect();
        for item in items {
            let key = item.as_text().unwrap_or_default();
            let Some(name) = key.strip_prefix(PROBLEM).filter(|name| !names.contains(name)) else {
                continue;
            };
            let message = format!("no problem of the suite has a parameter `{name}`");
            let error = item.error(message, "no parameter");
            let error = error.rule(format!("its parameters are {}", listed(&names, "and")));
            out.push(match nearest_key(name, &names) {
                Some(near) => error.help(format!("did you mean \"{PROBLEM}{near}\"?")),
                None => error.help("choose one of these, or remove it"),
            });
        }
        if out.is_empty() { Ok(()) } else { Err((out, sources)) }
    }

    /// Returns the BLAKE3 hash of the file, in hexadecimal.
    #[must_use]
    pub fn hash(&self) -> String {
        blake3::hash(self.text.as_bytes()).to_string()
    }
}

/// Reads the tree of a suite's file.
fn of_tree(root: &Node, path: &Path, text: String, out: &mut Faults) -> Option<Suite> {
    let Some(node) = keys::SUITE.of(root) else {
        let message = format!("{}: this file has no table [suite]", path.display());
        let example = keys::SUITE_TABLE.example;
        return Diagnostic::general(message)
            .help(format!("write it as {example}; an experiment is run without `suite`"))
            .to(out);
    };
    strict(root, &keys::SUITE_TOP, out)?;
    strict(node, &keys::SUITE_TABLE, out)?;
    let entries = node.entries().unwrap_or_default();
    let is_elsewhere = |key: &Key| {
        let slip = || is_meant(entries, key.name, &keys::SUITE_TABLE.names());
        key.of(node).is_none() && (key.of(root).is_some() || slip())
    };
    let has_slips = [&keys::SUITE_VERSION, &keys::SUITE_EXPERIMENTS].into_iter().any(is_elsewhere);
    let folder = path.parent().unwrap_or(Path::new(""));
    let (name, version) = (experiment_name(node, path, out), version(node, out));
    let experiments = paths(node, &keys::SUITE_EXPERIMENTS, folder, out);
    let results = match keys::SUITE_RESULTS.of(node) {
        Some(_) => paths(node, &keys::SUITE_RESULTS, folder, out),
        None => Some(Vec::new()),
    };
    let (pool, by) = (pool(node, out), measure(node, out));
    let (targets, level) = (targets(node, out), given_number(node, &keys::SUITE_LEVEL, out));
    // Missing keys are misspelt, or in the wrong place.
    out.retain(|one| !(has_slips && one.absence));
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
fn version(node: &Node, out: &mut Faults) -> Option<String> {
    let rule = "results count for one version of a suite, so each change of it has its own";
    let Some(given) = keys::SUITE_VERSION.of(node) else {
        let error = node.error("[suite] has no version", "no version");
        return error.rule(rule).help("add version = \"1\"").of_absence().to(out);
    };
    let version = text(given, keys::SUITE_VERSION.name, out)?;
    if version.trim().is_empty() || version.chars().any(char::is_control) {
        let error = given.error("the version is not one line of text", "here");
        return error.rule(rule).help("write it as version = \"1\"").to(out);
    }
    Some(version.to_owned())
}

/// Returns the items of a list that is not empty.
fn list<'a>(node: &'a Node, key: &Key, example: &str, out: &mut Faults) -> Option<&'a [Node]> {
    let Key { name: key, form, .. } = key;
    let Some(given) = node.get(key) else {
        let error = node.error(format!("[suite] has no {key}"), "incomplete");
        return error.help(format!("add {key} = {example}")).of_absence().to(out);
    };
    match &given.shape {
        Shape::List(items) if !items.is_empty() => Some(items),
        Shape::List(_) => {
            let error = given.error(format!("`{key}` is empty"), "no item");
            error.help(format!("write it as {key} = {example}")).to(out)
        }
        _ => {
            let error = wrong_type(given, key, &form.to_string());
            error.help(format!("write it as {key} = {example}")).to(out)
        }
    }
}

/// Returns the paths of a list, relative to the suite's folder. Complains of one that is not there;
/// patterns are expanded later.
fn paths(node: &Node, key: &'static Key, folder: &Path, out: &mut Faults) -> Option<Vec<PathBuf>> {
    let has_patterns = key.name == keys::SUITE_EXPERIMENTS.name;
    let example = if has_patterns { "[\"first.toml\"]" } else { "[\"theirs.zip\"]" };
    let items = list(node, key, example, out)?;
    let key = key.name;
    let mut found: Vec<PathBuf> = Vec::new();
    for item in items {
        let Some(written) = text(item, key, out) else { continue };
        let path = folder.join(written);
        let is_pattern = has_patterns && written.contains(['*', '?', '[']);
        if !is_pattern && !path.exists() {
            let message = format!("`{key}` names {}, which is not there", path.display());
            let error = item.error(message, "no such file");
            let error = error.rule("paths are relative to the folder of the suite's file");
            out.push(error.help("correct the path, or remove it"));
        } else if found.contains(&path) {
            let error = item.error(format!("`{key}` names it twice"), "again");
            out.push(error.help("remove one of them"));
        }
        found.push(path);
    }
    Some(found)
}

/// Returns the keys of the problem whose values are instances.
fn pool(node: &Node, out: &mut Faults) -> Option<Vec<String>> {
    let key = &keys::SUITE_POOL;
    if key.of(node).is_none() {
        return Some(Vec::new());
    }
    let (name, example) = (key.name, "[\"problem.instance\"]");
    let items = list(node, key, example, out)?;
    let mut keys = Vec::new();
    for item in items {
        let Some(key) = text(item, name, out) else { continue };
        match key.strip_prefix(PROBLEM) {
            Some(key) if !key.is_empty() && key != "plugin" => keys.push(key.to_owned()),
            _ => {
                let message = format!("`{name}` names `{key}`, which is no parameter of a problem");
                let error = item.error(message, "not a parameter");
                let error = error.rule("trials on instances of one function are pooled");
                out.push(error.help(format!("write it as {name} = {example}")));
            }
        }
    }
    Some(keys)
}

/// Returns the measure of the ranks; the inner `None` if the file names none.
fn measure(node: &Node, out: &mut Faults) -> Option<Option<String>> {
    match keys::SUITE_BY.of(node).map(|_| given(node, &keys::SUITE_BY, out)) {
        None => Some(None),
        Some(Some(Value::Text(word))) => Some(Some(word.into_owned())),
        Some(_) => None,
    }
}

/// Returns the targets, from the worst to the best; the inner `None` if the file names none.
fn targets(node: &Node, out: &mut Faults) -> Option<Option<Vec<f64>>> {
    let key = &keys::SUITE_TARGETS;
    let Form::List(_, kind) = &key.form else { return None };
    if key.of(node).is_none() {
        return Some(None);
    }
    let items = list(node, key, "[10, 1, 0.1]", out)?;
    let numbers = items.iter().map(|item| match value(item, key.name, kind, out)? {
        Value::Real(number) => Some(number),
        _ => None,
    });
    let mut numbers = numbers.collect::<Option<Vec<f64>>>()?;
    for (place, item) in items.iter().enumerate().skip(1) {
        if numbers[..place].contains(&numbers[place]) {
            let error = item.error(format!("`{}` names it twice", key.name), "again");
            out.push(error.help("remove one of them"));
        }
    }
    numbers.sort_unstable_by(|one, other| other.total_cmp(one));
    Some(Some(numbers))
}
