//! One table in one Parquet file, written in row groups.

use crate::parquet::{Compression, Frame, FrameError, ParquetWriter, RowGroup, Schema};
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::row::Row;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::atomic::{create, rename};
use crate::results::storage::checksum::{Checksum, ChecksummedFile};
use crate::results::storage::metadata::{Origin, TableMetadata};
use crate::results::storage::reader::{Refusal, TableReader};
use std::path::{Path, PathBuf};

/// Rows of an arm that make it worth to open a shard's file for them alone.
pub(crate) const ARM_ROWS: usize = 512;

/// Trials of an arm that make a block: those whose numbers begin with a multiple of it. A block is
/// a row group of its own in a finished table where nothing comes between, so that it can be
/// encoded once, by whatever thread, and goes from file to file as it is. Round, since numbers of
/// trials are.
pub(crate) const BLOCK: usize = 50_000;

/// When a row group ends. By content alone, so that a table's bytes do not depend on how its rows
/// came.
#[derive(Clone, Copy)]
pub(crate) struct GroupSize {
    rows: usize,
    weight: usize,
    /// Rows after which a group ends with its arm, so that an arm can be read alone; none: arms do
    /// not matter.
    arm: Option<usize>,
    compression: Compression,
}

impl GroupSize {
    /// Finished tables: large groups, which readers like; zstd. A group ends with its arm if it is
    /// not small, so that the next one begins with a block.
    pub(crate) const TABLE: GroupSize = GroupSize {
        rows: BLOCK,
        weight: 1 << 22,
        arm: Some(4_096),
        compression: Compression::Zstd,
    };
    /// Finished shards: groups of a middling size, since many are open at once when they are
    /// merged; the fastest codec.
    pub(crate) const SHARD: GroupSize = GroupSize {
        rows: 16_384,
        weight: 1 << 20,
        arm: Some(ARM_ROWS),
        compression: Compression::Lz4,
    };
    /// Part files: small groups, because dozens of them are open at once when they are merged; the
    /// fastest codec.
    pub(crate) const PART: GroupSize =
        GroupSize { rows: 4_096, weight: 1 << 18, arm: None, compression: Compression::Lz4 };

    /// Whether a file of such groups may have blocks as finished tables have them.
    pub(crate) fn takes_blocks(self) -> bool {
        self.rows != Self::SHARD.rows
    }

    /// Whether rows of this weight in all make one group, if they are not too many.
    pub(crate) fn holds(self, weight: usize) -> bool {
        weight < self.weight
    }

    /// Whether a group of so many rows ends between two rows.
    fn ends_between<R: Row>(self, rows: usize, before: &R, after: &R) -> bool {
        self.arm.is_some_and(|least| rows >= least) && before.key().0 != after.key().0
    }
}

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
        schema: Schema,
        metadata: Vec<(String, String)>,
        size: GroupSize,
    ) -> Result<Self, ResultsError> {
        let (unfinished, file) = create(path)?;
        let file = ChecksummedFile::new(file);
        let writer = ParquetWriter::new(file.clone(), schema, size.compression, metadata)
            .map_err(|error| unwritable(path, &error))?;
        Ok(FrameWriter { path: path.to_owned(), unfinished, file, writer, rows: 0 })
    }

    /// Adds a row group; no rows, no group.
    pub(crate) fn write(&mut self, frame: &Frame) -> Result<(), ResultsError> {
        self.rows += frame.height();
        self.writer.write(frame).map_err(|error| unwritable(&self.path, &error))
    }

    /// Adds a row group from another file with the same columns.
    pub(crate) fn write_encoded(&mut self, group: &RowGroup) -> Result<(), ResultsError> {
        self.rows += group.rows;
        self.writer.write_encoded(group).map_err(|error| unwritable(&self.path, &error))
    }

    /// Ends the file and puts its bytes on the disk; the table appears once [`Written::publish`] is
    /// called.
    pub(crate) fn finish(mut self) -> Result<Written, ResultsError> {
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

/// Writes rows in the order given, cut into row groups.
pub(crate) struct RowWriter<'a, R> {
    frames: FrameWriter,
    schema: &'a TableSchema,
    size: GroupSize,
    rows: Vec<R>,
    weight: usize,
}

impl<'a, R: Row> RowWriter<'a, R> {
    pub(crate) fn create(
        path: &Path,
        schema: &'a TableSchema,
        origin: &Origin,
        size: GroupSize,
    ) -> Result<Self, ResultsError> {
        let empty = R::frame(&[], schema).map_err(|error| unwritable(path, &error))?;
        let metadata = TableMetadata::new(R::TABLE, schema.trace, origin.clone(), None);
        let frames =
            FrameWriter::create(path, empty.schema(), metadata.key_values(R::TABLE, schema), size)?;
        Ok(RowWriter { frames, schema, size, rows: Vec::new(), weight: 0 })
    }

    pub(crate) fn push(&mut self, row: R) -> Result<(), ResultsError> {
        if let Some(last) = self.rows.last()
            && self.size.ends_between(self.rows.len(), last, &row)
        {
            self.write_group()?;
        }
        self.weight += row.weight();
        self.rows.push(row);
        if self.rows.len() >= self.size.rows || self.weight >= self.size.weight {
            self.write_group()?;
        }
        Ok(())
    }

    /// Whether a block may come next: no group has been begun.
    pub(crate) fn takes_block(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds the rows of a block, encoded as in a finished table.
    pub(crate) fn push_block(&mut self, block: &RowGroup) -> Result<(), ResultsError> {
        self.frames.write_encoded(block)
    }

    fn write_group(&mut self) -> Result<(), ResultsError> {
        let frame = R::frame(&self.rows, self.schema)
            .map_err(|error| unwritable(&self.frames.path, &error))?;
        self.rows.clear();
        self.weight = 0;
        self.frames.write(&frame)
    }

    pub(crate) fn finish(mut self) -> Result<Written, ResultsError> {
        if !self.rows.is_empty() {
            self.write_group()?;
        }
        self.frames.finish()
    }
}

/// Writes rows that are all at hand, cut into row groups as [`RowWriter`] cuts them.
pub(crate) fn write_rows<R: Row>(
    path: &Path,
    rows: &[R],
    schema: &TableSchema,
    origin: &Origin,
    size: GroupSize,
) -> Result<Written, ResultsError> {
    let frame = |rows: &[R]| R::frame(rows, schema).map_err(|error| unwritable(path, &error));
    let metadata = TableMetadata::new(R::TABLE, schema.trace, origin.clone(), None);
    let mut frames = FrameWriter::create(
        path,
        frame(&[])?.schema(),
        metadata.key_values(R::TABLE, schema),
        size,
    )?;
    let (mut first, mut weight) = (0, 0);
    for (place, row) in rows.iter().enumerate() {
        weight += row.weight();
        let group = place + 1 - first;
        let ends = rows.get(place + 1).is_none_or(|next| size.ends_between(group, row, next));
        if group >= size.rows || weight >= size.weight || ends {
            frames.write(&frame(&rows[first..=place])?)?;
            (first, weight) = (place + 1, 0);
        }
    }
    frames.finish()
}

/// Writes a table of one row group that is small enough to be a frame already.
pub(crate) fn write_frame(
    path: &Path,
    table: Table,
    frame: &Frame,
    schema: &TableSchema,
    metadata: &TableMetadata,
) -> Result<Written, ResultsError> {
    let mut writer = FrameWriter::create(
        path,
        frame.schema(),
        metadata.key_values(table, schema),
        GroupSize::TABLE,
    )?;
    writer.write(frame)?;
    writer.finish()
}
