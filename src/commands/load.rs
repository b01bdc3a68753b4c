//! Loading experiments for a command: checks every file and prints what is wrong.

use crate::cli::ExperimentArguments;
use crate::config::{self, Catalogue, Diagnostic, Overrides, Severity, Sources};
use crate::exit::Exit;
use crate::output::tell_coloured;
use crate::plan::Plan;
use crate::problem::SearchPath;
use std::io::IsTerminal;

/// The plans of all files; errors are printed and give the exit code.
pub fn load(arguments: &ExperimentArguments) -> Result<Vec<Plan>, Exit> {
    let ExperimentArguments { configs, set, repeats, seed, plugins } = arguments;
    let overrides = Overrides { set: set.clone(), repeats: repeats.clone(), seed: seed.clone() };
    let mut catalogue = Catalogue::new(SearchPath::new(&plugins.plugin_dir));
    let outcome = config::load(configs, &overrides, &mut catalogue);
    print(&outcome.diagnostics, &outcome.sources);
    if !outcome.has_errors() {
        return Ok(outcome.plans);
    }
    let errors = outcome.diagnostics.iter().filter(|one| one.severity == Severity::Error).count();
    message!("{errors} error{}; nothing was run", if errors == 1 { "" } else { "s" });
    Err(if outcome.only_plugins() { Exit::Plugin } else { Exit::Usage })
}

/// Prints diagnostics to standard error, coloured on a terminal unless NO_COLOR says otherwise.
pub fn print(diagnostics: &[Diagnostic], sources: &Sources) {
    let coloured = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    for diagnostic in diagnostics {
        tell_coloured(&format!("{}\n", diagnostic.render(sources, coloured)));
    }
}
