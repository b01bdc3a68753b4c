//! Configs: experiment files to plans, with every fault of every file shown at once.
//!
//! A text becomes a tree (`parse`) whose nodes keep their places in it, and the tree a plan in
//! three passes:
//!
//! 1. `overlay`: other files (`extends`, `presets`, tables of combinations), options and presets
//!    are laid over and under the tree. Each is one operation on two trees, `layer`.
//! 2. `expand`: the sweep's axes become a grid of combinations, and each combination its trees.
//! 3. `build`: each tree is read by the tables of `keys`, and becomes an arm of the plan.
//!
//! Every pass adds what is wrong to one list, and goes on as far as it can.

mod asked;
mod axis;
mod baseline;
mod build;
mod catalogue;
mod config_file;
mod data_file;
mod data_files;
mod design;
mod design_faults;
mod design_file;
mod diagnostic;
mod duplicate_arms;
mod duplicates;
mod expand;
mod experiment;
mod experiment_name;
mod extends;
mod extends_rules;
mod fields;
mod file_access;
mod form;
mod genome_file;
mod grid;
mod keys;
mod layer;
mod lints;
mod locate;
mod named_file;
mod node;
mod noise;
mod operator_plugins;
mod operator_set;
mod options;
mod other_file;
mod other_names;
mod overlay;
mod own_presets;
mod parse;
mod points;
mod presets;
mod problem;
mod range;
mod reference;
mod repeats;
mod restarts;
mod sample;
mod schedule;
mod schema;
mod set_name;
mod sharing;
mod slips;
mod slot;
mod sobol;
mod source;
mod spread;
mod start;
mod stop;
mod suite;
mod sweep;
mod sweep_rules;
mod sweep_tables;
mod swept_keys;
mod syntax;
mod tune_condition;
mod tune_forbid;
mod tune_initial;
mod tune_instances;
mod tuned_key;
mod tuning;
mod unused_values;

pub use asked::asked;
pub use catalogue::Catalogue;
pub use diagnostic::{Diagnostic, Place, Severity};
pub use file_access::FileAccess;
pub use form::{foreign_operators, form, parameter_field};
pub use locate::{key_at, sweep_keys, text_as_json};
pub use options::Overrides;
pub use presets::preset_texts;
pub use problem::{parameter_key, parameter_value, problem_values};
pub use reference::{reference, suite_reference};
pub use schema::{json_schema, suite_schema};
pub use source::Origin;
pub use source::Sources;
pub use suite::Suite;
pub use tuning::{Stage, Tuning, is_tuning};

use crate::plan::Plan;
use crate::plan::settings::Source;
use diagnostic::{Faults, Refused};
use experiment::Experiment;
use node::Node;
use options::Change;
use other_file::other_file;
use overlay::Overlaid;
use presets::Presets;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use syntax::Broken;

/// Result of loading: the plans, if there is no error, and all diagnostics for the user.
#[derive(Debug)]
pub struct Outcome {
    /// One plan per file; empty if any file has an error.
    pub plans: Vec<Plan>,
    /// Errors and warnings, in the order of files and lines.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics point into.
    pub sources: Sources,
}

impl Outcome {
    /// Returns whether there is an error, so that nothing may run.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Returns whether every error is about a plugin.
    #[must_use]
    pub fn only_plugin_errors(&self) -> bool {
        self.diagnostics.iter().filter(|one| one.severity == Severity::Error).all(|one| one.plugin)
    }
}

/// Reads and checks every file.
#[must_use]
pub fn load(files: &[PathBuf], overrides: &Overrides, catalogue: &mut Catalogue) -> Outcome {
    load_telling(files, overrides, catalogue, &|_| {})
}

/// Reads and checks every file. `counted` is called with 0 where a file begins, and with the number
/// of its arms before they are made.
#[must_use]
pub fn load_telling(
    files: &[PathBuf],
    overrides: &Overrides,
    catalogue: &mut Catalogue,
    counted: &dyn Fn(usize),
) -> Outcome {
    let texts = files.iter().map(|path| (path.as_path(), None));
    load_all(texts, overrides, catalogue, (counted, false)).0
}

/// Reads and checks a file with a table `[tune]`. The plan is that of the settings that the tuning
/// begins with. The tuning is `None` if there is an error.
#[must_use]
pub fn load_tuning(
    path: &Path,
    overrides: &Overrides,
    catalogue: &mut Catalogue,
) -> (Outcome, Option<Tuning>) {
    load_all(std::iter::once((path, None)), overrides, catalogue, (&|_| {}, true))
}

/// Checks one text as if it stood in the file at `path`, which need not be there any more.
#[must_use]
pub fn load_text(
    path: &Path,
    text: &str,
    overrides: &Overrides,
    catalogue: &mut Catalogue,
) -> Outcome {
    load_all(std::iter::once((path, Some(text))), overrides, catalogue, (&|_| {}, false)).0
}

fn load_all<'a>(
    files: impl Iterator<Item = (&'a Path, Option<&'a str>)>,
    overrides: &Overrides,
    catalogue: &mut Catalogue,
    (counted, tunes): (&dyn Fn(usize), bool),
) -> (Outcome, Option<Tuning>) {
    let (mut sources, mut diagnostics, mut plans) = (Sources::default(), Vec::new(), Vec::new());
    let changes = options::changes(overrides, &mut sources, &mut diagnostics);
    let presets = Presets::of(&mut sources);
    let tuning = None;
    let mut loader =
        Loader { overrides, changes, presets, catalogue, counted, sources, tunes, tuning };
    let mut names: BTreeMap<String, (PathBuf, Option<Origin>)> = BTreeMap::new();
    for (path, text) in files {
        let before = diagnostics.len();
        let (named, plan) = loader.load(path, text, &mut diagnostics);
        if plan.is_none() && Refused::before(&diagnostics[before..]).is_none() {
            diagnostics.push(Diagnostic::unexplained(path));
        }
        plans.extend(plan);
        let Some((name, origin)) = named else { continue };
        if let Some((first, also)) = names.get(&name) {
            diagnostics.push(same_name(&name, path, origin, first, *also));
        }
        names.entry(name).or_insert_with(|| (path.to_owned(), origin));
    }
    diagnostics.sort_by_cached_key(|one| (one.severity, loader.presets.place(one), one.clone()));
    diagnostics.dedup();
    diagnostic::merge_values(&mut diagnostics);
    if diagnostics.iter().any(|one| one.severity == Severity::Error) {
        plans.clear();
        loader.tuning = None;
    }
    (Outcome { plans, diagnostics, sources: loader.sources }, loader.tuning)
}

/// Complains of the first file whose experiment, or tuning, has the name of an earlier file's.
/// Files that are loaded together are checked there.
pub fn repeated_name<'a>(named: impl Iterator<Item = (&'a str, &'a Path)>) -> Option<Diagnostic> {
    let mut first = BTreeMap::new();
    let mut repeated = named.filter_map(|(name, path)| {
        let before = first.insert(name, path)?;
        Some(same_name(name, path, None, before, None))
    });
    repeated.next()
}

fn same_name(
    name: &str,
    path: &Path,
    origin: Option<Origin>,
    first: &Path,
    also: Option<Origin>,
) -> Diagnostic {
    let message = if path == first {
        format!("{}: this file is given twice", path.display())
    } else {
        format!(
            "{}: its experiment has the same name, `{name}`, as that of {}",
            path.display(),
            first.display()
        )
    };
    let mut error = Diagnostic::general(message);
    if path != first {
        error.origin = origin;
        error.label = "the same name".into();
        if let (Some(_), Some(also)) = (origin, also.filter(|also| Some(*also) != origin)) {
            error = error.also(also, "first used here");
        }
        error = error.help("give one of them another name: name = \"…\"");
    }
    error.rule(
        "the name is that of the results folder, so two experiments with the same name \
        would mix their results",
    )
}

struct Loader<'a> {
    overrides: &'a Overrides,
    changes: Vec<Change>,
    presets: Presets,
    catalogue: &'a mut Catalogue,
    counted: &'a dyn Fn(usize),
    sources: Sources,
    /// Whether files have a table `[tune]`.
    tunes: bool,
    /// The tuning of the last file.
    tuning: Option<Tuning>,
}

/// The experiment's name and its source span.
type Named = (String, Option<Origin>);

impl Loader<'_> {
    /// Returns the name of a file's experiment, and its plan if nothing is wrong with it.
    fn load(
        &mut self,
        path: &Path,
        text: Option<&str>,
        out: &mut Faults,
    ) -> (Option<Named>, Option<Plan>) {
        let text = text.map_or_else(|| config_file::read_text(path, out), |text| Some(text.into()));
        let Some(text) = text else { return (None, None) };
        (self.counted)(0);
        let mut found = Vec::new();
        let source = self.sources.add(path.display().to_string(), text.as_str());
        let tree = parse::parse(&self.sources, source, &mut found);
        let broken = Broken::of(&self.sources, source, &found);
        let layers = (&*self.changes, &self.presets, self.catalogue.files);
        // Missing keys may be in the file that a misspelt `extends` names.
        let may_lack = fields::is_misspelt(&tree, &keys::EXTENDS);
        let other = other_file(&tree, path, !self.changes.is_empty());
        if let Some(refused) = other.filter(|_| found.is_empty()) {
            out.push(refused);
            return (None, None);
        }
        let overlaid = overlay::overlay(tree, path, layers, &mut self.sources, &mut found);
        let made = match overlaid {
            None => (None, None),
            Some(_) if broken.beyond_reading() => {
                found.retain(|one| broken.is_syntax(one));
                (None, None)
            }
            Some(mut overlaid) => {
                let made = self.plan_or_tuning(&mut overlaid, path, text, &mut found);
                found.retain(|one| broken.is_syntax(one) || !broken.hides(one));
                found.retain(|one| !(may_lack && one.absence));
                made
            }
        };
        design_faults::explain(&self.sources, &mut found);
        let good = Refused::before(&found).is_none();
        out.extend(found);
        (made.0, made.1.filter(|_| good))
    }

    /// Returns the name and the plan of a tree, and keeps its tuning if there is to be one.
    fn plan_or_tuning(
        &mut self,
        overlaid: &mut Overlaid,
        path: &Path,
        text: String,
        out: &mut Faults,
    ) -> (Option<Named>, Option<Plan>) {
        if let Some(refused) = self.misplaced_tuning(&overlaid.root, path) {
            out.push(refused);
            return (None, None);
        }
        let tune = tuning::take(overlaid, out);
        let (named, plan) = self.plan(overlaid, path, text, out);
        if let (Some(tune), Some(plan)) = (tune, &plan) {
            let library = Some(&*plan.library);
            let sources = &self.sources;
            let read = tuning::File { tune, overlaid, library, sources }.read(plan, out);
            fields::place_parameters(&plan.library, out);
            if let Ok(tuning) = read {
                out.extend(tuning.check(self.catalogue));
                self.tuning = Some(tuning);
            }
        }
        (named, plan)
    }

    /// Returns the error of a file that tunes though none is to, or the other way round.
    fn misplaced_tuning(&self, root: &Node, path: &Path) -> Option<Diagnostic> {
        let shown = path.display();
        match (keys::TUNE.of(root), self.tunes) {
            (Some(tune), false) if tune.entries().is_none() => {
                let error = fields::wrong_type(tune, keys::TUNE.name, "a table");
                Some(error.help(format!("write it as {}", keys::TUNE_TABLE.example)))
            }
            (Some(tune), false) => {
                let error = tune.error("this file is a tuning", "[tune]");
                let error = error.rule("a tuning is a sequence of experiments");
                Some(error.help(format!("run it by `runner tune {shown}`")))
            }
            (None, true) => {
                let message = format!("{shown}: this file has no table [tune]");
                let example = keys::TUNE_KEYS_TABLE.example;
                Some(Diagnostic::general(message).help(format!(
                    "add [tune] with a budget, and {example}; or run it without `tune`"
                )))
            }
            _ => None,
        }
    }

    /// Expands a tree and builds its plan; `None` if errors were reported. The name is returned
    /// whenever it is valid.
    fn plan(
        &mut self,
        overlaid: &Overlaid,
        path: &Path,
        text: String,
        out: &mut Faults,
    ) -> (Option<Named>, Option<Plan>) {
        let text = overlaid.resolved.clone().unwrap_or(text);
        let source = Source { path: path.to_owned(), text, overrides: self.overrides.words() };
        let experiment = Experiment::read(&overlaid.root, path, self.catalogue, out);
        let origin = keys::NAME.of(&overlaid.root).map(|node| node.origin);
        let named = experiment.name.clone().map(|name| (name, origin));
        let library = experiment.library.clone();
        let seed = experiment.seed.unwrap_or(0);
        let expanded = expand::expand(overlaid, library.as_deref(), seed, out);
        let plan = expanded.and_then(|expanded| {
            (self.counted)(expanded.grid.count());
            let place = (source, &self.sources);
            build::build(expanded, experiment, place, self.catalogue, out)
        });
        if let Some(library) = library {
            fields::place_parameters(&library, out);
        }
        (named, plan.ok())
    }
}

#[cfg(test)]
mod tests;
