//! Reading Parquet.
//!
//! Files are read, not mapped into memory: an error of the disk is then an error of the call, and
//! never looks like damage.

use super::column::Column;
use super::error::ReadError;
use super::frame::{Frame, Schema};
use super::row_group::RowGroup;
use polars_arrow::array::Array;
use polars_arrow::compute::concatenate::concatenate;
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_buffer::Buffer;
use polars_parquet::parquet::compression::Compression;
use polars_parquet::read::{
    BasicDecompressor, ColumnChunkMetadata, FileMetadata, PageReader, column_iter_to_arrays,
    infer_schema, read_metadata,
};
use polars_parquet::write::CompressedPage;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A file of Parquet, read a row group at a time.
pub struct ParquetReader {
    file: File,
    footer: FileMetadata,
    schema: Schema,
}

impl ParquetReader {
    /// Reads the footer.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn open(mut file: File) -> Result<Self, ReadError> {
        let footer = guarded(|| read_metadata(&mut file).map_err(words));
        Self::with(file, footer.map_err(ReadError::Damaged)?).map_err(ReadError::Damaged)
    }

    /// `footer`: the file's last bytes, as far as they are its footer.
    ///
    /// # Errors
    /// In words, if it is none.
    pub(crate) fn with_footer(file: File, footer: Vec<u8>) -> Result<Self, String> {
        let footer = guarded(|| read_metadata(&mut Cursor::new(footer)).map_err(words))?;
        Self::with(file, footer)
    }

    fn with(file: File, footer: FileMetadata) -> Result<Self, String> {
        let schema = guarded(|| infer_schema(&footer).map_err(words))?;
        Ok(ParquetReader { file, footer, schema })
    }

    /// The columns of the file.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Whether a column has lists of real numbers.
    pub(crate) fn has_real_lists(&self, column: &str) -> bool {
        let kind = self.schema.get(column).map(|field| &field.dtype);
        kind.and_then(ArrowDataType::inner_dtype) == Some(&ArrowDataType::Float64)
    }

    /// The number of row groups.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.footer.row_groups.len()
    }

    /// The number of rows of a group.
    #[must_use]
    pub fn rows_of(&self, group: usize) -> usize {
        self.footer.row_groups[group].num_rows()
    }

    /// The names and values of the file's own metadata.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.footer.key_value_metadata.iter().flatten();
        pairs.map(|pair| (pair.key.as_str(), pair.value.as_deref().unwrap_or_default()))
    }

    /// The rows of one group. `columns`: these alone, otherwise all.
    ///
    /// # Errors
    /// If they cannot be read, or are no such rows.
    pub fn group(&self, group: usize, columns: Option<&[&str]>) -> Result<Frame, ReadError> {
        let chosen = &self.footer.row_groups[group];
        let mut found = Vec::new();
        for (name, field) in self.schema.iter() {
            if columns.is_some_and(|columns| !columns.contains(&name.as_str())) {
                continue;
            }
            let mut chunks = Vec::new();
            for chunk in chosen.columns_under_root_iter(name).into_iter().flatten() {
                chunks.push((chunk, self.bytes(chunk)?));
            }
            let values = guarded(|| decode(field, chunks)).map_err(ReadError::Damaged)?;
            found.push(Column::new(name, values));
        }
        Frame::new(chosen.num_rows(), found).map_err(|error| ReadError::Damaged(words(error)))
    }

    /// The rows of one group as they are in the file.
    pub(crate) fn encoded(&self, group: usize) -> Result<RowGroup, ReadError> {
        let chosen = &self.footer.row_groups[group];
        let rows = chosen.num_rows();
        let mut columns = Vec::new();
        for chunk in chosen.parquet_columns() {
            let bytes = self.bytes(chunk)?;
            columns.push(guarded(|| pages(chunk, bytes, rows)).map_err(ReadError::Damaged)?);
        }
        Ok(RowGroup { rows, columns })
    }

    /// Whether all columns of a group are compressed with zstd.
    pub(crate) fn is_zstd(&self, group: usize) -> bool {
        let columns = self.footer.row_groups[group].parquet_columns();
        columns.iter().all(|chunk| chunk.compression() == Compression::Zstd)
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
}

/// A column of a row group from the bytes of its chunks.
fn decode(
    field: &Field,
    chunks: Vec<(&ColumnChunkMetadata, Vec<u8>)>,
) -> Result<Box<dyn Array>, String> {
    let pages = |(chunk, bytes): (_, Vec<u8>)| {
        let reader =
            PageReader::new(Cursor::new(Buffer::from_vec(bytes)), chunk, Vec::new(), usize::MAX);
        (BasicDecompressor::new(reader, Vec::new()), &chunk.descriptor().descriptor.primitive_type)
    };
    let (columns, types) = chunks.into_iter().map(pages).unzip();
    let (mut arrays, _) =
        column_iter_to_arrays(columns, types, field.clone(), None).map_err(words)?;
    match (arrays.len(), arrays.pop()) {
        (1, Some(only)) => Ok(only),
        (_, Some(last)) => {
            arrays.push(last);
            concatenate(&arrays.iter().map(|array| &**array).collect::<Vec<_>>()).map_err(words)
        }
        (_, None) => Err("it has no pages".to_owned()),
    }
}

/// The pages of a column chunk, whose row group has so many rows.
fn pages(
    chunk: &ColumnChunkMetadata,
    bytes: Vec<u8>,
    rows: usize,
) -> Result<Vec<CompressedPage>, String> {
    let bytes = Cursor::new(Buffer::from_vec(bytes));
    let mut whole = Some(rows);
    PageReader::new(bytes, chunk, Vec::new(), usize::MAX)
        .map(|page| {
            let mut page = page.map_err(words)?;
            if let CompressedPage::Data(page) = &mut page {
                let rows = whole.take();
                page.num_rows = Some(rows.ok_or("a column has several pages in a row group")?);
            }
            Ok(page)
        })
        .collect()
}

fn words(error: impl Display) -> String {
    error.to_string()
}

/// Runs a read of bytes that may be broken: Polars answers some of them with a panic.
fn guarded<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err("its pages are damaged".to_owned()))
}
