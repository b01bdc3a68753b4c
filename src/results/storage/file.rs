//! One table in one Parquet file, written atomically in row groups.

use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::row::Row;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::folder::remove_if_there;
use crate::results::storage::label::{Label, Origin};
use crate::results::storage::reader::{Refusal, TableReader};
use crate::results::storage::regular;
use crate::results::storage::seal::{Seal, SealedFile};
use polars::prelude::*;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Files that start so are unfinished: a run that was killed left them, and the next one removes
/// them.
pub(crate) const UNFINISHED: &str = ".unfinished-";

/// When a row group ends. By content alone, so that a table's bytes do not depend on how its rows
/// came.
#[derive(Clone, Copy)]
pub(crate) struct GroupSize {
    rows: usize,
    weight: usize,
    compression: ParquetCompression,
}

impl GroupSize {
    /// Finished tables: large groups, which readers like; zstd.
    pub const TABLE: GroupSize =
        GroupSize { rows: 65_536, weight: 1 << 22, compression: ParquetCompression::Zstd(None) };
    /// Part files: small groups, because dozens of them are open at once when they are merged; the
    /// fastest codec.
    pub const PART: GroupSize =
        GroupSize { rows: 4_096, weight: 1 << 18, compression: ParquetCompression::Lz4Raw };
}

/// Writes frames, a row group each, to an unfinished file beside `path`.
pub(crate) struct FrameWriter {
    path: PathBuf,
    unfinished: PathBuf,
    file: SealedFile,
    writer: BatchedWriter<SealedFile>,
    rows: usize,
}

/// Makes the file of this name that is to be renamed to `path`, anew.
fn create(path: &Path) -> Result<(PathBuf, File), ResultsError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = path.with_file_name(format!("{UNFINISHED}{name}"));
    remove_if_there(&unfinished)?;
    let file = regular::open_with(&unfinished, File::options().write(true).create_new(true));
    let file = file.map_err(ResultsError::writing(&unfinished, "create the file"))?;
    Ok((unfinished, file))
}

impl FrameWriter {
    pub fn create(
        path: &Path,
        schema: &Schema,
        metadata: KeyValueMetadata,
        size: GroupSize,
    ) -> Result<Self, ResultsError> {
        let (unfinished, file) = create(path)?;
        let file = SealedFile::new(file);
        let writer = ParquetWriter::new(file.clone())
            .with_compression(size.compression)
            .set_parallel(false)
            .with_key_value_metadata(Some(metadata))
            .batched(schema)
            .map_err(|error| unwritable(path, &error))?;
        Ok(FrameWriter { path: path.to_owned(), unfinished, file, writer, rows: 0 })
    }

    /// Adds a row group; no rows, no group.
    pub fn write(&mut self, frame: &DataFrame) -> Result<(), ResultsError> {
        self.rows += frame.height();
        self.writer.write_batch(frame).map_err(|error| unwritable(&self.path, &error))
    }

    /// Ends the file and puts its bytes on the disk; the table appears once [`Written::publish`] is
    /// called.
    pub fn finish(self) -> Result<Written, ResultsError> {
        let writing = |source| ResultsError::writing(&self.unfinished, "write the file")(source);
        self.file.begin_end().map_err(writing)?;
        self.writer.finish().map_err(|error| unwritable(&self.path, &error))?;
        let seal = self.file.seal().map_err(writing)?;
        Ok(Written { path: self.path, unfinished: self.unfinished, seal, rows: self.rows })
    }
}

fn unwritable(path: &Path, error: &PolarsError) -> ResultsError {
    ResultsError::Unwritable { path: path.to_owned(), message: error.to_string() }
}

/// A file whose bytes are on the disk under its unfinished name.
#[must_use = "the file appears only when it is published"]
pub(crate) struct Written {
    path: PathBuf,
    unfinished: PathBuf,
    pub seal: Seal,
    rows: usize,
}

impl Written {
    /// Reads the file once more: the disk must have what was written.
    pub fn check(&self, table: Table) -> Result<(), ResultsError> {
        let reader =
            TableReader::open(&self.unfinished, table).map_err(|refusal| match refusal {
                Refusal::Damaged(message) => {
                    ResultsError::Unwritable { path: self.path.clone(), message }
                }
                other => other.into_error(&self.unfinished),
            })?;
        if reader.rows() == self.rows && reader.seal == self.seal {
            return Ok(());
        }
        let message = format!("{} rows were written and {} can be read", self.rows, reader.rows());
        Err(ResultsError::Unwritable { path: self.path.clone(), message })
    }

    /// Gives the file its name, in place of what had it before.
    pub fn publish(self) -> Result<(), ResultsError> {
        rename(&self.unfinished, &self.path)
    }
}

fn rename(unfinished: &Path, path: &Path) -> Result<(), ResultsError> {
    fs::rename(unfinished, path)
        .map_err(ResultsError::writing(path, "rename the finished file"))?;
    sync_folder(path)
}

/// Puts the names in the folder of `path` on the disk.
pub(crate) fn sync_folder(path: &Path) -> Result<(), ResultsError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    // Windows has no such call, and keeps names safe by itself.
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(ResultsError::writing(folder, "flush the folder"))?;
    }
    Ok(())
}

/// Writes `bytes` to `path` atomically.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), ResultsError> {
    let (unfinished, mut file) = create(path)?;
    let written = io::Write::write_all(&mut file, bytes).and_then(|()| file.sync_all());
    written.map_err(ResultsError::writing(&unfinished, "write the file"))?;
    rename(&unfinished, path)
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
    pub fn create(
        path: &Path,
        schema: &'a TableSchema,
        origin: &Origin,
        size: GroupSize,
    ) -> Result<Self, ResultsError> {
        let empty = R::frame(&[], schema).map_err(|error| unwritable(path, &error))?;
        let label = Label::new(R::TABLE, schema.trace, origin.clone(), None);
        let frames =
            FrameWriter::create(path, empty.schema(), label.metadata(R::TABLE, schema), size)?;
        Ok(RowWriter { frames, schema, size, rows: Vec::new(), weight: 0 })
    }

    pub fn push(&mut self, row: R) -> Result<(), ResultsError> {
        self.weight += row.weight();
        self.rows.push(row);
        if self.rows.len() >= self.size.rows || self.weight >= self.size.weight {
            self.write_group()?;
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ResultsError> {
        let frame = R::frame(&self.rows, self.schema)
            .map_err(|error| unwritable(&self.frames.path, &error))?;
        self.rows.clear();
        self.weight = 0;
        self.frames.write(&frame)
    }

    pub fn finish(mut self) -> Result<Written, ResultsError> {
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
    let label = Label::new(R::TABLE, schema.trace, origin.clone(), None);
    let mut frames =
        FrameWriter::create(path, frame(&[])?.schema(), label.metadata(R::TABLE, schema), size)?;
    let (mut first, mut weight) = (0, 0);
    for (place, row) in rows.iter().enumerate() {
        weight += row.weight();
        if place + 1 - first >= size.rows || weight >= size.weight || place + 1 == rows.len() {
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
    frame: &DataFrame,
    schema: &TableSchema,
    label: &Label,
) -> Result<Written, ResultsError> {
    let mut writer =
        FrameWriter::create(path, frame.schema(), label.metadata(table, schema), GroupSize::TABLE)?;
    writer.write(frame)?;
    writer.finish()
}
