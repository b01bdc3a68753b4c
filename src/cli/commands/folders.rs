//! Folders of results, as a pattern such as results/* names them.

use crate::cluster::Submission;
use std::path::PathBuf;

/// Those that can have results: a pattern also names files that lie there, and submissions. One
/// that is named alone is meant.
pub(super) fn of_results(folders: &[PathBuf]) -> impl Iterator<Item = &PathBuf> {
    let alone = folders.len() == 1;
    folders.iter().filter(move |path| alone || !path.is_file() && !Submission::is_folder(path))
}
