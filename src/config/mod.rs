//! Configs: experiment files to plans, with every fault of every file shown at once.

mod diagnostic;
mod document;
mod fields;
mod node;
mod operator_set;
mod resolve;
mod stop;
mod sweep;

pub use diagnostic::{Diagnostic, Severity, Sources};
pub use document::{Overrides, preset_texts};
pub use resolve::problem_values;

use crate::plan::Plan;
use crate::problem::{Library, PluginError, SearchPath};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Plugins that were asked for, loaded once each.
#[derive(Debug)]
pub struct Catalogue {
    search: SearchPath,
    loaded: BTreeMap<PathBuf, Arc<Library>>,
}

impl Catalogue {
    #[must_use]
    pub fn new(search: SearchPath) -> Self {
        Catalogue { search, loaded: BTreeMap::new() }
    }

    /// The plugin of this name, or the library at this path: what has a separator is a path, relative to `base`.
    ///
    /// # Errors
    /// When it is not found or cannot be used.
    pub fn load(&mut self, plugin: &str, base: &Path) -> Result<Arc<Library>, PluginError> {
        let by_path = plugin.contains(['/', '\\']);
        let key = if by_path { base.join(plugin) } else { PathBuf::from(plugin) };
        if let Some(library) = self.loaded.get(&key) {
            return Ok(Arc::clone(library));
        }
        let library = if by_path { Library::load(&key)? } else { self.search.load(plugin)? };
        self.loaded.insert(key, Arc::clone(&library));
        Ok(library)
    }
}

/// What loading found: the plans, if nothing is wrong, and everything to tell the user.
#[derive(Debug)]
pub struct Outcome {
    /// One a file; fewer where files have errors.
    pub plans: Vec<Plan>,
    /// Errors and warnings, in the order of files and lines.
    pub diagnostics: Vec<Diagnostic>,
    pub sources: Sources,
}

impl Outcome {
    /// Whether anything must not run.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Whether plugins alone are to blame.
    #[must_use]
    pub fn only_plugins(&self) -> bool {
        self.diagnostics.iter().filter(|one| one.severity == Severity::Error).all(|one| one.plugin)
    }
}

/// Reads and checks every file.
#[must_use]
pub fn load(files: &[PathBuf], overrides: &Overrides, catalogue: &mut Catalogue) -> Outcome {
    let mut sources = Sources::default();
    let mut diagnostics = Vec::new();
    let mut plans: Vec<Plan> = Vec::new();
    let mut names: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in files {
        let mut found = Vec::new();
        let plan = load_file(path, overrides, catalogue, &mut sources, &mut found);
        found.sort_by_key(|one| (one.severity, one.origin));
        found.dedup();
        if let Some((plan, name)) = plan {
            if let Some(first) = names.get(&plan.name) {
                let first = first.display();
                let message = format!("{}: the experiment `{}` is also that of {first}", path.display(), plan.name);
                let mut error = Diagnostic::general(message)
                    .rule("the name is the folder of the results: two experiments would mix");
                error.origin = name;
                error.label = "the same name".into();
                found.push(error.help("give one of them another name: name = \"…\""));
            }
            names.entry(plan.name.clone()).or_insert_with(|| path.clone());
            plans.push(plan);
        }
        diagnostics.extend(found);
    }
    Outcome { plans, diagnostics, sources }
}

fn load_file(
    path: &Path,
    overrides: &Overrides,
    catalogue: &mut Catalogue,
    sources: &mut Sources,
    out: &mut Vec<Diagnostic>,
) -> Option<(Plan, Option<node::Origin>)> {
    let shown = path.display();
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let help = if path.is_dir() {
                format!(
                    "it is a folder: name the files in it, such as {}/*.toml",
                    shown.to_string().trim_end_matches('/')
                )
            } else {
                "check the path and its permissions".to_string()
            };
            out.push(Diagnostic::general(format!("{shown}: cannot be read: {error}")).help(help));
            return None;
        }
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let good = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
            let byte = error.as_bytes()[good];
            let message = format!("{shown}:{line}: not UTF-8: byte 0x{byte:02x} at offset {good}");
            out.push(Diagnostic::general(message).rule("TOML is UTF-8 text").help("save the file as UTF-8"));
            return None;
        }
    };
    let source = sources.add(shown.to_string(), text.clone());
    let root = document::read(sources, source, overrides, out);
    resolve::plan(&root, path, text, overrides, catalogue, sources, out)
}
