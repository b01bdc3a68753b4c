//! One table in one Parquet file, read a row group at a time.
//!
//! Files are read, not mapped into memory: an error of the disk is then an error of the call, and
//! never looks like damage.

use crate::results::error::ResultsError;
use crate::results::schema::columns::{FORMAT, Table};
use crate::results::storage::checksum::{self, Checked, Checksum};
use crate::results::storage::metadata::TableMetadata;
use crate::results::storage::regular;
use polars::prelude::*;
use polars_buffer::Buffer;
use polars_parquet::read::{
    BasicDecompressor, ColumnChunkMetadata, FileMetadata, PageReader, column_iter_to_arrays,
    infer_schema, read_metadata,
};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Why a file could not be opened as a table.
#[derive(Debug)]
pub(crate) enum Refusal {
    Missing,
    /// Its bytes are not those that were written, or not a table of this kind: in words.
    Damaged(String),
    /// What says nothing about the file, such as an error of the system.
    Other(ResultsError),
}

impl From<ResultsError> for Refusal {
    fn from(error: ResultsError) -> Self {
        Refusal::Other(error)
    }
}

impl Refusal {
    pub(crate) fn into_error(self, path: &Path) -> ResultsError {
        match self {
            Refusal::Missing => ResultsError::reading(path, "open the table")(io::Error::from(
                io::ErrorKind::NotFound,
            )),
            Refusal::Damaged(message) => {
                ResultsError::Unreadable { path: path.to_owned(), message }
            }
            Refusal::Other(error) => error,
        }
    }
}

/// A table's file, open for reading. Stays readable while the writer replaces or removes the file.
pub(crate) struct TableReader {
    pub path: PathBuf,
    pub metadata: TableMetadata,
    pub schema: Schema,
    /// Names the content.
    pub checksum: Checksum,
    fields: ArrowSchema,
    file: File,
    footer: FileMetadata,
    /// First row of each group, then the number of rows.
    starts: Vec<usize>,
}

impl TableReader {
    /// Opens a table and looks whether its bytes are those that were written.
    pub(crate) fn open(path: &Path, table: Table) -> Result<Self, Refusal> {
        Self::open_checked(path, table, checksum::check)
    }

    /// Opens a table without a look at its bytes: for a report on the way, which is renewed.
    pub(crate) fn peek(path: &Path, table: Table) -> Result<Self, Refusal> {
        Self::open_checked(path, table, checksum::read)
    }

    /// Opens a table again whose bytes were looked at right before.
    pub(crate) fn reopen(path: &Path, table: Table, checksum: Checksum) -> Result<Self, Refusal> {
        let reader = Self::open_checked(path, table, checksum::read)?;
        match reader.checksum == checksum {
            true => Ok(reader),
            false => Err(Refusal::Damaged("it was replaced while it was read".to_owned())),
        }
    }

    fn open_checked(
        path: &Path,
        table: Table,
        check: fn(&File) -> io::Result<Checked>,
    ) -> Result<Self, Refusal> {
        let file = match regular::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Refusal::Missing),
            Err(error) => {
                return Err(Refusal::Other(ResultsError::reading(path, "open the table")(error)));
            }
        };
        let (footer, checksum) = match check(&file) {
            Ok(Checked::Sound { footer, checksum }) => (footer, checksum),
            Ok(Checked::Broken(message)) => return Err(Refusal::Damaged(message.to_owned())),
            Err(error) => {
                return Err(Refusal::Other(ResultsError::reading(path, "read the table")(error)));
            }
        };
        let (footer, fields) = guarded(|| {
            let footer = read_metadata(&mut Cursor::new(footer))?;
            let fields = infer_schema(&footer)?;
            Ok((footer, fields))
        })
        .map_err(Refusal::Damaged)?;
        let metadata = TableMetadata::of(&footer)
            .ok_or_else(|| Refusal::Damaged("it has no runner metadata".to_owned()))?;
        if metadata.format != FORMAT {
            let (path, found) = (path.to_owned(), metadata.format.to_string());
            return Err(Refusal::Other(ResultsError::Format { path, found, known: FORMAT }));
        }
        if metadata.table != table.as_str() {
            return Err(Refusal::Damaged(format!(
                "it contains the table {}, not {table}",
                metadata.table
            )));
        }
        let schema = Schema::from_arrow_schema(&fields);
        let names = table.columns().iter().map(|column| column.name);
        if let Some(missing) = names.into_iter().find(|name| !schema.contains(name)) {
            return Err(Refusal::Damaged(format!("the column `{missing}` is missing")));
        }
        let mut starts = vec![0];
        for group in &footer.row_groups {
            starts.push(starts[starts.len() - 1] + group.num_rows());
        }
        Ok(TableReader {
            path: path.to_owned(),
            metadata,
            schema,
            checksum,
            fields,
            file,
            footer,
            starts,
        })
    }

    pub(crate) fn rows(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    pub(crate) fn groups(&self) -> usize {
        self.starts.len() - 1
    }

    /// The first row of a group.
    pub(crate) fn start(&self, group: usize) -> usize {
        self.starts[group]
    }

    /// The group that holds a row, and the first row of that group.
    pub(crate) fn group_of(&self, row: usize) -> (usize, usize) {
        let group = self.starts.partition_point(|&start| start <= row) - 1;
        (group, self.starts[group])
    }

    /// The rows of one group. `columns`: these alone, otherwise all.
    pub(crate) fn group(
        &self,
        group: usize,
        columns: Option<&[&str]>,
    ) -> Result<DataFrame, ResultsError> {
        let chosen = &self.footer.row_groups[group];
        let mut found = Vec::new();
        for (name, field) in self.fields.iter() {
            if columns.is_some_and(|columns| !columns.contains(&name.as_str())) {
                continue;
            }
            let mut chunks = Vec::new();
            for chunk in chosen.columns_under_root_iter(name).into_iter().flatten() {
                let bytes = self
                    .bytes(chunk)
                    .map_err(ResultsError::reading(&self.path, "read the table"))?;
                chunks.push((chunk, bytes));
            }
            let series =
                guarded(|| decode(field, chunks)).map_err(|message| self.damaged(message))?;
            found.push(series.into_column());
        }
        DataFrame::new(chosen.num_rows(), found).map_err(|error| self.damaged(error.to_string()))
    }

    fn bytes(&self, chunk: &ColumnChunkMetadata) -> io::Result<Vec<u8>> {
        let range = chunk.byte_range();
        let length = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        let mut file = &self.file;
        file.seek(SeekFrom::Start(range.start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn damaged(&self, message: String) -> ResultsError {
        ResultsError::Unreadable { path: self.path.clone(), message }
    }

    /// The file's own metadata, for a copy of some of its rows.
    pub(crate) fn key_values(&self) -> KeyValueMetadata {
        let pairs = self.footer.key_value_metadata.iter().flatten();
        let ours = pairs.filter(|pair| pair.key == "runner" || pair.key == "columns");
        KeyValueMetadata::from_static(
            ours.map(|pair| (pair.key.clone(), pair.value.clone().unwrap_or_default())).collect(),
        )
    }
}

/// A column of a row group from the bytes of its chunks.
fn decode(
    field: &ArrowField,
    chunks: Vec<(&ColumnChunkMetadata, Vec<u8>)>,
) -> PolarsResult<Series> {
    let pages = |(chunk, bytes): (_, Vec<u8>)| {
        let reader =
            PageReader::new(Cursor::new(Buffer::from_vec(bytes)), chunk, Vec::new(), usize::MAX);
        (BasicDecompressor::new(reader, Vec::new()), &chunk.descriptor().descriptor.primitive_type)
    };
    let (columns, types) = chunks.into_iter().map(pages).unzip();
    let (arrays, _) = column_iter_to_arrays(columns, types, field.clone(), None)?;
    Series::try_from((field, arrays))
}

/// Runs a read of bytes that may be broken: Polars answers some of them with a panic.
fn guarded<T>(read: impl FnOnce() -> PolarsResult<T>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("its pages are damaged".to_owned()),
    }
}
