//! Which files a config may have read beside itself: asked where a file is opened.

use std::fs::File;
use std::io;
use std::path::Path;

/// Which files `extends` and `[start]` may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// Any: the user of this process names them.
    Any,
    /// None: the config comes from a page.
    None,
}

/// Why a file was not opened.
#[derive(Debug)]
pub(super) enum NotOpened {
    Refused,
    System(io::Error),
}

/// What a page's user can do in place of what a page may not.
pub(super) const RUN_A_FILE: &str = "write it into an experiment file and run that with `runner`";

impl FileAccess {
    /// Opens a file to read it, if that is allowed.
    pub(super) fn open(self, path: &Path) -> Result<File, NotOpened> {
        match self {
            FileAccess::Any => File::open(path).map_err(NotOpened::System),
            FileAccess::None => Err(NotOpened::Refused),
        }
    }

    /// Whether a path is none of a regular file; false where nothing may be looked at.
    pub(super) fn is_no_file(self, path: &Path) -> bool {
        self == FileAccess::Any && std::fs::metadata(path).is_ok_and(|found| !found.is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_of_a_page_opens_no_file() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        assert!(FileAccess::Any.open(file.path()).is_ok());
        assert!(matches!(FileAccess::None.open(file.path()), Err(NotOpened::Refused)));
        let missing = file.path().with_extension("missing");
        assert!(matches!(FileAccess::None.open(&missing), Err(NotOpened::Refused)));
        assert!(matches!(FileAccess::Any.open(&missing), Err(NotOpened::System(_))));
    }
}
