//! Location of a plugin: its file, and the interpreter of a Python file.

use serde::{Deserialize, Serialize};
use std::env::consts::DLL_SUFFIX;
use std::path::{Path, PathBuf};

/// Plugin file and its interpreter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    /// Path of a shared library, a Python file (`.py`), or another program.
    pub path: PathBuf,
    /// Interpreter of a Python file. `None` if the default applies: `python` of the active virtual
    /// environment, else `python3`.
    pub interpreter: Option<PathBuf>,
}

impl Location {
    /// Creates the location of a file with the default interpreter.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Location { path: path.into(), interpreter: None }
    }

    /// Returns whether the file has the suffix of shared libraries on this platform.
    pub(super) fn is_library(&self) -> bool {
        self.path.to_string_lossy().ends_with(DLL_SUFFIX)
    }

    /// Returns whether the file is a Python file.
    #[must_use]
    pub fn is_python(&self) -> bool {
        is_python(&self.path)
    }
}

/// Returns whether this is the path of a Python file.
#[must_use]
pub fn is_python(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "py")
}
