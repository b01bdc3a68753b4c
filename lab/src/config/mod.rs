//! Configs: experiment files to plans, with every fault of every file shown at once.

mod asked;
mod baseline;
mod data_file;
mod design;
mod design_faults;
mod design_file;
mod diagnostic;
mod document;
mod extends;
mod fields;
mod file_access;
mod form;
mod genome_file;
mod grid;
mod keys;
mod locate;
pub mod nearest;
mod node;
mod operator_plugins;
mod operator_set;
mod other_names;
mod presets;
mod problem;
mod range;
mod reference;
mod repeats;
mod resolve;
mod schema;
mod sense;
mod slot;
mod start;
mod stop;
mod sweep;
mod syntax;

pub use asked::asked;
pub use diagnostic::{Diagnostic, Place, Severity, Sources};
pub use document::Overrides;
pub use file_access::FileAccess;
pub use form::{form, parameter_field};
pub use locate::{key_at, text_as_json};
pub use presets::preset_texts;
pub use problem::{parameter_value, problem_values};
pub use reference::reference;
pub use schema::json_schema;

use crate::config::nearest::nearest;
use crate::plan::Plan;
use crate::plan::settings::Source;
use crate::problem::{Library, Location, Opener, PluginError, PluginPolicy, SearchPath, is_python};
use crate::search::start::GivenGenomes;
use crate::system::regular;
use diagnostic::Refused;
use document::{Change, Document};
pub use node::Origin;
use presets::Presets;
use resolve::Named;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Plugins that were asked for, loaded once each.
#[derive(Debug)]
pub struct Catalogue {
    search: SearchPath,
    opener: Opener,
    files: FileAccess,
    loaded: BTreeMap<Location, Arc<Library>>,
    /// Answers to every name and path of a problem.
    only: Option<Arc<Library>>,
    /// Plugins of operators in addition to `only`, by their names in the config.
    recorded: BTreeMap<String, Arc<Library>>,
    planned: Arc<AtomicUsize>,
    /// First genomes that were read before, in place of what configs name.
    given: Option<GivenGenomes>,
}

impl Catalogue {
    /// Plugins of this search path and any others, loaded in this process.
    #[must_use]
    pub fn new(search: SearchPath) -> Self {
        Catalogue::opening(search, Opener::here(PluginPolicy::Any))
    }

    /// Returns a catalogue whose plugins are opened in this way.
    #[must_use]
    pub fn opening(search: SearchPath, opener: Opener) -> Self {
        Catalogue {
            search,
            opener,
            files: FileAccess::Any,
            loaded: BTreeMap::new(),
            only: None,
            recorded: BTreeMap::new(),
            planned: Arc::default(),
            given: None,
        }
    }

    /// Limits the files that configs may read, in addition to themselves.
    #[must_use]
    pub fn reading(self, files: FileAccess) -> Self {
        Catalogue { files, ..self }
    }

    /// Returns a catalogue of one plugin. Every config gets this plugin, and no other plugin is
    /// loaded.
    #[must_use]
    pub fn only(library: Arc<Library>) -> Self {
        Catalogue { only: Some(library), ..Catalogue::new(SearchPath::of(Vec::new())) }
    }

    /// Adds plugins of operators, by their names in the config.
    #[must_use]
    pub fn with_operators(
        self,
        recorded: impl IntoIterator<Item = (String, Arc<Library>)>,
    ) -> Self {
        Catalogue { recorded: recorded.into_iter().collect(), ..self }
    }

    /// Sets the first genomes that an earlier plan of the config has read and checked. The table
    /// [start] of a config then reads nothing.
    #[must_use]
    pub(crate) fn giving(self, given: Option<GivenGenomes>) -> Self {
        Catalogue { given, ..self }
    }

    /// Arms of the experiment that is being planned, for who waits; 0 before they are counted.
    #[must_use]
    pub fn planned(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.planned)
    }

    /// Adds a library under its own name, before all folders: one that is linked in.
    pub fn add(&mut self, library: Arc<Library>) {
        self.loaded.insert(Location::new(library.name()), library);
    }

    /// Returns the plugin of this name, or the file at this path, relative to `base`: what has a
    /// separator or the ending of a library is a path; a Python file (`.py`) without one is looked
    /// for in `base`, and then in the plugin folders. `interpreter` runs a Python file. Where the
    /// opener's policy lists plugins, nothing is looked for in `base`.
    ///
    /// # Errors
    /// Returns an error if the plugin is not found, cannot be used, or may not be opened.
    pub fn load(
        &mut self,
        plugin: &str,
        interpreter: Option<&Path>,
        base: &Path,
    ) -> Result<Arc<Library>, PluginError> {
        if let Some(library) = &self.only {
            return Ok(Arc::clone(library));
        }
        let anywhere = self.opener.policy == PluginPolicy::Any;
        let beside =
            || anywhere && (base.join(plugin).is_file() || self.search.find(plugin).is_none());
        let by_path = is_path(plugin) || is_python(Path::new(plugin)) && beside();
        let here = base == Path::new(".");
        let path = if by_path && !here { base.join(plugin) } else { PathBuf::from(plugin) };
        let key = Location { path, interpreter: interpreter.map(Path::to_owned) };
        if let Some(library) = self.loaded.get(&key) {
            return Ok(Arc::clone(library));
        }
        let library = if by_path {
            Library::open(&key, &self.opener)?
        } else {
            self.search.open(plugin, key.interpreter.clone(), &self.opener)?
        };
        self.loaded.insert(key, Arc::clone(&library));
        Ok(library)
    }

    /// Loads a plugin whose operators an operator set names, as in [`load`](Self::load).
    ///
    /// # Errors
    /// Returns an error if the plugin is not found, cannot be used, or may not be opened.
    pub(crate) fn load_operators(
        &mut self,
        plugin: &str,
        interpreter: Option<&Path>,
        base: &Path,
    ) -> Result<Arc<Library>, PluginError> {
        match (&self.only, self.recorded.get(plugin)) {
            (None, _) => self.load(plugin, interpreter, base),
            (Some(_), Some(library)) => Ok(Arc::clone(library)),
            (Some(_), None) => Err(PluginError::NotFound {
                name: plugin.to_owned(),
                dirs: self.search.dirs().to_vec(),
                nearest: None,
            }),
        }
    }
}

/// Returns whether a plugin is named by the path of its library.
fn is_path(plugin: &str) -> bool {
    plugin.contains(['/', '\\']) || plugin.ends_with(std::env::consts::DLL_SUFFIX)
}

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
    /// Returns whether anything must not run.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Returns whether plugins alone are to blame.
    #[must_use]
    pub fn only_plugins(&self) -> bool {
        self.diagnostics.iter().filter(|one| one.severity == Severity::Error).all(|one| one.plugin)
    }
}

/// Reads and checks every file.
#[must_use]
pub fn load(files: &[PathBuf], overrides: &Overrides, catalogue: &mut Catalogue) -> Outcome {
    let texts = files.iter().map(|path| (path.as_path(), None));
    load_all(texts, overrides, catalogue)
}

/// Checks one text as if it stood in the file at `path`, which need not be there any more.
#[must_use]
pub fn load_text(
    path: &Path,
    text: &str,
    overrides: &Overrides,
    catalogue: &mut Catalogue,
) -> Outcome {
    load_all(std::iter::once((path, Some(text))), overrides, catalogue)
}

fn load_all<'a>(
    files: impl Iterator<Item = (&'a Path, Option<&'a str>)>,
    overrides: &Overrides,
    catalogue: &mut Catalogue,
) -> Outcome {
    let (mut sources, mut diagnostics, mut plans) = (Sources::default(), Vec::new(), Vec::new());
    let changes = document::changes(overrides, &mut sources, &mut diagnostics);
    let presets = Presets::of(&mut sources);
    let mut loader = Loader { overrides, changes, presets, catalogue, sources };
    let mut names: BTreeMap<String, (PathBuf, Option<Origin>)> = BTreeMap::new();
    for (path, text) in files {
        let before = diagnostics.len();
        let (named, plan) = loader.load(path, text, &mut diagnostics);
        if plan.is_none() && Refused::before(&diagnostics[before..]).is_none() {
            diagnostics.push(Diagnostic::untold(path));
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
    if diagnostics.iter().any(|one| one.severity == Severity::Error) {
        plans.clear();
    }
    Outcome { plans, diagnostics, sources: loader.sources }
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
    sources: Sources,
}

impl Loader<'_> {
    /// Returns the name of a file's experiment, and its plan if nothing is wrong with it.
    fn load(
        &mut self,
        path: &Path,
        text: Option<&str>,
        out: &mut Vec<Diagnostic>,
    ) -> (Option<Named>, Option<Plan>) {
        let text = text.map_or_else(|| read_text(path, out), |text| Some(text.to_owned()));
        let Some(text) = text else { return (None, None) };
        self.catalogue.planned.store(0, Ordering::Relaxed);
        let id = self.sources.add(path.display().to_string(), text.clone());
        let mut found = Vec::new();
        let Document { root, resolved, broken: cut } = document::read(
            &mut self.sources,
            id,
            path,
            (&self.changes, self.catalogue.files),
            &mut found,
        );
        let broken = syntax::Broken::of(&self.sources, id, &found);
        let text = resolved.unwrap_or(text);
        let source = Source { path: path.to_owned(), text, overrides: self.overrides.words() };
        if cut {
            design_faults::explain(&self.sources, &mut found);
            out.extend(found);
            return (None, None);
        }
        if broken.beyond_reading() {
            found.retain(|one| broken.is_syntax(one));
            out.extend(found);
            return (None, None);
        }
        let (named, plan) = resolve::plan(&root, source, self.catalogue, &self.presets, &mut found);
        found.retain(|one| broken.is_syntax(one) || !broken.hides(one));
        design_faults::explain(&self.sources, &mut found);
        let good = found.iter().all(|one| one.severity == Severity::Warning);
        out.extend(found);
        (named, plan.ok().filter(|_| good))
    }
}

/// Returns the diagnostic of a file that is not there, or that the system does not let us read.
fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let shown = path.display();
    if error.kind() != std::io::ErrorKind::NotFound {
        let error = Diagnostic::general(format!("{shown}: cannot be read: {error}"));
        return error.help("check the path and its permissions");
    }
    if shown.to_string().contains(['*', '?', '[']) {
        let error =
            Diagnostic::general(format!("{shown}: cannot be read: no file matches this pattern"));
        return error.help("check the folder and the extension; `ls` shows the files");
    }
    let error = Diagnostic::general(format!("{shown}: cannot be read: there is no such file"));
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let configs: Vec<String> = files
        .filter_map(|name| name.into_string().ok())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let near = nearest(
        name.trim_end_matches(".toml"),
        configs.iter().map(|name| name.trim_end_matches(".toml")),
    );
    match near {
        Some(near) => error.help(format!(
            "did you mean {}?",
            path.with_file_name(format!("{near}.toml")).display()
        )),
        None => error.help("check the path; `runner init` writes an experiment file to start from"),
    }
}

fn read_text(path: &Path, out: &mut Vec<Diagnostic>) -> Option<String> {
    let shown = path.display();
    let bytes = match regular::named_by_user(path, regular::MOST_OF_CONFIG) {
        Ok(bytes) => bytes,
        Err(_) if path.is_dir() => {
            let shown = shown.to_string();
            let error =
                Diagnostic::general(format!("{shown}: this is a folder, not an experiment file"));
            out.push(
                error.help(format!("name the files in it: {}/*.toml", shown.trim_end_matches('/'))),
            );
            return None;
        }
        Err(error) => {
            out.push(unreadable(path, &error));
            return None;
        }
    };
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let good = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
            let byte = error.as_bytes()[good];
            let message = format!(
                "{shown}:{line}: not UTF-8: byte 0x{byte:02x} at offset {good} of the file"
            );
            out.push(
                Diagnostic::general(message)
                    .rule("TOML is UTF-8 text")
                    .help("save the file as UTF-8"),
            );
            None
        }
    }
}

#[cfg(test)]
mod tests;
