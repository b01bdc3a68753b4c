//! The builds of a plugin that made the trials of an experiment.

use super::{Missing, ResultsFolder, SessionError, SessionOptions};
use crate::plan::Plan;
use crate::problem::PluginFile;
use crate::results::Opened;

/// Whether the session may go on with what it opened, with words for the user if another build made
/// it. Trials of one arm must come from one build: another one of the same version may search
/// otherwise.
///
/// # Errors
/// If the trials would come from several builds, and nobody accepted that.
pub(super) fn check(
    plan: &Plan,
    opened: &Opened,
    missing: &Missing,
    folder: &ResultsFolder,
    options: &SessionOptions,
) -> Result<Option<String>, SessionError> {
    let now = PluginFile::of(&plan.library);
    // The builds that the tables would hold.
    let mut builds = opened.plugins.clone();
    if !missing.is_empty() {
        builds.insert(now.blake3.clone());
    }
    let mixed = builds.len() > 1 && !builds.is_subset(&opened.known_plugins);
    // A folder whose arms have all changed has no trial of another build left.
    if !mixed && (opened.plugins.is_empty() || opened.plugins.contains(&now.blake3)) {
        return Ok(None);
    }
    let PluginFile { name, version, .. } = now;
    if mixed && !options.accept_plugin_change {
        return Err(SessionError::PluginChanged { folder: folder.shown.clone(), name, version });
    }
    let folder = folder.shown.display();
    Ok(Some(format!(
        "the trials in {folder} were made by another build of the plugin {name} {version}: the \
        bytes of its library changed, its version did not; `runner verify {folder}` checks whether \
        it gives the same results"
    )))
}
