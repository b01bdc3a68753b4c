//! Which build of a plugin made results.

use super::library::Library;
use serde::{Deserialize, Serialize};

/// The plugin's library.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PluginFile {
    /// The plugin's name.
    pub name: String,
    /// The plugin's version.
    pub version: String,
    /// Path of the library that was loaded.
    pub path: String,
    /// BLAKE3 of the file, in hex.
    pub blake3: String,
    /// Major and minor.
    pub abi: String,
    /// Of a program: its language and version, as in "CPython 3.13.5, numpy 2.3.4".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

impl PluginFile {
    /// What the library declares, and its file.
    #[must_use]
    pub fn of(library: &Library) -> Self {
        let (major, minor) = library.abi();
        PluginFile {
            name: library.name().to_owned(),
            version: library.version().to_owned(),
            path: library.path().display().to_string(),
            blake3: library.file_hash().to_string(),
            abi: format!("{major}.{minor}"),
            language: library.declared().language.clone(),
        }
    }
}
