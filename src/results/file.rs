//! One table in one Parquet file: written atomically in row groups, read a row group at a time.

use super::columns::{FORMAT, SWEPT_DOC, Table};
use super::error::ResultsError;
use super::layout::Shape;
use super::row::Row;
use super::seal;
use crate::experiment::Trace;
use polars::prelude::*;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files that start so are unfinished: a run that was killed left them, and the next one removes them.
pub(crate) const UNFINISHED: &str = ".unfinished-";

/// When a row group ends. By content alone, so that a table's bytes do not depend on how its rows came.
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
    /// Part files: small groups, because dozens of them are open at once when they are merged; the fastest codec.
    pub const PART: GroupSize = GroupSize { rows: 4_096, weight: 1 << 18, compression: ParquetCompression::Lz4Raw };
}

/// What the file says of itself under the key `runner`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Label {
    pub table: String,
    pub format: u32,
    pub version: String,
    /// What the trials' trace holds.
    pub trace: String,
}

impl Label {
    fn new(table: Table, trace: Trace) -> Self {
        Label {
            table: table.word().to_owned(),
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            trace: trace.word().to_owned(),
        }
    }
}

fn metadata(table: Table, shape: &Shape) -> KeyValueMetadata {
    let fixed = table.columns().iter().map(|column| (column.name, column.doc));
    let swept = shape.swept_keys.iter().filter(|_| table.describes_arms()).map(|key| (key.as_str(), SWEPT_DOC));
    // By hand: the order of a JSON map's members depends on the features that serde_json is built with.
    let member = |(name, doc)| format!("{}:{}", serde_json::Value::from(name), serde_json::Value::from(doc));
    let docs = fixed.chain(swept).map(member).collect::<Vec<String>>().join(",");
    let label = serde_json::to_string(&Label::new(table, shape.trace)).expect("a label of strings is JSON");
    KeyValueMetadata::from_static(vec![("runner".to_owned(), label), ("columns".to_owned(), format!("{{{docs}}}"))])
}

/// Writes frames, a row group each, to an unfinished file beside `path`.
pub(crate) struct FrameWriter {
    path: PathBuf,
    unfinished: PathBuf,
    file: Arc<File>,
    writer: BatchedWriter<Arc<File>>,
}

impl FrameWriter {
    pub fn create(
        path: &Path,
        schema: &Schema,
        metadata: KeyValueMetadata,
        size: GroupSize,
    ) -> Result<Self, ResultsError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let unfinished = path.with_file_name(format!("{UNFINISHED}{name}"));
        // To be read again when it is sealed.
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&unfinished);
        let file = Arc::new(file.map_err(ResultsError::writing(&unfinished, "create the file"))?);
        let writer = ParquetWriter::new(Arc::clone(&file))
            .with_compression(size.compression)
            .set_parallel(false)
            .with_key_value_metadata(Some(metadata))
            .batched(schema)
            .map_err(|error| unwritable(path, &error))?;
        Ok(FrameWriter { path: path.to_owned(), unfinished, file, writer })
    }

    /// Adds a row group; no rows, no group.
    pub fn write(&mut self, frame: &DataFrame) -> Result<(), ResultsError> {
        self.writer.write_batch(frame).map_err(|error| unwritable(&self.path, &error))
    }

    /// Ends the file and puts its bytes on the disk; the table appears once [`Written::publish`] is called.
    pub fn finish(self) -> Result<Written, ResultsError> {
        self.writer.finish().map_err(|error| unwritable(&self.path, &error))?;
        seal::seal(&self.file).map_err(ResultsError::writing(&self.unfinished, "seal the file"))?;
        self.file.sync_all().map_err(ResultsError::writing(&self.unfinished, "flush the file"))?;
        Ok(Written { path: self.path, unfinished: self.unfinished })
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
}

impl Written {
    /// Gives the file its name, in place of what had it before.
    pub fn publish(self) -> Result<(), ResultsError> {
        fs::rename(&self.unfinished, &self.path)
            .map_err(ResultsError::writing(&self.path, "rename the finished file"))?;
        sync_folder(&self.path)
    }
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
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = path.with_file_name(format!("{UNFINISHED}{name}"));
    let write = |bytes: &[u8]| -> io::Result<()> {
        let mut file = File::create(&unfinished)?;
        io::Write::write_all(&mut file, bytes)?;
        file.sync_all()
    };
    write(bytes).map_err(ResultsError::writing(&unfinished, "write the file"))?;
    Written { path: path.to_owned(), unfinished: unfinished.clone() }.publish()
}

/// Writes rows in the order given, cut into row groups.
pub(crate) struct RowWriter<'a, R> {
    frames: FrameWriter,
    shape: &'a Shape,
    size: GroupSize,
    rows: Vec<R>,
    weight: usize,
}

impl<'a, R: Row> RowWriter<'a, R> {
    pub fn create(path: &Path, shape: &'a Shape, size: GroupSize) -> Result<Self, ResultsError> {
        let empty = R::frame(&[], shape).map_err(|error| unwritable(path, &error))?;
        let frames = FrameWriter::create(path, empty.schema(), metadata(R::TABLE, shape), size)?;
        Ok(RowWriter { frames, shape, size, rows: Vec::new(), weight: 0 })
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
        let frame = R::frame(&self.rows, self.shape).map_err(|error| unwritable(&self.frames.path, &error))?;
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
    shape: &Shape,
    size: GroupSize,
) -> Result<Written, ResultsError> {
    let frame = |rows: &[R]| R::frame(rows, shape).map_err(|error| unwritable(path, &error));
    let mut frames = FrameWriter::create(path, frame(&[])?.schema(), metadata(R::TABLE, shape), size)?;
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
    shape: &Shape,
) -> Result<Written, ResultsError> {
    let mut writer = FrameWriter::create(path, frame.schema(), metadata(table, shape), GroupSize::TABLE)?;
    writer.write(frame)?;
    writer.finish()
}

/// Why a file could not be opened as a table.
#[derive(Debug)]
pub(crate) enum Refusal {
    Missing,
    /// Truncated, not Parquet, or not with the columns of the table: in words.
    Damaged(String),
    Other(ResultsError),
}

impl Refusal {
    pub fn into_error(self, path: &Path) -> ResultsError {
        match self {
            Refusal::Missing => ResultsError::reading(path, "open the table")(io::Error::from(io::ErrorKind::NotFound)),
            Refusal::Damaged(message) => ResultsError::Unreadable { path: path.to_owned(), message },
            Refusal::Other(error) => error,
        }
    }
}

/// A table's file, open for reading. Stays readable while the writer replaces or removes the file.
pub(crate) struct TableReader {
    pub path: PathBuf,
    pub label: Label,
    pub schema: Schema,
    file: File,
    /// The footer without its row groups, which are below: one is read at a time.
    footer: FileMetadata,
    groups: FileMetadataRef,
    /// First row of each group, then the number of rows.
    starts: Vec<usize>,
}

impl TableReader {
    pub fn open(path: &Path, table: Table) -> Result<Self, Refusal> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Refusal::Missing),
            Err(error) => return Err(Refusal::Other(ResultsError::reading(path, "open the table")(error))),
        };
        match seal::check(&file) {
            Ok(Ok(())) => {}
            Ok(Err(message)) => return Err(Refusal::Damaged(message.to_owned())),
            Err(error) => return Err(Refusal::Other(ResultsError::reading(path, "read the table")(error))),
        }
        let groups = guarded(|| {
            let mut reader = ParquetReader::new(file.try_clone()?);
            let schema = Schema::from_arrow_schema(&*reader.schema()?);
            Ok((Arc::clone(reader.get_metadata()?), schema))
        });
        let (groups, schema) = groups.map_err(Refusal::Damaged)?;
        let label = label(&groups).ok_or_else(|| Refusal::Damaged("it has no runner metadata".to_owned()))?;
        if label.format != FORMAT {
            let (path, found) = (path.to_owned(), label.format.to_string());
            return Err(Refusal::Other(ResultsError::Format { path, found, known: FORMAT }));
        }
        if label.table != table.word() {
            return Err(Refusal::Damaged(format!("it holds the table {}, not {table}", label.table)));
        }
        let names = table.columns().iter().map(|column| column.name);
        if let Some(missing) = names.into_iter().find(|name| !schema.contains(name)) {
            return Err(Refusal::Damaged(format!("the column `{missing}` is missing")));
        }
        let mut starts = vec![0];
        for group in &groups.row_groups {
            starts.push(starts[starts.len() - 1] + group.num_rows());
        }
        let footer = FileMetadata {
            version: groups.version,
            num_rows: 0,
            max_row_group_height: groups.max_row_group_height,
            created_by: None,
            row_groups: Vec::new(),
            key_value_metadata: groups.key_value_metadata.clone(),
            schema_descr: groups.schema_descr.clone(),
            column_orders: groups.column_orders.clone(),
            footer_buf: groups.footer_buf.clone(),
        };
        Ok(TableReader { path: path.to_owned(), label, schema, file, footer, groups, starts })
    }

    pub fn rows(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    pub fn groups(&self) -> usize {
        self.starts.len() - 1
    }

    /// The group that holds a row, and the first row of that group.
    pub fn group_of(&self, row: usize) -> (usize, usize) {
        let group = self.starts.partition_point(|&start| start <= row) - 1;
        (group, self.starts[group])
    }

    /// The rows of one group. `columns`: these alone, otherwise all.
    pub fn group(&self, group: usize, columns: Option<&[&str]>) -> Result<DataFrame, String> {
        guarded(|| {
            let chosen = self.groups.row_groups[group].clone();
            let metadata =
                FileMetadata { num_rows: chosen.num_rows(), row_groups: vec![chosen], ..self.footer.clone() };
            let mut reader = ParquetReader::new(self.file.try_clone()?);
            reader.set_metadata(Arc::new(metadata));
            reader
                .read_parallel(ParallelStrategy::None)
                .with_columns(columns.map(|names| names.iter().map(|&name| name.to_owned()).collect()))
                .finish()
        })
    }

    pub fn damaged(&self, message: String) -> ResultsError {
        ResultsError::Unreadable { path: self.path.clone(), message }
    }

    /// The file's own metadata, for a copy of some of its rows.
    pub fn metadata(&self) -> KeyValueMetadata {
        let pairs = self.groups.key_value_metadata.iter().flatten();
        let ours = pairs.filter(|pair| pair.key == "runner" || pair.key == "columns");
        KeyValueMetadata::from_static(
            ours.map(|pair| (pair.key.clone(), pair.value.clone().unwrap_or_default())).collect(),
        )
    }
}

fn label(metadata: &FileMetadata) -> Option<Label> {
    let pair = metadata.key_value_metadata.iter().flatten().find(|pair| pair.key == "runner")?;
    serde_json::from_str(pair.value.as_deref()?).ok()
}

/// Runs a read of bytes that may be broken: Polars answers some of them with a panic.
fn guarded<T>(read: impl FnOnce() -> PolarsResult<T>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("its pages are broken".to_owned()),
    }
}
