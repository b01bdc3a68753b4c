//! Opening of results whose trials a command runs again.

use super::load::search_path;
use super::memory::check_memory;
use crate::cli::Failure;
use crate::cli::arguments::RecordedPluginArguments;
use crate::cli::failure::with_nearest;
use crate::problem::PluginPolicy;
use crate::run::{OwnPlugins, PluginNotFound, PluginSource, RecordedFile, Replay, ReplayError};
use crate::system::shell::{shell_path, shell_word};
use std::path::Path;

/// Opens a results folder, with its plugin from where the command line allows.
///
/// # Errors
/// Returns an error if there are no results or no run, the plugin is missing or unusable, or the
/// config cannot be planned any more.
pub(super) fn open_replay(
    folder: &Path,
    plugins: &RecordedPluginArguments,
) -> Result<Replay, Failure> {
    let search = search_path(&plugins.plugins);
    let own = OwnPlugins::of_user();
    let source = PluginSource { search, own, trust: plugins.trust, policy: PluginPolicy::Any };
    let replay = Replay::open(folder, &source)?;
    // At least one trial must fit at a time.
    check_memory(std::slice::from_ref(&replay.plan), 1, None)?;
    Ok(replay)
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Self {
        let words = match &error {
            ReplayError::Results(error) => with_nearest(error),
            _ => error.to_string(),
        };
        match error {
            ReplayError::Results(_) | ReplayError::NoRun { .. } => Failure::results(words),
            ReplayError::Plugin(_) => Failure::plugin(words),
            ReplayError::NotFound(plugin) => {
                Failure::plugin(format!("{words}; {}", ways_out(&plugin)))
            }
            ReplayError::Config { outcome, .. } => Failure::results(words).below(outcome.into()),
        }
    }
}

/// Returns the commands that would find the plugin.
fn ways_out(PluginNotFound { recorded, file, .. }: &PluginNotFound) -> String {
    let with_folder = |folder: &Path| format!("{} --plugin-dir {}", command(), shell_path(folder));
    let build = match file {
        RecordedFile::SameBuild => Some("it is in"),
        RecordedFile::OtherBuild => Some("another build of it is in"),
        RecordedFile::Missing => None,
    };
    let folder = recorded.parent().filter(|folder| !folder.as_os_str().is_empty());
    match build.zip(folder) {
        Some((build, folder)) => format!(
            "{build} {}, the folder that the results name. If you trust them, run\n  {}\nor\n  {} \
            --trust",
            folder.display(),
            with_folder(folder),
            command()
        ),
        None => format!(
            "it was {}, which does not exist here. Name the folder that has it:\n  {}",
            recorded.display(),
            with_folder(Path::new("DIR"))
        ),
    }
}

/// Returns the command line of this process.
fn command() -> String {
    let arguments =
        std::env::args_os().skip(1).map(|argument| shell_word(&argument.to_string_lossy()));
    std::iter::once("runner".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}
