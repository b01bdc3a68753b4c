//! Loading experiments and problems for a command: everything is checked.

use crate::cli::arguments::{ExperimentArguments, PluginDirs};
use crate::cli::progress::Wait;
use crate::cli::{Failure, Faults, Message};
use crate::config::{self, Catalogue, Outcome, Overrides, Sources, problem_values};
use crate::exit::Exit;
use crate::plan::Plan;
use crate::present::format::count;
use crate::problem::parameter::Value;
use crate::problem::{Library, Opener, SearchPath};
use crate::run::PluginLoader;
use crate::system::guard;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The plans of all files, their plugins from this loader; warnings are printed.
///
/// # Errors
/// The faults of all files.
pub(super) fn load(
    arguments: &ExperimentArguments,
    loader: &PluginLoader,
) -> Result<Vec<Plan>, Failure> {
    let ExperimentArguments { configs, set, repeats, seed, plugins } = arguments;
    let overrides = Overrides { set: set.clone(), repeats: repeats.clone(), seed: seed.clone() };
    let mut catalogue = Catalogue::opening(search_path(plugins), loader.opener());
    let planned = catalogue.planned();
    let wait = Wait::begin(move || match planned.load(Ordering::Relaxed) {
        0 => "reading".to_owned(),
        arms => format!("planning {} arms", count(arms as u64)),
    });
    let files = expanded(configs);
    let outcome = guard::aside(|| config::load(&files, &overrides, &mut catalogue));
    drop(wait);
    if outcome.has_errors() {
        let exit = if outcome.only_plugins() { Exit::Plugin } else { Exit::Usage };
        return Err(Failure::nothing_run(exit, outcome.into()));
    }
    let Outcome { plans, diagnostics, sources } = outcome;
    Faults { diagnostics, sources }.print();
    Ok(plans)
}

/// A plugin by its name or path, and the values that `--set` and its defaults give its parameters;
/// warnings are printed.
///
/// # Errors
/// If it cannot be loaded, or the values break a rule.
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

/// The values that `--set` and defaults give a problem's parameters; warnings are printed.
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

/// What `--set` and defaults give a plugin.
pub(super) struct Given {
    /// The values of the problem's parameters, in their order; none without a problem.
    pub problem: Vec<Value>,
    /// Keys and values for its operators.
    pub operators: Vec<(String, String)>,
}

/// The same of a plugin with operators, or with both: a key that is none of the problem's is one of
/// the operators that have it.
///
/// # Errors
/// As there.
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

/// Where plugins are looked for. A folder of RUNNER_PLUGIN_PATH that is not there is warned of.
pub(super) fn search_path(plugins: &PluginDirs) -> SearchPath {
    let listed = std::env::var_os("RUNNER_PLUGIN_PATH").unwrap_or_default();
    for folder in std::env::split_paths(&listed)
        .filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
    {
        let folder = folder.display();
        warning!("RUNNER_PLUGIN_PATH names {folder}, which does not exist; it is ignored");
    }
    SearchPath::new(&plugins.plugin_dir)
}

/// The files or folders that patterns stand for: a shell leaves one that is in quotes, or that no
/// file matches, as it is. What matches nothing stays.
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
