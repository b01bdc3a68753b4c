//! Free disk space.

use std::path::Path;

/// Returns the number of bytes that a program may still write to the disk of a folder. The folder
/// need not exist yet. `None` if the system does not report the space.
#[must_use]
pub fn free(folder: &Path) -> Option<u64> {
    let folder = std::path::absolute(folder).ok()?;
    let there = folder.ancestors().find(|path| path.is_dir())?;
    #[cfg(unix)]
    {
        let disk = rustix::fs::statvfs(there).ok()?;
        disk.f_bavail.checked_mul(disk.f_frsize)
    }
    #[cfg(not(unix))]
    {
        _ = there;
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_yet_is_on_the_disk_of_the_one_above() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(free(folder.path()).is_some_and(|bytes| bytes > 0));
        assert!(free(&folder.path().join("not/yet")).is_some_and(|bytes| bytes > 0));
    }
}
