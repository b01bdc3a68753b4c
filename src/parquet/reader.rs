//! Reading Parquet.
//!
//! Files are read, not mapped into memory: an error of the disk is then an error of the call, and
//! never looks like damage.

use super::column::Column;
use super::error::ReadError;
use super::footer::{Footer, footer_of};
use super::frame::{Frame, Schema};
use super::pages;
use super::thrift::{words, worth};
use crate::system::{expected_panic, regular};
use polars_arrow::array::Array;
use polars_arrow::compute::concatenate::concatenate;
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_buffer::Buffer;
use polars_parquet::read::{
    BasicDecompressor, ColumnChunkMetadata, PageReader, column_iter_to_arrays, infer_schema,
};
use std::fs::File;
use std::io::{self, Cursor};
use std::ops::Range;

/// A file of Parquet, read a row group at a time.
pub struct ParquetReader {
    file: File,
    /// Its bytes.
    length: u64,
    footer: Footer,
    schema: Schema,
}

impl ParquetReader {
    /// Reads the footer.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn open(mut file: File) -> Result<Self, ReadError> {
        let footer = footer_of(&mut file)?.map_err(ReadError::Damaged)?;
        Self::with_footer(file, &footer)
    }

    /// `footer`: the file's last bytes, as far as they are its footer.
    ///
    /// # Errors
    /// If it is none.
    pub(crate) fn with_footer(file: File, footer: &[u8]) -> Result<Self, ReadError> {
        let footer = guarded(|| Footer::of(footer)).map_err(ReadError::Damaged)?;
        let schema = guarded(|| infer_schema(&footer.file).map_err(words));
        let schema = schema.map_err(ReadError::Damaged)?;
        if footer.file.schema_descr.fields().len() != schema.len() {
            return Err(ReadError::Damaged("two of its columns have one name".to_owned()));
        }
        let length = file.metadata()?.len();
        Ok(ParquetReader { file, length, footer, schema })
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
        self.footer.groups()
    }

    /// The number of rows of a group.
    #[must_use]
    pub fn rows_of(&self, group: usize) -> usize {
        self.footer.rows_of(group)
    }

    /// The names and values of the file's own metadata.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.footer.file.key_value_metadata.iter().flatten();
        pairs.map(|pair| (pair.key.as_str(), pair.value.as_deref().unwrap_or_default()))
    }

    /// The rows of one group. `columns`: these alone, otherwise all.
    ///
    /// # Errors
    /// If they cannot be read, or are no such rows.
    pub fn group(&self, group: usize, columns: Option<&[&str]>) -> Result<Frame, ReadError> {
        let chosen = guarded(|| self.footer.group(group)).map_err(ReadError::Damaged)?;
        let mut found = Vec::new();
        for (name, field) in self.schema.iter() {
            if columns.is_some_and(|columns| !columns.contains(&name.as_str())) {
                continue;
            }
            let mut chunks = Vec::new();
            for chunk in chosen.columns_under_root_iter(name).into_iter().flatten() {
                chunks.push((chunk, self.bytes(chunk)?));
            }
            let values =
                guarded(|| decode(field, chosen.num_rows(), chunks)).map_err(ReadError::Damaged)?;
            found.push(Column::new(name, values));
        }
        Frame::new(chosen.num_rows(), found).map_err(|error| ReadError::Damaged(words(error)))
    }

    fn bytes(&self, chunk: &ColumnChunkMetadata) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        // What the footer says may be none: Polars does not expect that.
        let place = guarded(|| Ok(chunk.byte_range())).map_err(io::Error::other)?;
        self.append(place, &mut bytes)?;
        Ok(bytes)
    }

    /// Appends bytes of the file; no more than it has, whatever its footer says.
    fn append(&self, place: Range<u64>, into: &mut Vec<u8>) -> io::Result<()> {
        if place.end > self.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let before = into.len();
        let length = usize::try_from(place.end - place.start).map_err(io::Error::other)?;
        into.resize(before + length, 0);
        regular::read_at(&self.file, &mut into[before..], place.start)
    }
}

/// A column of a row group with so many rows from the bytes of its chunks.
fn decode(
    field: &Field,
    rows: usize,
    chunks: Vec<(&ColumnChunkMetadata, Vec<u8>)>,
) -> Result<Box<dyn Array>, String> {
    for (chunk, bytes) in &chunks {
        pages::check(bytes, chunk, rows)?;
    }
    let pages = |(chunk, bytes): (_, Vec<u8>)| {
        let (most, bytes) = (worth(&bytes), Cursor::new(Buffer::from_vec(bytes)));
        let reader = PageReader::new(bytes, chunk, Vec::new(), most);
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

/// Runs a read of bytes that may be broken: Polars answers some of them with a panic.
fn guarded<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    expected_panic::catch(read).unwrap_or_else(|| Err("its pages are damaged".to_owned()))
}
