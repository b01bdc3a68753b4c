//! An experiment file in the folder of an unpacked archive, next to the results that were packed
//! with it.

use crate::config::Catalogue;
use crate::problem::DataFile;
use crate::results::{Provenance, ResultsError, Run};
use crate::search::start::GivenGenomes;
use std::path::Path;

/// Folder of the results in an archive.
const RESULTS: &str = "results";

/// Returns the catalogue for an experiment file. If the file is next to the results that it made,
/// the catalogue has their first genomes and files of data, and looks for plugins that the file
/// names by a path also by the names of their files. `set`: overrides, such as `start.count=2`.
///
/// # Errors
/// Returns an error if a kept file cannot be read, or has other contents.
pub fn beside_results(
    catalogue: Catalogue,
    file: &Path,
    set: &[String],
) -> Result<Catalogue, ResultsError> {
    let folder = file.parent().unwrap_or(Path::new("")).join(RESULTS);
    let Some(run) = packed_run(&folder, file) else { return Ok(catalogue) };
    let (given, data_files) = kept(&folder, &run)?;
    // Other genomes than those of the run may be asked for.
    let is_own = |word: &String| run.overrides.contains(&format!("--set {word}"));
    let same_start = set.iter().filter(|word| word.starts_with("start")).all(is_own);
    let given = given.filter(|_| same_start);
    let recorded = run.operator_plugins.into_iter().map(|plugin| (plugin.named, plugin.file));
    Ok(catalogue.giving(given).with_data(data_files).with_moved_plugins(recorded))
}

/// Returns the last run of the results, if it had the text of this file.
fn packed_run(folder: &Path, file: &Path) -> Option<Run> {
    let run = Provenance::read(folder).ok()?.runs.pop()?;
    let text = std::fs::read_to_string(file).ok()?;
    (run.config == text).then_some(run)
}

/// Returns the first genomes and the files of data that a run kept in its results folder.
pub(super) fn kept(
    folder: &Path,
    run: &Run,
) -> Result<(Option<GivenGenomes>, Vec<DataFile>), ResultsError> {
    let given = run.first_genomes.as_ref().map(|kept| kept.read(folder)).transpose()?;
    let data = run.data_files.iter().map(|kept| kept.find(folder));
    Ok((given, data.collect::<Result<_, _>>()?))
}
