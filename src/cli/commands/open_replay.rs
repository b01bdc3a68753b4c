//! Results whose trials a command runs again.

use super::load::search_path;
use crate::cli::Failure;
use crate::cli::arguments::RecordedPluginArguments;
use crate::problem::PluginPolicy;
use crate::run::{PluginNotFound, PluginSource, RecordedFile, Replay, ReplayError};
use crate::system::output::visible_line;
use std::path::Path;

/// Opens a results folder, with its plugin from where the command line allows.
///
/// # Errors
/// If there are no results or no run, the plugin is not found or cannot be used, or the config
/// cannot be planned any more.
pub(super) fn open_replay(
    folder: &Path,
    plugins: &RecordedPluginArguments,
) -> Result<Replay, Failure> {
    let search = search_path(&plugins.plugins);
    Ok(Replay::open(
        folder,
        &PluginSource { search, trust: plugins.trust, policy: PluginPolicy::Any },
    )?)
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Self {
        let words = error.to_string();
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

/// The commands that would find the plugin.
fn ways_out(PluginNotFound { recorded, file, .. }: &PluginNotFound) -> String {
    let with_folder = |folder: &Path| {
        format!("{} --plugin-dir {}", command(), quoted(&folder.display().to_string()))
    };
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

/// The command that was typed.
fn command() -> String {
    let arguments = std::env::args_os().skip(1).map(|argument| quoted(&argument.to_string_lossy()));
    std::iter::once("runner".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// As a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    let word = visible_line(word);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_a_shell_takes_them() {
        let words = ["results/x", "t problem.n=8", "it's", "", "a\u{1b}b"].map(quoted);
        assert_eq!(words, ["results/x", "'t problem.n=8'", "'it'\\''s'", "''", "'a\\u001bb'"]);
    }
}
