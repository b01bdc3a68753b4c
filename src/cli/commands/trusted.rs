//! The plugin of a results folder. The folder may come from strangers: a library that it names is
//! loaded only if it lies on the search path, or if the user trusts the folder.

use super::load::search_path;
use crate::cli::{AgainArguments, Failure};
use crate::problem::PluginFile;
use crate::problem::{Library, SearchPath, file_name};
use crate::results::Run;
use crate::system::output::visible_line;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The plugin with which a run can be done again: the library with the recorded hash, if it lies on
/// the search path; with `--trust` the one that `run.toml` names; else another build or version on
/// the search path.
///
/// # Errors
/// If there is none, with the commands that would find it; and if it cannot be used.
pub fn library(run: &Run, arguments: &AgainArguments) -> Result<Arc<Library>, Failure> {
    let plugin = &run.plugin;
    let (search, recorded) = (search_path(&arguments.plugins), PathBuf::from(&plugin.path));
    let found = on_path(&search, plugin, &recorded);
    if let Some(path) = found.iter().find(|path| has_hash(path, plugin)) {
        return Ok(Library::load(path)?);
    }
    if arguments.trust && recorded.is_file() {
        return Ok(Library::load(&recorded)?);
    }
    if search.find(&plugin.name).is_some() {
        // The user's own: what differs from the run is told with the trials.
        return Ok(search.load(&plugin.name)?);
    }
    Err(Failure::plugin(not_found(plugin, &recorded, arguments.trust, &search)))
}

/// Files on the search path that may be the plugin: by its name, and by the name of its file.
fn on_path(search: &SearchPath, plugin: &PluginFile, recorded: &Path) -> Vec<PathBuf> {
    let mut names = vec![PathBuf::from(file_name(&plugin.name))];
    names.extend(recorded.file_name().map(PathBuf::from));
    // A name is one component, whatever the folder says.
    names.retain(|name| name.file_name() == Some(name.as_os_str()));
    let files = search.dirs().iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    files.filter(|path| path.is_file()).collect()
}

/// Whether a library has the recorded bytes. It is not run to find out.
fn has_hash(path: &Path, plugin: &PluginFile) -> bool {
    std::fs::read(path).is_ok_and(|bytes| blake3::hash(&bytes).to_string() == plugin.blake3)
}

fn not_found(plugin: &PluginFile, recorded: &Path, trusted: bool, search: &SearchPath) -> String {
    let PluginFile { name, version, .. } = plugin;
    let folders: Vec<String> =
        search.dirs().iter().map(|folder| folder.display().to_string()).collect();
    let mut words = format!(
        "the plugin `{name}` {version}, which these results were made with, is not in {}",
        folders.join(" or ")
    );
    let again = |option: &str, value: Option<&Path>| {
        let value = value
            .map(|value| format!(" {}", quoted(&value.display().to_string())))
            .unwrap_or_default();
        format!("{} {option}{value}", command())
    };
    let folder = recorded.parent().filter(|folder| !folder.as_os_str().is_empty());
    match (recorded.is_file(), folder) {
        (true, Some(folder)) if !trusted => {
            let build = if has_hash(recorded, plugin) {
                "it lies in"
            } else {
                "another build of it lies in"
            };
            words.push_str(&format!(
                "; {build} {}, by what the results say. If you trust them:\n  {}\nor\n  {}",
                folder.display(),
                again("--plugin-dir", Some(folder)),
                again("--trust", None)
            ));
        }
        _ => words.push_str(&format!(
            "; it was {}, which is not here. Name the folder that has it:\n  {}",
            recorded.display(),
            again("--plugin-dir", Some(Path::new("DIR")))
        )),
    }
    words
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
