//! Policy for opening plugins. It is checked wherever a library is loaded or a program is started.
//! Therefore no way of naming a plugin bypasses it.

use super::{Location, PluginError, SearchPath, is_python};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// Policy that decides which plugins may be opened, and which interpreters may run them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PluginPolicy {
    /// Any file, run by any interpreter, because the user of this process names them.
    Any,
    /// Only these files, by the names that configs may give them; the first file of a name is used.
    /// Python files run under the default interpreter. This policy is for configs that come from a
    /// page.
    Listed(BTreeMap<String, Vec<PathBuf>>),
}

/// File of a plugin that a policy permits to open. Only [`PluginPolicy`] creates one.
#[derive(Clone, Debug)]
pub struct Permitted(Location);

impl Deref for Permitted {
    type Target = Location;

    fn deref(&self) -> &Location {
        &self.0
    }
}

impl PluginPolicy {
    /// Creates a policy that permits only the plugins that are on the search path now.
    #[must_use]
    pub fn listed(search: &SearchPath) -> Self {
        PluginPolicy::Listed(search.by_name())
    }

    /// Returns the listed file of each plugin; without a list, returns nothing.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let listed = match self {
            PluginPolicy::Any => None,
            PluginPolicy::Listed(files) => Some(files),
        };
        // A Python file is also listed under its name with the suffix.
        let named = listed.into_iter().flatten().filter(|(name, _)| !is_python(Path::new(name)));
        named.filter_map(|(_, files)| files.first().map(PathBuf::as_path))
    }

    /// Returns the file of the plugin of this name; `None` if there is none.
    ///
    /// # Errors
    /// Returns [`PluginError::Unlisted`] if the plugin may exist but is not listed.
    pub(super) fn find(
        &self,
        name: &str,
        search: &SearchPath,
    ) -> Result<Option<PathBuf>, PluginError> {
        let files = match self {
            PluginPolicy::Any => return Ok(search.find(name)),
            PluginPolicy::Listed(files) => files,
        };
        match files.get(name).and_then(|files| files.first()) {
            None if is_python(Path::new(name)) || search.find(name).is_some() => {
                Err(PluginError::Unlisted { plugin: PathBuf::from(name) })
            }
            found => Ok(found.cloned()),
        }
    }

    /// Permits to open a plugin. A policy of listed files accesses no file for this check.
    ///
    /// # Errors
    /// Returns [`PluginError::Unlisted`] if the file is not listed, and
    /// [`PluginError::Interpreter`] if the location names an interpreter.
    pub(super) fn permit(&self, location: Location) -> Result<Permitted, PluginError> {
        if let PluginPolicy::Listed(files) = self {
            if let Some(interpreter) = location.interpreter {
                return Err(PluginError::Interpreter { interpreter });
            }
            if !files.values().flatten().any(|file| *file == location.path) {
                return Err(PluginError::Unlisted { plugin: location.path });
            }
        }
        Ok(Permitted(location))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Library, Opener};

    #[test]
    fn listed_files_alone_are_permitted_and_by_no_interpreter_of_the_config() {
        let folder = tempfile::tempdir().expect("a folder");
        let (listed, other) = (folder.path().join("mine.py"), folder.path().join("other.py"));
        std::fs::write(&listed, "class Problem: pass").expect("a file");
        let policy = PluginPolicy::listed(&SearchPath::of(vec![folder.path().to_owned()]));
        // This file is created after the list.
        std::fs::write(&other, "class Problem: pass").expect("a file");
        let at = |path: &PathBuf| Location::new(std::path::absolute(path).expect("a path"));
        assert!(policy.permit(at(&listed)).is_ok());
        assert!(matches!(policy.permit(at(&other)), Err(PluginError::Unlisted { .. })));
        let elsewhere = Location { interpreter: Some("sh".into()), ..at(&listed) };
        assert!(matches!(policy.permit(elsewhere), Err(PluginError::Interpreter { .. })));
        let dotted = Location::new(folder.path().join("x/../mine.py"));
        assert!(matches!(policy.permit(dotted), Err(PluginError::Unlisted { .. })));
        assert!(PluginPolicy::Any.permit(at(&other)).is_ok());
    }

    /// The marker exists only if the interpreter or the file was started.
    #[cfg(unix)]
    #[test]
    fn what_is_not_permitted_is_neither_loaded_nor_started() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let marker = folder.path().join("marker");
        let program = folder.path().join("program");
        let text = format!("#!/bin/sh\ntouch '{}'\n", marker.display());
        std::fs::write(&program, text).expect("a file");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, mode).expect("its mode");
        let plugins = folder.path().join("plugins");
        std::fs::create_dir(&plugins).expect("a folder");
        std::fs::write(plugins.join("mine.py"), "class Problem: pass").expect("a file");
        let search = SearchPath::of(vec![plugins]);
        let opener = Opener::here(PluginPolicy::listed(&search));
        let refused = |location: Location| {
            let error = Library::open(&location, &opener).expect_err("it is refused");
            assert!(error.to_string().starts_with("a page cannot"), "{error}");
        };
        refused(Location::new(&program));
        refused(Location::new("/nowhere/libevil.so"));
        let interpreter = Some(program.clone());
        let error = search.open("mine", interpreter, &opener).expect_err("it is refused");
        assert!(matches!(error, PluginError::Interpreter { .. }), "{error}");
        assert!(!marker.exists());
    }
}
