//! Error of a plugin that is not where it is looked for.

use std::fmt;
use std::path::PathBuf;

/// The plugin of a run is in no folder of the search path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginNotFound {
    /// The plugin's name.
    pub name: String,
    /// The version that made the results.
    pub version: String,
    /// Folders that were searched.
    pub folders: Vec<PathBuf>,
    /// Library of the plugin, as the results name it.
    pub recorded: PathBuf,
    /// File at the recorded path.
    pub file: RecordedFile,
}

/// State of the file at the path that results name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedFile {
    /// There is no file.
    Missing,
    /// The library that made the results.
    SameBuild,
    /// A file with other bytes.
    OtherBuild,
}

impl fmt::Display for PluginNotFound {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PluginNotFound { name, version, .. } = self;
        let folders: Vec<String> =
            self.folders.iter().map(|folder| folder.display().to_string()).collect();
        write!(
            out,
            "the plugin `{name}` {version}, which made these results, is not in {}",
            folders.join(" or ")
        )
    }
}

impl std::error::Error for PluginNotFound {}
