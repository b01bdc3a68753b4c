//! Folders of results, as a pattern such as results/* names them.

use crate::cluster::Submission;
use std::path::PathBuf;

/// Those that are no submissions. One that is named alone is meant.
pub(super) fn without_submissions(folders: &[PathBuf]) -> impl Iterator<Item = &PathBuf> {
    let alone = folders.len() == 1;
    folders.iter().filter(move |path| alone || !Submission::is_folder(path))
}

/// The same without files that lie there, which a pattern also names.
pub(super) fn of_results(folders: &[PathBuf]) -> impl Iterator<Item = &PathBuf> {
    let alone = folders.len() == 1;
    without_submissions(folders).filter(move |path| alone || !path.is_file())
}
