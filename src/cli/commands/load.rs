//! Loading of experiments and problems for a command, with all checks.

use crate::cli::arguments::{ExperimentArguments, PluginDirs};
use crate::cli::progress::Wait;
use crate::cli::{Failure, Faults, Message};
use crate::config::{self, Catalogue, Outcome, Overrides, Sources, problem_values};
use crate::exit::Exit;
use crate::plan::Plan;
use crate::problem::parameter::Value;
use crate::problem::{Library, Opener, SearchPath};
use crate::run::{PluginLoader, beside_results};
use crate::system::guard;
use crate::words::counted;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns the plans of all files; warnings are printed. `loader` opens their plugins.
///
/// # Errors
/// Returns an error if a file has faults. The error has the faults of all files.
pub(super) fn load(
    arguments: &ExperimentArguments,
    loader: &PluginLoader,
) -> Result<Vec<Plan>, Failure> {
    let ExperimentArguments { configs, set, repeats, seed, plugins } = arguments;
    let overrides = Overrides { set: set.clone(), repeats: repeats.clone(), seed: seed.clone() };
    let mut catalogue = Catalogue::opening(search_path(plugins), loader.opener());
    let planned = Arc::new(AtomicUsize::new(0));
    let shown = Arc::clone(&planned);
    let wait = Wait::begin(move || match shown.load(Ordering::Relaxed) {
        0 => "reading".to_owned(),
        arms => format!("planning {}", counted(arms as u64, "arm")),
    });
    let files = expanded(configs);
    if let [file] = &files[..] {
        catalogue = beside_results(catalogue, file, set)?;
    }
    let counted = |arms| planned.store(arms, Ordering::Relaxed);
    let outcome = guard::in_own_surroundings(|| {
        config::load_telling(&files, &overrides, &mut catalogue, &counted)
    });
    drop(wait);
    plans_of(outcome)
}

/// Returns the plans of files that were read; warnings are printed.
///
/// # Errors
/// Returns an error if a file has faults. The error has the faults of all files.
pub(super) fn plans_of(outcome: Outcome) -> Result<Vec<Plan>, Failure> {
    if outcome.has_errors() {
        return Err(Failure::nothing_run(exit_of(&outcome), outcome.into()));
    }
    let Outcome { plans, diagnostics, sources } = outcome;
    Faults { diagnostics, sources }.print();
    Ok(plans)
}

/// Returns the exit code of files with faults.
pub(super) fn exit_of(outcome: &Outcome) -> Exit {
    if outcome.only_plugin_errors() { Exit::Plugin } else { Exit::Usage }
}

/// Loads a plugin by its name or path. Returns it with the values of its parameters, which `--set`
/// and the defaults give. Warnings are printed.
///
/// # Errors
/// Returns an error if the plugin cannot be loaded, or the values break a rule.
pub(super) fn load_problem(
    plugin: &str,
    interpreter: Option<&Path>,
    set: &[String],
    search: SearchPath,
    opener: Opener,
) -> Result<(Arc<Library>, Vec<Value>), Failure> {
    let library = Catalogue::opening(search, opener).load(plugin, interpreter, Path::new("."))?;
    library.check_problem()?;
    let values = values_of(&library, set)?;
    Ok((library, values))
}

/// Returns the values of a problem's parameters, from `--set` and the defaults. Warnings are
/// printed.
fn values_of(library: &Library, set: &[String]) -> Result<Vec<Value>, Failure> {
    let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
    let values = problem_values(library, set, &mut sources, &mut diagnostics);
    let faults = Faults { diagnostics, sources };
    match values {
        Some(values) => {
            faults.print();
            Ok(values)
        }
        None => Err(Failure { exit: Exit::Usage, faults, message: Message::None }),
    }
}

/// Settings of a plugin, from `--set` and the defaults.
pub(super) struct Given {
    /// Values of the problem's parameters, in their order; empty if the plugin has no problem.
    pub problem: Vec<Value>,
    /// Keys and values for the plugin's operators.
    pub operators: Vec<(String, String)>,
}

/// Loads a plugin with a problem, with operators, or with both. A key that the problem lacks sets a
/// parameter of the operators that have it.
///
/// # Errors
/// Returns an error if the plugin cannot be loaded, or the values break a rule.
pub(super) fn load_plugin(
    plugin: &str,
    interpreter: Option<&Path>,
    set: &[String],
    search: SearchPath,
    opener: Opener,
) -> Result<(Arc<Library>, Given), Failure> {
    let library = Catalogue::opening(search, opener).load(plugin, interpreter, Path::new("."))?;
    let of_problem = |key: &str| library.parameters().iter().any(|parameter| parameter.key == key);
    let of_operator = |key: &str| {
        let mut all = library.declared().operators.iter().flat_map(|one| &one.parameters);
        !of_problem(key) && all.any(|parameter| parameter.key == key)
    };
    let split = |word: &String| {
        let (key, value) = word.split_once('=')?;
        of_operator(key.trim()).then(|| (key.trim().to_owned(), value.trim().to_owned()))
    };
    let operators = set.iter().filter_map(split).collect();
    let others: Vec<String> = set.iter().filter(|word| split(word).is_none()).cloned().collect();
    if !library.declared().has_problem && others.is_empty() {
        return Ok((Arc::clone(&library), Given { problem: Vec::new(), operators }));
    }
    let problem = values_of(&library, &others)?;
    Ok((Arc::clone(&library), Given { problem, operators }))
}

/// Returns the folders that are searched for plugins. Warns of folders in RUNNER_PLUGIN_PATH that
/// do not exist.
pub(super) fn search_path(plugins: &PluginDirs) -> SearchPath {
    let listed = std::env::var_os("RUNNER_PLUGIN_PATH").unwrap_or_default();
    for folder in std::env::split_paths(&listed)
        .filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
    {
        let why = if folder.exists() { "is not a folder" } else { "does not exist" };
        warning!("RUNNER_PLUGIN_PATH names {}, which {why}; it is ignored", folder.display());
    }
    SearchPath::new(&plugins.plugin_dir)
}

/// Expands patterns to the files or folders that they match. A shell leaves a pattern unchanged if
/// it is quoted or matches no file. A pattern without a match stays.
pub(super) fn expanded(configs: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for config in configs {
        let pattern =
            config.to_str().filter(|text| text.contains(['*', '?', '[']) && !config.exists());
        let matched: Vec<PathBuf> = pattern
            .and_then(|text| glob::glob(text).ok())
            .into_iter()
            .flatten()
            .filter_map(Result::ok)
            .collect();
        if matched.is_empty() {
            files.push(config.clone());
        } else {
            files.extend(matched);
        }
    }
    files
}
