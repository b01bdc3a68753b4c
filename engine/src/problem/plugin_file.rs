//! Identity of the plugin build that produced results.

use super::library::Library;
use crate::system::regular;
use serde::{Deserialize, Serialize};
use std::path::{Component, Path, PathBuf};

/// Identity of a plugin's file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PluginFile {
    /// The plugin's name.
    pub name: String,
    /// The plugin's version.
    pub version: String,
    /// Path of the loaded file.
    pub path: String,
    /// BLAKE3 hash of the file, in hexadecimal; of a program, [`hash_of`](Self::hash_of).
    pub blake3: String,
    /// ABI version, as `major.minor`.
    pub abi: String,
    /// Language and version of a program, as in "CPython 3.13.5, numpy 2.3.4"; `None` for a
    /// library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Interpreter of the file; `None` if the config names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpreter: Option<String>,
    /// Files that a program imports from its folder, relative to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
}

impl PluginFile {
    /// Returns the hexadecimal identity of a build: a problem's plugin together with the plugins of
    /// its operators. Without operators, it is the BLAKE3 hash of the problem's plugin. With
    /// operators, it is the BLAKE3 hash of the text of all hashes. The operators' hashes in this
    /// text are sorted, each once.
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

    /// Creates the identity of a library from its declaration and its file.
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
            files: library.declared().files.clone(),
        }
    }

    /// Returns whether a file, with what it imports, has these bytes. It is not run to find out.
    #[must_use]
    pub fn is_at(&self, path: &Path) -> bool {
        let hash = PluginFile::hash_of(path, &self.files);
        hash.is_ok_and(|hash| hash.to_string() == self.blake3)
    }

    /// Returns the BLAKE3 hash of a plugin's file. If it imports others from its folder, the hash
    /// covers their names and bytes.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or does not lie below the folder.
    pub fn hash_of(path: &Path, files: &[PathBuf]) -> Result<blake3::Hash, String> {
        let read = |path: &Path| {
            regular::hash(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
        };
        let own = read(path)?;
        if files.is_empty() {
            return Ok(own);
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(own.as_bytes());
        for file in files {
            if !file.components().all(|part| matches!(part, Component::Normal(_))) {
                return Err(format!("{}: this is not below the plugin's folder", file.display()));
            }
            let hash = read(&path.with_file_name(file))?;
            hasher.update(file.to_string_lossy().as_bytes()).update(&[0]).update(hash.as_bytes());
        }
        Ok(hasher.finalize())
    }
}
