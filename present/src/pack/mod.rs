//! Packs: an experiment with all that belongs to it in one zip file, to be archived and published.
//! A pack is a Research Object Crate (RO-Crate 1.2), which archives and other tools read.

mod archive;
mod author;
mod citation;
mod facts;
mod layout;
mod license;
mod metadata;
mod names;
mod opened;
mod part;
mod readme;
#[cfg(test)]
mod tests;

use crate::results::ResultsError;
use crate::results::storage::output_folder;
pub use author::Author;
pub use facts::{Facts, PackKind};
use layout::{CONFIG, METADATA};
pub use layout::{PLUGINS, RESULTS};
pub use license::License;
pub use opened::OpenedPack;
pub use part::{Part, Source};
use std::path::Path;

/// Writes a pack whole or not at all. `parts`: the files of the results, the reports and the
/// plugins. The experiment file, the README, the citation and the metadata are made here.
///
/// # Errors
/// Returns an error if a file cannot be read or written, or changes meanwhile.
pub fn write_pack(path: &Path, facts: &Facts<'_>, parts: Vec<Part>) -> Result<(), ResultsError> {
    let mut all = parts;
    all.push(Part::of_text(
        CONFIG,
        "the experiment file of the last run",
        facts.config().to_owned(),
    ));
    if let Some(citation) = citation::citation(facts) {
        all.push(Part::of_text("CITATION.cff", "how to cite these results", citation));
    }
    all.sort_by(|one, other| one.name.cmp(&other.name));
    let readme = readme::readme(facts, &all);
    all.push(Part::of_text("README.md", "this description", readme));
    all.sort_by(|one, other| one.name.cmp(&other.name));
    let measured = all.iter().map(|part| Ok((part, part.measure()?)));
    let mut measured = measured.collect::<Result<Vec<_>, ResultsError>>()?;
    let metadata = Part::of_text(METADATA, "the metadata", metadata::metadata(facts, &measured));
    measured.push((&metadata, metadata.measure()?));
    output_folder::write_with(path, |file| archive::write(file, path, &measured))
}
