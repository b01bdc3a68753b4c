//! The files that a config may have read in addition to itself. The check is at the opening of a
//! file.

use crate::system::regular;
use std::fs::File;
use std::io;
use std::path::Path;

/// Files that `extends`, `presets`, `[start]` and `[sweep]` may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// Any: the user of this process names them.
    Any,
    /// No files, because the config comes from a page.
    None,
    /// No files, because the config comes from a results folder that the user does not trust.
    Recorded,
}

/// Reason why a file was not opened.
#[derive(Debug)]
pub(super) enum NotOpened {
    Refused(Refusal),
    System(io::Error),
}

/// Reader to whom the file is refused, and the alternative for the user.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refusal {
    pub who: &'static str,
    pub help: &'static str,
}

/// Alternative for a page's user, if the page may not read a file.
pub(super) const RUN_A_FILE: &str = "write it into an experiment file and run that with `runner`";

impl FileAccess {
    /// Opens a file to read it, if that is allowed.
    pub(super) fn open(self, path: &Path) -> Result<File, NotOpened> {
        let (who, help) = match self {
            FileAccess::Any => return regular::open_linked(path).map_err(NotOpened::System),
            FileAccess::None => ("a page", RUN_A_FILE),
            FileAccess::Recorded => (
                "the config in a results folder",
                "a folder of this version has in itself all that its trials ran with; if you trust \
                whoever made this one, add --trust",
            ),
        };
        Err(NotOpened::Refused(Refusal { who, help }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_of_a_page_or_of_results_opens_no_file() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        assert!(FileAccess::Any.open(file.path()).is_ok());
        let missing = file.path().with_extension("missing");
        for access in [FileAccess::None, FileAccess::Recorded] {
            for path in [file.path(), &missing] {
                assert!(matches!(access.open(path), Err(NotOpened::Refused(_))));
            }
        }
        assert!(matches!(FileAccess::Any.open(&missing), Err(NotOpened::System(_))));
    }
}
