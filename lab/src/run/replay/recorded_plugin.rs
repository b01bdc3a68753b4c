//! The plugin of a results folder. The folder may come from strangers: a library that it names is
//! loaded only if it lies on the search path, if the user ran it before, or if the user trusts the
//! folder.

use super::{PluginNotFound, RecordedFile, ReplayError};
use crate::problem::{Library, Location, Opener, PluginFile, PluginPolicy, SearchPath, file_name};
use crate::run::OwnPlugins;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Places from which the plugin of results may be taken.
#[derive(Clone, Debug)]
pub struct PluginSource {
    /// The folders to search.
    pub search: SearchPath,
    /// Plugins that the user ran.
    pub own: OwnPlugins,
    /// Whether the library that the results name may be loaded, wherever it lies.
    pub trust: bool,
    /// Policy for the plugins that may be opened.
    pub policy: PluginPolicy,
}

impl PluginSource {
    /// Returns the plugin with which a run can be done again: the library with the recorded hash,
    /// if it lies on the search path; the one that `run.toml` names, if the user ran that file as
    /// it is, or with `trust`; else another build or version on the search path.
    ///
    /// # Errors
    /// Returns an error if there is none, and if it cannot be used.
    pub fn load(&self, plugin: &PluginFile) -> Result<Arc<Library>, ReplayError> {
        let opener = Opener::here(self.policy.clone());
        let recorded = PathBuf::from(&plugin.path);
        let found = self.candidates(plugin, &recorded);
        if let Some(path) = found.iter().find(|path| plugin.is_at(path)) {
            return Ok(Library::open(&Location::new(path), &opener)?);
        }
        if let Some(location) = self.own.find(&recorded) {
            return Ok(Library::open(&location, &opener)?);
        }
        if self.trust && recorded.is_file() {
            let interpreter = plugin.interpreter.as_ref().map(PathBuf::from);
            let location = Location { path: recorded, interpreter };
            return Ok(Library::open(&location, &opener)?);
        }
        if self.search.find(&plugin.name).is_some() {
            // The user's own plugin: its differences from the run are reported with the trials.
            return Ok(self.search.open(&plugin.name, None, &opener)?);
        }
        let file = match recorded.is_file() {
            false => RecordedFile::Missing,
            true if plugin.is_at(&recorded) => RecordedFile::SameBuild,
            true => RecordedFile::OtherBuild,
        };
        let (folders, PluginFile { name, version, .. }) =
            (self.search.dirs().to_vec(), plugin.clone());
        Err(PluginNotFound { name, version, folders, recorded, file }.into())
    }

    /// Returns the file with which a run was done, if it is where [`load`](Self::load) may take it
    /// from and has the recorded bytes. It is not loaded.
    #[must_use]
    pub fn recorded_file(&self, plugin: &PluginFile) -> Option<PathBuf> {
        let recorded = PathBuf::from(&plugin.path);
        let found = self.candidates(plugin, &recorded).into_iter();
        let own = self.own.find(&recorded).map(|location| location.path);
        let named = self.trust.then_some(recorded);
        found.chain(own).chain(named).find(|path| path.is_file() && plugin.is_at(path))
    }

    /// Files on the search path that may be the plugin: by its name, and by the name of its file.
    fn candidates(&self, plugin: &PluginFile, recorded: &Path) -> Vec<PathBuf> {
        let mut names = vec![PathBuf::from(file_name(&plugin.name))];
        names.extend(recorded.file_name().map(PathBuf::from));
        // A name is one component, whatever the folder says.
        names.retain(|name| name.file_name() == Some(name.as_os_str()));
        let folders = self.search.dirs().iter();
        // Without links, as a policy lists them.
        let folders =
            folders.map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.clone()));
        let files = folders.flat_map(|folder| names.iter().map(move |name| folder.join(name)));
        files.filter(|path| path.is_file()).collect()
    }
}
