//! Isolation that the command line asks for: threads or worker processes.

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

/// Returns the isolation that `--isolation` and its related flags ask for.
pub(super) fn isolation(
    arguments: &IsolationArguments,
    plugins: &PluginDirs,
) -> Result<Isolation, Failure> {
    worker_memory(arguments)?;
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

/// Returns the memory limit of a worker process in bytes.
///
/// # Errors
/// Returns an error if a limit is asked for without worker processes.
pub(super) fn worker_memory(arguments: &IsolationArguments) -> Result<Option<u64>, Failure> {
    let Some(megabytes) = arguments.worker_memory else { return Ok(None) };
    match arguments.mode {
        IsolationMode::Process => Ok(Some(megabytes.get().saturating_mul(1 << 20))),
        IsolationMode::Thread => Err(Failure::usage(format!(
            "--worker-memory {megabytes}: threads share the memory of one process, so a limit per \
            worker needs worker processes; add --isolation process"
        ))),
    }
}

/// Returns worker processes that load plugins from these folders; threads if the system has none.
///
/// # Errors
/// Returns an error if the program cannot find its own executable; the error is a message.
#[cfg(unix)]
pub(super) fn processes(search: &SearchPath) -> Result<Isolation, String> {
    Ok(Isolation::Processes(WorkerCommand::of(search, PluginPolicy::Any)?))
}

#[cfg(not(unix))]
pub fn processes(_: &SearchPath) -> Result<Isolation, String> {
    Ok(Isolation::Threads)
}
