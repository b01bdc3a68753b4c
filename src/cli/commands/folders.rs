//! Results folders that match a pattern such as results/*, and the one above them.

use crate::cli::failure::has_results;
use crate::results::is_tuning_folder;
use crate::results::storage::output_folder::is_submission;
use crate::system::shell::shell_path;
use std::path::{Path, PathBuf};

/// Returns the folders that are not submissions. A single folder is always kept.
pub(super) fn without_submissions(folders: &[PathBuf]) -> impl Iterator<Item = &PathBuf> {
    let alone = folders.len() == 1;
    folders.iter().filter(move |path| alone || !is_submission(path))
}

/// Returns the folders that are neither submissions, nor tunings, nor files. A single path is
/// always kept. Names the others, but for files that a pattern such as results/* also has.
pub(super) fn of_results(folders: &[PathBuf]) -> Vec<&PathBuf> {
    let alone = folders.len() == 1;
    let is_other = |path: &&PathBuf| !alone && (path.is_file() || is_tuning_folder(path));
    let (others, results): (Vec<_>, _) = without_submissions(folders).partition(is_other);
    let ending = |path: &Path| path.extension().is_some_and(|one| one == "zip" || one == "toml");
    let named = others.iter().filter(|path| path.is_dir() || ending(path));
    let named: Vec<String> = named.map(|path| shell_path(path)).collect();
    if !named.is_empty() {
        note!("left out, because only folders of experiments count here: {}", named.join(", "));
    }
    results
}

/// Warns if the folder of `--out` is that of an experiment.
pub(super) fn warn_of_nested(out: &Path) {
    if has_results(out) {
        warning!(
            "{} is the folder of an experiment, and the results go to a folder inside it; --out \
            takes the folder above",
            out.display()
        );
    }
}
