//! Finished tables in pieces: where one file is not wanted, each shard's file stays one.

use super::Store;
use super::tables::open_sources;
use crate::analysis::{ArmAccumulator, SummaryTable};
use crate::plan::settings::Trace;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::row::GenerationRow;
use crate::results::storage::atomic::{UNFINISHED, remove_if_there, rename};
use crate::results::storage::attempt::take;
use crate::results::storage::checksum::Checksum;
use crate::results::storage::completeness::CompletenessCheck;
use crate::results::storage::folder::{JOURNAL, PARTS, PLAN, TableSet};
use crate::results::storage::merge::{merge, merge_arm};
use crate::results::storage::metadata::Origin;
use crate::results::storage::reader::TableReader;
use crate::results::storage::summary::write_summary;
use crate::system::host::unique;
use std::fs;
use std::path::{Path, PathBuf};

/// Tables that are folders; the trials last, since a trial counts once its row is there.
const FOLDERS: [Table; 3] = [Table::Generations, Table::Timings, Table::Trials];

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
        for table in FOLDERS {
            let (from, to) = (unfinished.join(table.as_str()), self.folder.join(table.as_str()));
            remove_folder(&to)?;
            if from.exists() {
                rename(&from, &to)?;
            }
        }
        remove_folder(&unfinished)?;
        let parts = self.folder.join(PARTS);
        remove_if_there(&parts.join(JOURNAL))?;
        remove_if_there(&parts.join(PLAN))?;
        _ = fs::remove_dir(&parts);
        Ok(summary)
    }

    /// The summary of all trials, each of which is looked at.
    fn sum_up(&self, check: &mut CompletenessCheck<'_>) -> Result<SummaryTable, ResultsError> {
        let mut sources = open_sources::<TrialRecord>(&self.guests, &self.schema)?;
        let mut figures = Vec::new();
        for (arm, row) in self.schema.arms.iter().enumerate() {
            let mut accumulator = ArmAccumulator::new(self.schema.baseline_method());
            merge_arm(&mut sources, arm, &|_, _| true, &mut |trial: TrialRecord| {
                check.trial(&trial);
                accumulator.add(&trial);
                Ok::<(), ResultsError>(())
            })?;
            figures.push(accumulator.finish(row.id, self.spec.stopping_rule.as_ref()));
        }
        if self.schema.trace != Trace::None {
            let mut sources = open_sources::<GenerationRow>(&self.guests, &self.schema)?;
            let keep = |_, _| true;
            merge(&mut sources, self.schema.arms.len(), keep, |row: GenerationRow| {
                check.traced(row.arm, row.trial);
                Ok::<(), ResultsError>(())
            })?;
        }
        Ok(self.schema.summary(figures))
    }

    /// Puts the files into an unfinished folder.
    fn place_pieces(&self, unfinished: &Path) -> Result<Vec<TableSet>, ResultsError> {
        for table in FOLDERS {
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

fn remove_folder(folder: &Path) -> Result<(), ResultsError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ResultsError::writing(folder, "remove the folder")(error))
        }
        _ => Ok(()),
    }
}
