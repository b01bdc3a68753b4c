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
    /// What runs the file, where the config says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpreter: Option<String>,
}

impl PluginFile {
    /// Names a build of a problem's plugin and of those of operators, in hex: the BLAKE3 of the
    /// plugin's file, or, with operators, of the text of all of them, each once and in order.
    #[must_use]
    pub fn build(problem: &PluginFile, operators: &[PluginFile]) -> String {
        let mut others: Vec<&str> = operators.iter().map(|plugin| plugin.blake3.as_str()).collect();
        others.sort_unstable();
        others.dedup();
        match others.as_slice() {
            [] => problem.blake3.clone(),
            others => {
                let all = format!("{} {}", problem.blake3, others.join(" "));
                blake3::hash(all.as_bytes()).to_string()
            }
        }
    }

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
            interpreter: library.interpreter().map(|path| path.display().to_string()),
        }
    }
}
