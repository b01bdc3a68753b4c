//! Where a plugin is: its file, and what runs it if it is a program.

use serde::{Deserialize, Serialize};
use std::env::consts::DLL_SUFFIX;
use std::path::{Path, PathBuf};

/// A plugin's file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    /// A shared library, a Python file (`.py`), or another program.
    pub path: PathBuf,
    /// What runs a Python file; none: the active virtual environment's `python`, else `python3`.
    pub interpreter: Option<PathBuf>,
}

impl Location {
    /// A file, with the usual interpreter where it needs one.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Location { path: path.into(), interpreter: None }
    }

    /// Whether the file is named as shared libraries are here.
    #[must_use]
    pub(super) fn is_library(&self) -> bool {
        self.path.to_string_lossy().ends_with(DLL_SUFFIX)
    }

    /// Whether the file is Python.
    #[must_use]
    pub fn is_python(&self) -> bool {
        is_python(&self.path)
    }
}

/// Whether this is the name of a Python file.
#[must_use]
pub fn is_python(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "py")
}
