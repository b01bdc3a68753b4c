//! One table in one Parquet file, written in row groups.

use crate::parquet::{EncodedGroup, Frame, FrameError, ParquetWriter, Schema};
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::row::Row;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::atomic::{create, rename};
use crate::results::storage::checksum::{Checksum, ChecksummedFile};
use crate::results::storage::metadata::{Origin, TableMetadata};
use crate::results::storage::reader::{Refusal, TableReader};
use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle, available_parallelism};

/// Maximum number of rows per row group.
pub(crate) const GROUP_ROWS: usize = 50_000;
/// Genes, or what weighs as much, from which on a row group ends: bounds the memory of a group.
const GROUP_WEIGHT: usize = 1 << 22;
/// Number of rows from which on a row group ends with its arm, so that an arm can be read alone.
const ARM_ROWS: usize = 4_096;
/// Maximum number of row groups of a table that are encoded at a time.
const MOST_ENCODED: usize = 2;

/// Writes frames, a row group each, to an unfinished file beside `path`.
pub(crate) struct FrameWriter {
    path: PathBuf,
    unfinished: PathBuf,
    file: ChecksummedFile,
    writer: ParquetWriter<ChecksummedFile>,
    rows: usize,
}

impl FrameWriter {
    pub(crate) fn create(
        path: &Path,
        schema: &Schema,
        metadata: Vec<(String, String)>,
    ) -> Result<Self, ResultsError> {
        let (unfinished, file) = create(path)?;
        let file = ChecksummedFile::new(file);
        let writer = ParquetWriter::new(file.clone(), schema, metadata)
            .map_err(|error| unwritable(path, &error))?;
        Ok(FrameWriter { path: path.to_owned(), unfinished, file, writer, rows: 0 })
    }

    /// Adds a row group; no rows, no group.
    pub(crate) fn write(&mut self, frame: &Frame) -> Result<(), ResultsError> {
        let group = self.writer.encode(frame);
        self.write_group(frame.height(), group)
    }

    fn write_group(
        &mut self,
        rows: usize,
        group: Result<EncodedGroup, FrameError>,
    ) -> Result<(), ResultsError> {
        let written = group.and_then(|group| self.writer.write_group(group));
        self.rows += rows;
        written.map_err(|error| unwritable(&self.path, &error))
    }

    /// Ends the file and puts its bytes on the disk; the table appears once [`Written::publish`] is
    /// called.
    pub(crate) fn finish(self) -> Result<Written, ResultsError> {
        let writing = |source| ResultsError::writing(&self.unfinished, "write the file")(source);
        self.file.begin_end().map_err(writing)?;
        self.writer.finish().map_err(|error| unwritable(&self.path, &error))?;
        let checksum = self.file.end().map_err(writing)?;
        Ok(Written { path: self.path, unfinished: self.unfinished, checksum, rows: self.rows })
    }
}

fn unwritable(path: &Path, error: &FrameError) -> ResultsError {
    ResultsError::Unwritable { path: path.to_owned(), message: error.to_string() }
}

/// A file whose bytes are on the disk under its unfinished name.
#[must_use = "the file appears only when it is published"]
pub(crate) struct Written {
    path: PathBuf,
    unfinished: PathBuf,
    pub checksum: Checksum,
    rows: usize,
}

impl Written {
    /// Reads the file once more: the disk must have what was written.
    pub(crate) fn check(&self, table: Table) -> Result<(), ResultsError> {
        let reader =
            TableReader::open(&self.unfinished, table).map_err(|refusal| match refusal {
                Refusal::Damaged(message) => {
                    ResultsError::Unwritable { path: self.path.clone(), message }
                }
                other => other.into_error(&self.unfinished),
            })?;
        if reader.rows() == self.rows && reader.checksum == self.checksum {
            return Ok(());
        }
        let message = format!("{} rows were written and {} can be read", self.rows, reader.rows());
        Err(ResultsError::Unwritable { path: self.path.clone(), message })
    }

    /// Gives the file its name, in place of what had it before.
    pub(crate) fn publish(self) -> Result<(), ResultsError> {
        rename(&self.unfinished, &self.path)
    }
}

/// Writes rows in the order given. Where row groups end follows from the rows alone, so that the
/// bytes of a table do not depend on how its rows came. Groups are encoded by other threads.
pub(crate) struct RowWriter<R> {
    frames: FrameWriter,
    schema: Arc<TableSchema>,
    rows: Vec<R>,
    weight: usize,
    /// Groups on their way to the file, in order, with their number of rows.
    encoding: VecDeque<(usize, JoinHandle<Result<EncodedGroup, FrameError>>)>,
    /// Maximum number of them.
    most: usize,
}

impl<R: Row> RowWriter<R> {
    pub(crate) fn create(
        path: &Path,
        schema: &Arc<TableSchema>,
        origin: &Origin,
    ) -> Result<Self, ResultsError> {
        let empty = R::frame(&[], schema).map_err(|error| unwritable(path, &error))?;
        let metadata = TableMetadata::new(R::TABLE, schema.trace, origin.clone(), None);
        let pairs = metadata.key_values(R::TABLE, schema);
        let cores = available_parallelism().map_or(1, NonZero::get);
        Ok(RowWriter {
            frames: FrameWriter::create(path, empty.schema(), pairs)?,
            schema: Arc::clone(schema),
            rows: Vec::new(),
            weight: 0,
            encoding: VecDeque::new(),
            most: (cores / 2).clamp(1, MOST_ENCODED),
        })
    }

    pub(crate) fn push(&mut self, row: R) -> Result<(), ResultsError> {
        if self.rows.len() >= ARM_ROWS
            && self.rows.last().is_some_and(|last| last.key().0 != row.key().0)
        {
            self.end_group()?;
        }
        self.weight += row.weight();
        self.rows.push(row);
        if self.rows.len() >= GROUP_ROWS || self.weight >= GROUP_WEIGHT {
            self.end_group()?;
        }
        Ok(())
    }

    /// Has the rows encoded by a thread; where the system has none to spare, by this one.
    fn end_group(&mut self) -> Result<(), ResultsError> {
        let frame = R::frame(&self.rows, &self.schema)
            .map_err(|error| unwritable(&self.frames.path, &error))?;
        self.rows.clear();
        self.weight = 0;
        if self.encoding.len() >= self.most {
            self.write_first()?;
        }
        let (encoder, own) = (self.frames.writer.clone(), frame.clone());
        match Builder::new().name("encode".to_owned()).spawn(move || encoder.encode(&own)) {
            Ok(thread) => self.encoding.push_back((frame.height(), thread)),
            Err(_) => {
                self.write_all()?;
                self.frames.write(&frame)?;
            }
        }
        Ok(())
    }

    /// Writes the group that was begun first; false if there is none.
    fn write_first(&mut self) -> Result<bool, ResultsError> {
        let Some((rows, thread)) = self.encoding.pop_front() else { return Ok(false) };
        let group = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        self.frames.write_group(rows, group).map(|()| true)
    }

    fn write_all(&mut self) -> Result<(), ResultsError> {
        while self.write_first()? {}
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<Written, ResultsError> {
        if !self.rows.is_empty() {
            self.end_group()?;
        }
        self.write_all()?;
        self.frames.finish()
    }
}

/// Writes a table of one row group that is small enough to be a frame already.
pub(crate) fn write_frame(
    path: &Path,
    table: Table,
    frame: &Frame,
    schema: &TableSchema,
    metadata: &TableMetadata,
) -> Result<Written, ResultsError> {
    let mut writer = FrameWriter::create(path, frame.schema(), metadata.key_values(table, schema))?;
    writer.write(frame)?;
    writer.finish()
}
