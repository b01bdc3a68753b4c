//! Reading Parquet, a row group at a time.
//!
//! Files are read, not mapped into memory: an error of the disk is then an error of the call, and
//! never looks like damage. `polars::prelude::ParquetReader` maps the file or reads all of it. So
//! row groups are taken from `polars-parquet`, by `deserialize_metadata`, `PageReader` and
//! `column_iter_to_arrays`.

use super::error::ReadError;
use super::foreign::Reading;
use super::frame::{Frame, Schema};
use crate::system::{expected_panic, regular};
use polars::prelude::{ArrowField, DataType, PlSmallStr, Series};
use polars_parquet::parquet::compression::Compression;
use polars_parquet::parquet::metadata::RowGroupMetadata;
use polars_parquet::parquet::page::CompressedPage;
use polars_parquet::parquet::read::deserialize_metadata;
use polars_parquet::read::{
    BasicDecompressor, ColumnChunkMetadata, FileMetadata, PageReader, column_iter_to_arrays,
    infer_schema,
};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

/// Ends a file after the length of the footer in 4 bytes.
const MAGIC: &[u8; 4] = b"PAR1";
const TAIL: u64 = 8;

/// A file of Parquet, read a row group at a time.
pub struct ParquetReader {
    file: File,
    /// Its bytes.
    length: u64,
    metadata: FileMetadata,
    columns: Vec<Reading>,
    schema: Schema,
    unread: Vec<(PlSmallStr, String)>,
}

impl ParquetReader {
    /// Reads the footer.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn open(mut file: File) -> Result<Self, ReadError> {
        let footer = footer_of(&mut file)?.map_err(ReadError::Damaged)?;
        Self::with_footer(file, footer)
    }

    /// Creates the reader from the file's footer, its last bytes.
    pub(crate) fn with_footer(file: File, footer: Vec<u8>) -> Result<Self, ReadError> {
        let read = || {
            let metadata = deserialize_metadata(footer.into()).map_err(words)?;
            let fields = infer_schema(&metadata).map_err(words)?;
            Ok((metadata, fields))
        };
        let (metadata, fields) = guarded(read).map_err(ReadError::Damaged)?;
        if metadata.schema_descr.fields().len() != fields.len() {
            return Err(ReadError::Damaged("two of its columns have one name".to_owned()));
        }
        let mut schema = Schema::with_capacity(fields.len());
        let (mut columns, mut unread) = (Vec::new(), Vec::new());
        for (field, parquet) in fields.iter_values().zip(metadata.schema_descr.fields()) {
            // Polars panics at types that it lacks.
            let kind = |reading: Reading| {
                let kind = expected_panic::catch(|| reading.kind()).ok_or("a type of its own")?;
                Ok((reading, kind))
            };
            match Reading::of(field, parquet).and_then(kind) {
                Ok((reading, kind)) => {
                    schema.with_column(field.name.clone(), kind);
                    columns.push(reading);
                }
                Err(kind) => unread.push((field.name.clone(), kind)),
            }
        }
        let length = file.metadata()?.len();
        Ok(ParquetReader { file, length, metadata, columns, schema, unread })
    }

    /// Returns the columns of types that are not read, with the names of the types.
    pub(crate) fn unread(&self) -> impl Iterator<Item = (&str, &str)> {
        self.unread.iter().map(|(name, kind)| (name.as_str(), kind.as_str()))
    }

    /// The columns of the file, but for those of types that are not read.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Whether a column has lists of real numbers.
    pub(crate) fn has_real_lists(&self, column: &str) -> bool {
        self.schema.get(column).and_then(DataType::inner_dtype) == Some(&DataType::Float64)
    }

    /// The number of row groups.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.metadata.row_groups.len()
    }

    /// The number of rows of a group.
    #[must_use]
    pub fn rows_of(&self, group: usize) -> usize {
        self.metadata.row_groups[group].num_rows()
    }

    /// The names and values of the file's own metadata.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.metadata.key_value_metadata.iter().flatten();
        pairs.map(|pair| (pair.key.as_str(), pair.value.as_deref().unwrap_or_default()))
    }

    /// Returns the rows of one group, with these columns only; with all columns if `None`.
    ///
    /// # Errors
    /// If they cannot be read, or are no such rows.
    pub fn group(&self, group: usize, columns: Option<&[&str]>) -> Result<Frame, ReadError> {
        let chosen: &RowGroupMetadata = &self.metadata.row_groups[group];
        let mut found = Vec::new();
        for reading in &self.columns {
            let (name, field) = (&reading.field.name, &reading.field);
            if columns.is_some_and(|columns| !columns.contains(&name.as_str())) {
                continue;
            }
            let mut chunks = Vec::new();
            for chunk in chosen.columns_under_root_iter(name).into_iter().flatten() {
                chunks.push((chunk, self.bytes(chunk)?));
            }
            let column = guarded(|| reading.column(decode(field, chosen.num_rows(), chunks)?))
                .map_err(ReadError::Damaged)?;
            found.push(column);
        }
        Frame::new(chosen.num_rows(), found).map_err(|error| ReadError::Damaged(words(error)))
    }

    /// The bytes of a column; no more than the file has, whatever its footer says.
    fn bytes(&self, chunk: &ColumnChunkMetadata) -> io::Result<Vec<u8>> {
        // The footer may name an impossible place, which Polars does not expect.
        let place = guarded(|| Ok(chunk.byte_range())).map_err(io::Error::other)?;
        if place.end > self.length || place.start > place.end {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes =
            vec![0; usize::try_from(place.end - place.start).map_err(io::Error::other)?];
        regular::read_at(&self.file, &mut bytes, place.start)?;
        Ok(bytes)
    }
}

/// The bytes of a file's footer with its length and the magic word.
///
/// # Errors
/// Returns an error of the system. The inner error says in words that there is no footer.
fn footer_of(file: &mut File) -> io::Result<Result<Vec<u8>, String>> {
    let length = file.seek(SeekFrom::End(0))?;
    let Some(before) = length.checked_sub(TAIL) else {
        return Ok(Err("it is too short for a Parquet file".to_owned()));
    };
    let mut tail = [0; TAIL as usize];
    file.seek(SeekFrom::Start(before))?;
    file.read_exact(&mut tail)?;
    let [a, b, c, d, magic @ ..] = tail;
    if &magic != MAGIC {
        return Ok(Err("it does not end with PAR1, as Parquet files do".to_owned()));
    }
    let Some(start) = before.checked_sub(u64::from(u32::from_le_bytes([a, b, c, d]))) else {
        return Ok(Err("its footer is longer than the file".to_owned()));
    };
    let mut footer = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(length - start).read_to_end(&mut footer)?;
    Ok(Ok(footer))
}

/// Decodes a column of a row group with `rows` rows from the bytes of its chunks.
fn decode(
    field: &ArrowField,
    rows: usize,
    chunks: Vec<(&ColumnChunkMetadata, Vec<u8>)>,
) -> Result<Series, String> {
    let mut columns = Vec::new();
    let mut types = Vec::new();
    for (chunk, bytes) in chunks {
        let most = worth(&bytes);
        let mut pages = PageReader::new(Cursor::new(bytes.into()), chunk, Vec::new(), most);
        check(&mut pages, chunk, rows)?;
        let (mut bytes, scratch) = pages.into_inner();
        bytes.set_position(0);
        let pages = PageReader::new(bytes, chunk, scratch, most);
        columns.push(BasicDecompressor::new(pages, Vec::new()));
        types.push(&chunk.descriptor().descriptor.primitive_type);
    }
    let (arrays, _) = column_iter_to_arrays(columns, types, field.clone(), None).map_err(words)?;
    if arrays.is_empty() {
        return Err("it has no pages".to_owned());
    }
    let values = Series::try_from((field, arrays)).map_err(words)?;
    Ok(values.rechunk())
}

/// Checks the pages of a column before they are decoded: Polars' decoder takes memory for as many
/// values as the header of a page says, and a request that no memory can meet ends the program.
///
/// # Errors
/// In words, if the pages do not have the numbers of values and bytes that the footer says, or are
/// compressed in a way that is not read here.
fn check(pages: &mut PageReader, chunk: &ColumnChunkMetadata, rows: usize) -> Result<(), String> {
    let compression = chunk.compression();
    if matches!(compression, Compression::Gzip | Compression::Lzo | Compression::Brotli) {
        return Err(format!(
            "it is compressed with {}, and what is read is zstd, snappy, lz4 or none; write it \
            with one of them, in pandas by to_parquet(…, compression=\"zstd\")",
            format!("{compression:?}").to_lowercase()
        ));
    }
    let (mut missing, mut room) = (chunk.num_values(), chunk.uncompressed_size());
    for page in pages {
        let (values, size) = match page.map_err(words)? {
            CompressedPage::Data(page) => (page.num_values(), page.uncompressed_size()),
            // It is one page of at most 2 GiB.
            CompressedPage::Dict(_) => (0, 0),
        };
        let number = |number: usize| i64::try_from(number).map_err(words);
        missing = missing.saturating_sub(number(values)?);
        room = room.saturating_sub(number(size)?);
    }
    let lists = chunk.descriptor().descriptor.max_rep_level > 0;
    let agreed =
        missing == 0 && room >= 0 && (lists || usize::try_from(chunk.num_values()) == Ok(rows));
    agreed.then_some(()).ok_or_else(|| "its pages are not those of the footer".to_owned())
}

/// The most memory that encoded structures can need: of a list, an entry has at least one byte and
/// counts 8.
fn worth(bytes: &[u8]) -> usize {
    bytes.len().saturating_mul(9)
}

fn words(error: impl Display) -> String {
    error.to_string()
}

/// Runs a read of bytes that may be broken: Polars answers some of them with a panic.
fn guarded<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    expected_panic::catch(read).unwrap_or_else(|| Err("its pages are damaged".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::{Column, Frame, ParquetWriter};
    use super::*;
    use crate::test_size::is_full;
    use std::io::Write;

    fn frame(first: u64, rows: u64) -> Frame {
        let (numbers, odd) = (first..first + rows, |row| row % 2 == 1);
        let columns = vec![
            Column::numbers("number", numbers.clone()),
            Column::texts("text", numbers.clone().map(|row| odd(row).then_some("odd"))),
            Column::optional("real", numbers.map(|row| odd(row).then_some(row as f64 / 3.0))),
        ];
        Frame::new(rows as usize, columns).expect("columns")
    }

    /// A file of `groups` row groups of 3 rows, with its rows counted from `first`.
    fn file(first: u64, groups: u64) -> File {
        let file = tempfile::tempfile().expect("a temporary file");
        let (out, pairs) = (file.try_clone().expect("a file"), vec![("a".into(), "b".into())]);
        let writer = ParquetWriter::new(out, frame(0, 0).schema(), pairs).expect("begun");
        (0..groups).for_each(|group| writer.write(frame(first + 3 * group, 3)).expect("written"));
        writer.finish().expect("written");
        file
    }

    fn bytes(mut file: File) -> Vec<u8> {
        let mut bytes = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut bytes)).expect("it can be read");
        bytes
    }

    /// The first column, and how all others are printed.
    fn rows(reader: &ParquetReader) -> (Vec<u64>, String) {
        let mut rows = (Vec::new(), String::new());
        for group in 0..reader.groups() {
            let frame = reader.group(group, None).expect("rows");
            assert_eq!(frame.height(), reader.rows_of(group));
            let numbers = frame.column("number").and_then(Column::u64).expect("numbers");
            rows.0.extend((0..frame.height()).filter_map(|row| numbers.get(row)));
            rows.1 += &format!("{:?}", &frame.columns()[1..]);
        }
        rows
    }

    #[test]
    fn row_groups_come_back_however_many_they_are() {
        for groups in [0, 1, 2, 14, 15, 16, 127, 128, 300] {
            let reader = ParquetReader::open(file(0, groups)).expect("a table");
            assert_eq!(reader.groups() as u64, groups);
            assert_eq!(reader.pairs().find(|(key, _)| *key == "a"), Some(("a", "b")));
            let (numbers, others) = rows(&reader);
            assert!(numbers.iter().copied().eq(0..3 * groups), "{numbers:?}");
            let expected = (0..groups).map(|group| frame(3 * group, 3));
            let expected = expected.map(|frame| format!("{:?}", &frame.columns()[1..]));
            assert_eq!(others, expected.collect::<String>());
        }
    }

    #[test]
    fn what_is_no_footer_is_refused_in_words() {
        for (end, words) in [
            (&b"PAR1"[..], "it is too short for a Parquet file"),
            (b"PAR1 and some words", "it does not end with PAR1, as Parquet files do"),
            (b"PAR1\xff\xff\xff\x7fPAR1", "its footer is longer than the file"),
        ] {
            let mut file = tempfile::tempfile().expect("a temporary file");
            file.write_all(end).expect("written");
            let refusal = ParquetReader::open(file).err().expect("no table");
            assert_eq!(refusal.to_string(), words, "{end:?}");
        }
    }

    /// Whatever the bytes, the result is rows or an error, and memory is limited by their number: a
    /// request that cannot be met would end the program. Every seventh byte, or at full size each.
    #[test]
    fn a_file_may_have_any_bytes() {
        let whole = bytes(file(0, 2));
        let step = if is_full() { 1 } else { 7 };
        for (place, &byte) in whole.iter().enumerate().step_by(step) {
            for other in [byte ^ 1, byte ^ 0x80, 0, 0xFF] {
                let mut bytes = whole.clone();
                bytes[place] = other;
                read(&bytes);
            }
            read(&[b"PAR1", &whole[place..]].concat());
        }
    }

    fn read(bytes: &[u8]) {
        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(bytes).expect("written");
        let Ok(reader) = ParquetReader::open(file) else { return };
        for group in 0..reader.groups() {
            _ = reader.group(group, None);
        }
    }
}
