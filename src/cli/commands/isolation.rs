//! Where plugins are loaded and trials run, as the command line asks.

use crate::cli::Failure;
use crate::cli::arguments::{IsolationArguments, IsolationMode, PluginDirs};
#[cfg(unix)]
use crate::cli::message;
#[cfg(unix)]
use crate::problem::PluginPolicy;
use crate::problem::SearchPath;
use crate::run::Isolation;
#[cfg(unix)]
use crate::run::WorkerCommand;
#[cfg(unix)]
use std::time::Duration;

/// What `--isolation` and the flags that go with it ask for.
///
/// # Errors
/// If this system has no worker processes.
pub(super) fn isolation(
    arguments: &IsolationArguments,
    plugins: &PluginDirs,
) -> Result<Isolation, Failure> {
    match arguments.mode {
        IsolationMode::Thread => Ok(Isolation::Threads),
        #[cfg(unix)]
        IsolationMode::Process => {
            let search = SearchPath::new(&plugins.plugin_dir);
            let command = WorkerCommand::of(&search, PluginPolicy::Any).map_err(Failure::plugin)?;
            Ok(Isolation::Processes(WorkerCommand {
                memory: arguments.worker_memory,
                json_lines: message::are_json_lines(),
                patience: Duration::from_secs(arguments.plugin_seconds.get()),
                ..command
            }))
        }
        #[cfg(not(unix))]
        IsolationMode::Process => {
            let _ = plugins;
            Err(Failure::plugin("--isolation process: worker processes need a Unix system"))
        }
    }
}

/// Worker processes with plugins from these folders; threads, where this system has none.
///
/// # Errors
/// If the program does not find itself; in words.
#[cfg(unix)]
pub(super) fn processes(search: &SearchPath) -> Result<Isolation, String> {
    Ok(Isolation::Processes(WorkerCommand::of(search, PluginPolicy::Any)?))
}

#[cfg(not(unix))]
pub fn processes(_: &SearchPath) -> Result<Isolation, String> {
    Ok(Isolation::Threads)
}
