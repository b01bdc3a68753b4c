//! The builds of a plugin that made the trials of an experiment.

use super::{Missing, ResultsFolder, SessionError, SessionOptions};
use crate::plan::{Plan, ResultsSpec};
use crate::problem::{PluginFile, is_python};
use crate::results::{Opened, Provenance};
use crate::system::shell::shell_path;
use std::path::PathBuf;

/// Checks whether the session may continue with what it opened. Returns a notice for the user if
/// another build made it. Trials of one arm must come from one build, because another build of the
/// same version may search differently. All trials of a shard must come from this build, because
/// those of the other shards do.
///
/// # Errors
/// Returns an error if the trials would come from several builds, or those of a shard from another
/// build, and nobody accepted that.
pub(super) fn check(
    plan: &Plan,
    opened: &Opened,
    missing: &Missing,
    folder: &ResultsFolder,
    options: &SessionOptions,
) -> Result<Option<String>, SessionError> {
    let spec = ResultsSpec::from(plan);
    let now = spec.build();
    // The builds that the tables would hold.
    let mut builds = opened.plugins.clone();
    if !missing.is_empty() {
        builds.insert(now.clone());
    }
    let mixed = builds.len() > 1 && !builds.is_subset(&opened.known_plugins);
    // A folder whose arms have all changed has no trial of another build left.
    if !mixed && (opened.plugins.is_empty() || opened.plugins.contains(&now)) {
        return Ok(None);
    }
    let changed = changed(&spec, folder);
    let plugins = named(&changed);
    let conflicts = mixed || options.share.is_some();
    if conflicts && !options.accept_plugin_change {
        return Err(SessionError::PluginChanged { folder: folder.shown.clone(), plugins });
    }
    let typed = shell_path(&folder.shown);
    let verify = format!("`runner verify {typed}` checks whether it gives the same results");
    let python = match &changed[..] {
        [one] => Some(PathBuf::from(&one.path)).filter(|path| is_python(path)),
        _ => None,
    };
    Ok(Some(match python {
        Some(path) => format!(
            "these are results of an earlier {}: the file was changed, and its version is still \
            {}; to run the changed file, raise `version` in its class, as in `version = \"2\"`, or \
            name another folder with --out; {verify}",
            path.file_name().unwrap_or(path.as_os_str()).to_string_lossy(),
            changed[0].version,
        ),
        None => format!(
            "these results were made by another build of the plugin {plugins}: the bytes of its \
            file changed, its version did not; to run this build, raise its version, or name \
            another folder with --out; {verify}"
        ),
    }))
}

/// Checks whether the last run in a folder, if there was one, had the builds of the plugins that
/// this plan has.
///
/// # Errors
/// Returns an error if it had others, or the folder cannot be read.
pub fn refuse_other_build(plan: &Plan, folder: &ResultsFolder) -> Result<(), SessionError> {
    let spec = ResultsSpec::from(plan);
    let last = Provenance::read(&folder.path)?.runs.pop();
    if last.is_none_or(|run| run.plugin_build() == spec.build()) {
        return Ok(());
    }
    let plugins = named(&changed(&spec, folder));
    Err(SessionError::PluginChanged { folder: folder.shown.clone(), plugins })
}

/// Checks that nobody wrote to a plugin's file while its trials ran.
///
/// # Errors
/// Returns an error that names the file.
pub(super) fn refuse_overwritten(plan: &Plan, folder: &ResultsFolder) -> Result<(), SessionError> {
    let operators = plan.operator_libraries.iter().map(|one| &one.library);
    let mut libraries = std::iter::once(&plan.library).chain(operators);
    match libraries.find(|library| library.is_overwritten()) {
        None => Ok(()),
        Some(library) => Err(SessionError::PluginOverwritten {
            path: library.path().to_owned(),
            folder: folder.shown.clone(),
        }),
    }
}

/// Returns the names and versions of plugins.
fn named(plugins: &[PluginFile]) -> String {
    let named = plugins.iter().map(|plugin| format!("{} {}", plugin.name, plugin.version));
    named.collect::<Vec<_>>().join(" or ")
}

/// Returns the plugins that have other bytes than in the last run; all of them if that is not
/// known.
fn changed(spec: &ResultsSpec, folder: &ResultsFolder) -> Vec<PluginFile> {
    let now: Vec<&PluginFile> =
        std::iter::once(&spec.plugin).chain(&spec.operator_plugins).collect();
    let last = Provenance::read(&folder.path).unwrap_or_default().runs.pop();
    let then: Vec<String> = last.map_or_else(Vec::new, |run| {
        let operators = run.operator_plugins.into_iter().map(|plugin| plugin.file.blake3);
        std::iter::once(run.plugin.blake3).chain(operators).collect()
    });
    let is_new = |plugin: &&&PluginFile| !then.contains(&plugin.blake3);
    let new: Vec<&PluginFile> = now.iter().filter(is_new).copied().collect();
    let named = if new.is_empty() { now } else { new };
    named.into_iter().cloned().collect()
}
