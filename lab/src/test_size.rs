//! Size and files of the tests.

use std::path::{Path, PathBuf};

/// Returns whether the tests run at full size: `RUNNER_TESTS=full`.
pub(crate) fn is_full() -> bool {
    std::env::var("RUNNER_TESTS").is_ok_and(|value| value == "full")
}

/// Returns the path of a file in the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    // The lab's folder, or that of its unit tests for the README's command.
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().find(|folder| folder.join("Cargo.lock").exists());
    root.expect("Cargo.lock").join(path)
}
