//! Finished tables in pieces: where one file is not wanted, each shard becomes one.

use super::Store;
use crate::analysis::SummaryTable;
use crate::plan::settings::Trace;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::row::{GenerationRow, Row, TimingRow};
use crate::results::storage::atomic::{
    UNFINISHED, remove_folder_if_there, remove_if_there, rename,
};
use crate::results::storage::checksum::Checksum;
use crate::results::storage::completeness::CompletenessCheck;
use crate::results::storage::files::make_folder;
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::TableSet;
use crate::results::storage::merge::merge;
use crate::results::storage::metadata::Origin;
use crate::results::storage::reader::TableReader;
use crate::results::storage::segment::Segment;
use crate::results::storage::store::open_sources;
use crate::results::storage::summary::write_summary;
use crate::results::storage::writer::RowWriter;
use crate::system::host::unique;
use std::path::Path;

impl Store {
    /// Writes the tables like [`finish`](Store::finish), but each segment that was taken in becomes
    /// a piece of the tables.
    ///
    /// # Errors
    /// Returns the errors of [`finish`](Store::finish), and an error if the folder itself has
    /// trials.
    pub(crate) fn finish_in_pieces(mut self) -> Result<SummaryTable, ResultsError> {
        self.settle()?;
        self.must_be_empty()?;
        let origin = self.origin();
        let summary = self.sum_up(&self.guests, &mut |_| ())?;
        let unfinished = self.folder.join(format!("{UNFINISHED}{:016x}", unique()));
        let pieces = self.write_pieces(&unfinished, &origin)?;
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

    /// Returns an error if the folder itself has trials.
    pub(crate) fn must_be_empty(&self) -> Result<(), ResultsError> {
        match self.sets().is_empty() && self.segments.is_empty() && self.journal.length() == 0 {
            true => Ok(()),
            false => Err(ResultsError::NotInPieces { folder: self.folder.clone() }),
        }
    }

    /// Returns the summary of the trials of these segments and of its own tables, each of which is
    /// looked at. `report` as in [`finish`](Store::finish).
    pub(super) fn sum_up(
        &self,
        segments: &[Segment],
        report: &mut dyn FnMut(f64),
    ) -> Result<SummaryTable, ResultsError> {
        let mut check = CompletenessCheck::new(&self.spec, report);
        let figures = self.add_up(segments, &mut check, |_| Ok(()))?;
        let traced = match self.schema.trace {
            Trace::None => None,
            _ => Some(self.look_at_traces(segments, &mut check, |_| Ok(()))?),
        };
        check.finish(&self.folder)?;
        Ok(self.summary(figures, traced))
    }

    /// Writes a piece of each table per segment into an unfinished folder.
    fn write_pieces(
        &self,
        unfinished: &Path,
        origin: &Origin,
    ) -> Result<Vec<TableSet>, ResultsError> {
        let is_there = |table| table != Table::Generations || self.schema.trace != Trace::None;
        for table in TableSet::APPEARING.into_iter().filter(|table| is_there(*table)) {
            make_folder(&unfinished.join(table.as_str()))?;
        }
        let mut pieces = Vec::with_capacity(self.guests.len());
        let mut written = Finished::new(self.schema.arms.len());
        for guest in &self.guests {
            let mut own = Finished::new(self.schema.arms.len());
            let piece = TableSet::piece(unfinished, pieces.len() as u64 + 1);
            self.write_piece(guest, &written, &piece, origin, |trial: &TrialRecord| {
                own.insert(trial.arm, trial.trial);
            })?;
            // Earlier pieces have all of it.
            if own.total() == 0 {
                remove_if_there(&piece.path(Table::Trials))?;
                continue;
            }
            self.write_piece(guest, &written, &piece, origin, |_: &TimingRow| ())?;
            if is_there(Table::Generations) {
                self.write_piece(guest, &written, &piece, origin, |_: &GenerationRow| ())?;
            }
            written.extend(&own);
            pieces.push(piece);
        }
        Ok(pieces)
    }

    /// Writes the rows of a segment but for trials that earlier pieces have. `note` gets each row.
    fn write_piece<R: Row>(
        &self,
        guest: &Segment,
        earlier: &Finished,
        piece: &TableSet,
        origin: &Origin,
        mut note: impl FnMut(&R),
    ) -> Result<(), ResultsError> {
        let mut sources = open_sources::<R>(&[], std::slice::from_ref(guest), &self.schema)?;
        let trials = guest.blocks.iter().map(|block| block.counts.trials).sum();
        let mut writer = RowWriter::create(&piece.path(R::TABLE), &self.schema, origin, trials)?;
        let keep = |arm, trial| !earlier.contains(arm, trial);
        merge(&mut sources, self.schema.arms.len(), keep, |row| {
            note(&row);
            writer.push(row)
        })?;
        let written = writer.finish()?;
        written.check(R::TABLE)?;
        written.publish()
    }
}

/// Names the content of a table in pieces: the BLAKE3 of the checksums of its pieces, in order.
pub(crate) fn checksum_of(pieces: &[TableSet]) -> Result<Checksum, ResultsError> {
    let mut hasher = blake3::Hasher::new();
    for piece in pieces {
        let reader = TableReader::peek(&piece.path(Table::Trials), Table::Trials)?;
        hasher.update(reader.checksum.as_bytes());
    }
    Ok(hasher.finalize())
}
