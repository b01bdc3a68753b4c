//! Finished tables in pieces: where one file is not wanted, each shard's file stays one.

use super::Store;
use crate::analysis::SummaryTable;
use crate::plan::settings::Trace;
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::storage::atomic::{UNFINISHED, remove_folder_if_there, rename};
use crate::results::storage::attempt::take;
use crate::results::storage::checksum::Checksum;
use crate::results::storage::completeness::CompletenessCheck;
use crate::results::storage::folder::TableSet;
use crate::results::storage::metadata::Origin;
use crate::results::storage::reader::TableReader;
use crate::results::storage::summary::write_summary;
use crate::system::host::unique;
use std::fs;
use std::path::{Path, PathBuf};

impl Store {
    /// As [`finish`](Store::finish), but each set that was taken in becomes a piece of the tables:
    /// the same files under other names, linked where the file system has links.
    ///
    /// # Errors
    /// As [`finish`](Store::finish); and if the folder has trials of its own.
    pub(crate) fn finish_in_pieces(mut self) -> Result<SummaryTable, ResultsError> {
        self.flush()?;
        if !self.sets().is_empty() {
            return Err(ResultsError::NotInPieces { folder: self.folder });
        }
        let origin = Origin::new(&self.spec, self.plugins.clone());
        let mut check = CompletenessCheck::new(&self.spec);
        let summary = self.sum_up(&mut check)?;
        check.finish(&self.folder)?;
        let unfinished = self.folder.join(format!("{UNFINISHED}{:016x}", unique()));
        let pieces = self.place_pieces(&unfinished)?;
        let path = TableSet::tables(&self.folder).path(Table::Summary);
        let checksum = checksum_of(&pieces)?;
        let written = write_summary(&summary, &path, &self.schema, &origin, checksum)?;
        written.check(Table::Summary)?;
        written.publish()?;
        for table in TableSet::APPEARING {
            let (from, to) = (unfinished.join(table.as_str()), self.folder.join(table.as_str()));
            remove_folder_if_there(&to)?;
            if from.exists() {
                rename(&from, &to)?;
            }
        }
        remove_folder_if_there(&unfinished)?;
        self.end_parts()?;
        Ok(summary)
    }

    /// The summary of all trials, each of which is looked at.
    fn sum_up(&self, check: &mut CompletenessCheck<'_>) -> Result<SummaryTable, ResultsError> {
        let figures = self.add_up(&self.guests, check, |_| Ok(()))?;
        self.look_at_traces(&self.guests, check, |_| Ok(()))?;
        Ok(self.schema.summary(figures))
    }

    /// Puts the files into an unfinished folder.
    fn place_pieces(&self, unfinished: &Path) -> Result<Vec<TableSet>, ResultsError> {
        for table in TableSet::APPEARING {
            if table == Table::Generations && self.schema.trace == Trace::None {
                continue;
            }
            let folder = unfinished.join(table.as_str());
            fs::create_dir_all(&folder)
                .map_err(ResultsError::writing(&folder, "create the folder"))?;
        }
        let mut pieces = Vec::with_capacity(self.guests.len());
        for (guest, number) in self.guests.iter().zip(1..) {
            let piece = TableSet::piece(unfinished, number);
            if !take(guest, &piece)? {
                let path = guest.path(Table::Trials);
                let gone = std::io::Error::from(std::io::ErrorKind::NotFound);
                return Err(ResultsError::reading(&path, "copy the table")(gone));
            }
            pieces.push(piece);
        }
        Ok(pieces)
    }
}

/// Names the content of a table in pieces: the BLAKE3 of the checksums of its pieces, in order.
///
/// # Errors
/// If a piece cannot be read.
pub(crate) fn checksum_of(pieces: &[TableSet]) -> Result<Checksum, ResultsError> {
    let mut hasher = blake3::Hasher::new();
    for piece in pieces {
        let path: PathBuf = piece.path(Table::Trials);
        let reader = TableReader::peek(&path, Table::Trials);
        let reader = reader.map_err(|refusal| refusal.into_error(&path))?;
        hasher.update(reader.checksum.as_bytes());
    }
    Ok(hasher.finalize())
}
