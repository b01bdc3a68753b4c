//! The files of finished results: tables, `run.toml`, and the data that the last run kept.

use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::storage::files::if_there;
use crate::results::storage::folder::{TableSet, list_pieces};
use crate::results::storage::provenance::{Provenance, RUN_FILE};
use crate::results::storage::reader::TableReader;
use std::path::{Path, PathBuf};

/// A file of finished results, as its contents show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoundFile {
    /// A table, or a piece of one.
    Table(Table),
    /// `run.toml`.
    Runs,
    /// Genomes that the trials began with.
    FirstGenomes,
    /// A file of data that a parameter names.
    Data,
}

/// Returns the files of finished results, each with its path. The bytes of each table and of the
/// kept data are those that were written.
///
/// # Errors
/// Returns an error if a file is missing, damaged, or cannot be read.
pub fn sound_files(
    folder: &Path,
    provenance: &Provenance,
) -> Result<Vec<(SoundFile, PathBuf)>, ResultsError> {
    let mut files = vec![(SoundFile::Runs, folder.join(RUN_FILE))];
    let tables = [TableSet::tables(folder)];
    for set in tables.into_iter().chain(list_pieces(folder)?) {
        for table in Table::ALL {
            let path = set.path(table);
            if if_there(TableReader::open(&path, table))?.is_some() {
                files.push((SoundFile::Table(table), path));
            }
        }
    }
    let Some(run) = provenance.runs.last() else { return Ok(files) };
    if let Some(first) = &run.first_genomes {
        first.read(folder)?;
        files.push((SoundFile::FirstGenomes, first.path(folder)));
    }
    for data in &run.data_files {
        data.check(folder)?;
        files.push((SoundFile::Data, data.path(folder)));
    }
    Ok(files)
}
