//! The catalogue: the plugins and files that configs may use.

use super::file_access::FileAccess;
use crate::problem::{
    DataFile, Library, Location, Opener, PluginError, PluginFile, PluginPolicy, SearchPath,
    is_python,
};
use crate::search::start::GivenGenomes;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Plugins that were asked for, loaded once each.
#[derive(Debug)]
pub struct Catalogue {
    search: SearchPath,
    opener: Opener,
    pub(super) files: FileAccess,
    loaded: BTreeMap<Location, Arc<Library>>,
    /// Answers to every name and path of a problem.
    only: Option<Arc<Library>>,
    /// Plugins of operators in addition to `only`, by their names in the config.
    recorded: BTreeMap<String, Arc<Library>>,
    /// First genomes that were read before, in place of what configs name.
    pub(super) given: Option<GivenGenomes>,
    /// Files of data that were read before, in place of what configs name.
    pub(super) data_files: Vec<DataFile>,
    /// Plugins of earlier results, by their names in the config. If present, a plugin that is not
    /// at its path is looked for by the name of its file.
    moved: Option<BTreeMap<String, PluginFile>>,
}

impl Catalogue {
    /// Plugins of this search path and any others, loaded in this process.
    #[must_use]
    pub fn new(search: SearchPath) -> Self {
        Catalogue::opening(search, Opener::here(PluginPolicy::Any))
    }

    /// Returns a catalogue whose plugins are opened in this way.
    #[must_use]
    pub fn opening(search: SearchPath, opener: Opener) -> Self {
        Catalogue {
            search,
            opener,
            files: FileAccess::Any,
            loaded: BTreeMap::new(),
            only: None,
            recorded: BTreeMap::new(),
            given: None,
            data_files: Vec::new(),
            moved: None,
        }
    }

    /// Limits the files that configs may read, in addition to themselves.
    #[must_use]
    pub fn reading(self, files: FileAccess) -> Self {
        Catalogue { files, ..self }
    }

    /// Returns a catalogue of one plugin. Every config gets this plugin, and no other plugin is
    /// loaded.
    #[must_use]
    pub fn only(library: Arc<Library>) -> Self {
        Catalogue { only: Some(library), ..Catalogue::new(SearchPath::of(Vec::new())) }
    }

    /// Adds plugins of operators, by their names in the config.
    #[must_use]
    pub fn with_operators(
        self,
        recorded: impl IntoIterator<Item = (String, Arc<Library>)>,
    ) -> Self {
        Catalogue { recorded: recorded.into_iter().collect(), ..self }
    }

    /// Sets the first genomes that an earlier plan of the config has read and checked. The table
    /// [start] of a config then reads nothing.
    #[must_use]
    pub(crate) fn giving(self, given: Option<GivenGenomes>) -> Self {
        Catalogue { given, ..self }
    }

    /// Sets files of data that were read before. What a config calls by their names is not read
    /// again.
    #[must_use]
    pub fn with_data(self, data_files: Vec<DataFile>) -> Self {
        Catalogue { data_files, ..self }
    }

    /// Looks for a plugin that is not at its path by the name of its file in the plugin folders.
    /// `recorded` are plugins of earlier results by their names in the config: a file with the
    /// recorded bytes goes before another of its name.
    #[must_use]
    pub(crate) fn with_moved_plugins(
        self,
        recorded: impl IntoIterator<Item = (String, PluginFile)>,
    ) -> Self {
        Catalogue { moved: Some(recorded.into_iter().collect()), ..self }
    }

    /// Returns the place of a plugin that the config calls `named` and that is not at its path any
    /// more.
    fn moved(&self, named: &str, path: &Path) -> Option<PathBuf> {
        let recorded = self.moved.as_ref().filter(|_| !path.exists())?.get(named);
        let name = path.file_name()?;
        let files = self.search.dirs().iter().map(|dir| dir.join(name));
        let files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
        let has_bytes = |path: &&PathBuf| recorded.is_some_and(|file| file.is_at(path));
        files.iter().find(has_bytes).or(files.first()).cloned()
    }

    /// Adds a library under its own name, before all folders: one that is linked in.
    pub fn add(&mut self, library: Arc<Library>) {
        self.loaded.insert(Location::new(library.name()), library);
    }

    /// Returns the plugin of this name, or the file at this path, relative to `base`: what has a
    /// separator or the ending of a library is a path; a Python file (`.py`) without one is looked
    /// for in `base`, and then in the plugin folders. `interpreter` runs a Python file. Where the
    /// opener's policy lists plugins, nothing is looked for in `base`.
    ///
    /// # Errors
    /// Returns an error if the plugin is not found, cannot be used, or may not be opened.
    pub fn load(
        &mut self,
        plugin: &str,
        interpreter: Option<&Path>,
        base: &Path,
    ) -> Result<Arc<Library>, PluginError> {
        if let Some(library) = &self.only {
            return Ok(Arc::clone(library));
        }
        let anywhere = self.opener.policy == PluginPolicy::Any;
        let beside =
            || anywhere && (base.join(plugin).is_file() || self.search.find(plugin).is_none());
        let by_path = is_path(plugin) || is_python(Path::new(plugin)) && beside();
        let here = base == Path::new(".");
        let path = if by_path && !here { base.join(plugin) } else { PathBuf::from(plugin) };
        let path = if by_path { self.moved(plugin, &path).unwrap_or(path) } else { path };
        let key = Location { path, interpreter: interpreter.map(Path::to_owned) };
        if let Some(library) = self.loaded.get(&key) {
            return Ok(Arc::clone(library));
        }
        let library = if by_path {
            Library::open(&key, &self.opener)?
        } else {
            self.search.open(plugin, key.interpreter.clone(), &self.opener)?
        };
        self.loaded.insert(key, Arc::clone(&library));
        Ok(library)
    }

    /// Loads a plugin whose operators an operator set names, as in [`load`](Self::load).
    ///
    /// # Errors
    /// Returns an error if the plugin is not found, cannot be used, or may not be opened.
    pub(crate) fn load_operators(
        &mut self,
        plugin: &str,
        interpreter: Option<&Path>,
        base: &Path,
    ) -> Result<Arc<Library>, PluginError> {
        match (&self.only, self.recorded.get(plugin)) {
            (None, _) => self.load(plugin, interpreter, base),
            (Some(_), Some(library)) => Ok(Arc::clone(library)),
            (Some(_), None) => Err(PluginError::NotFound {
                name: plugin.to_owned(),
                dirs: self.search.dirs().to_vec(),
                nearest: None,
            }),
        }
    }
}

/// Returns whether a plugin is named by the path of its library.
pub(super) fn is_path(plugin: &str) -> bool {
    plugin.contains(['/', '\\']) || plugin.ends_with(std::env::consts::DLL_SUFFIX)
}
