//! The footer of a file: its columns, its own metadata, and a description of each row group.
//!
//! Descriptions stay as they are encoded until they are asked for: decoded, they would take several
//! times as much memory, and a file of 100,000,000 rows has 2,000 of them.

use super::error::FrameError;
use super::row_group::rows_of;
use super::thrift::{place, protocol, words};
use polars_buffer::Buffer;
use polars_parquet::parquet::metadata::RowGroupMetadata;
use polars_parquet::parquet::read::deserialize_metadata;
use polars_parquet::read::FileMetadata;
use polars_parquet_format::thrift::protocol::{
    TCompactOutputProtocol, TInputProtocol, TListIdentifier, TOutputProtocol, TType,
};
use polars_parquet_format::{FileMetaData, KeyValue, RowGroup};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

/// What begins a file, and ends it after the length of the footer in 4 bytes.
pub(super) const MAGIC: &[u8; 4] = b"PAR1";
const TAIL: u64 = 8;

/// In Thrift's compact protocol, what ends a structure.
const END: u8 = 0;
/// The number of the field with the row groups.
const ROW_GROUPS: i16 = 4;

/// The footer of a file that is there.
pub(super) struct Footer {
    /// All but the row groups.
    pub file: FileMetadata,
    /// The encoded footer up to its list of row groups.
    head: Vec<u8>,
    /// The encoded descriptions.
    descriptions: Vec<u8>,
    /// Of each row group.
    groups: Vec<Described>,
}

struct Described {
    rows: usize,
    /// Where its description ends; it begins where that of the group before ends.
    end: usize,
}

impl Footer {
    /// `bytes`: of the footer; what comes after it does not matter.
    ///
    /// # Errors
    /// In words, if they are no footer.
    pub(super) fn of(bytes: &[u8]) -> Result<Self, String> {
        let (list, groups, starts) = row_groups(bytes)?;
        let head = &bytes[..list.start];
        let bare = [head, &list_of(0)?, &bytes[list.end..]].concat();
        let file = deserialize_metadata(Buffer::from_vec(bare)).map_err(words)?;
        let (head, descriptions) = (head.to_vec(), bytes[starts..list.end].to_vec());
        Ok(Footer { file, head, descriptions, groups })
    }

    /// The number of row groups.
    pub(super) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The number of rows of a group.
    pub(super) fn rows_of(&self, group: usize) -> usize {
        self.groups[group].rows
    }

    fn encoded(&self, group: usize) -> &[u8] {
        let start = group.checked_sub(1).map_or(0, |before| self.groups[before].end);
        &self.descriptions[start..self.groups[group].end]
    }

    /// What the footer says of a group.
    ///
    /// # Errors
    /// In words, if it cannot be.
    pub(super) fn group(&self, group: usize) -> Result<RowGroupMetadata, String> {
        // A footer with this group alone.
        let one = [&self.head[..], &list_of(1)?, self.encoded(group), &[END]].concat();
        let mut file = deserialize_metadata(Buffer::from_vec(one)).map_err(words)?;
        file.row_groups.pop().ok_or_else(|| "a row group is not described".to_owned())
    }
}

/// The bytes of a file's footer.
///
/// # Errors
/// Those of the system. Within: in words, if there is no footer.
pub(super) fn footer_of(file: &mut File) -> io::Result<Result<Vec<u8>, String>> {
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
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(before - start).read_to_end(&mut bytes)?;
    Ok(Ok(bytes))
}

/// Where the list of row groups is in an encoded footer, the groups, and where the first begins.
fn row_groups(bytes: &[u8]) -> Result<(Range<usize>, Vec<Described>, usize), String> {
    let mut footer = protocol(bytes);
    footer.read_struct_begin().map_err(words)?;
    let mut found = None;
    loop {
        let field = footer.read_field_begin().map_err(words)?;
        match (field.field_type, field.id) {
            (TType::Stop, _) => break,
            (TType::List, Some(ROW_GROUPS)) => {
                let list = place(&mut footer)?;
                let count = footer.read_list_begin().map_err(words)?.size;
                let start = place(&mut footer)?;
                let mut groups = Vec::new();
                for _ in 0..count {
                    let group = RowGroup::read_from_in_protocol(&mut footer).map_err(words)?;
                    let end = place(&mut footer)? - start;
                    groups.push(Described { rows: rows_of(&group)?, end });
                }
                found = Some((list..place(&mut footer)?, groups, start));
            }
            (other, _) => footer.skip(other).map_err(words)?,
        }
    }
    found.ok_or_else(|| "the footer has no list of row groups".to_owned())
}

/// The footer of a file that is being written.
pub(super) struct NewFooter {
    /// Without row groups.
    file: FileMetaData,
    descriptions: Vec<u8>,
    groups: usize,
}

impl NewFooter {
    /// `file`: what is said of the file, without row groups.
    pub(super) fn new(file: FileMetaData) -> Self {
        NewFooter { file, descriptions: Vec::new(), groups: 0 }
    }

    /// The number of row groups.
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// Adds a row group.
    ///
    /// # Errors
    /// If it cannot be encoded.
    pub(super) fn push(&mut self, group: &RowGroup) -> Result<(), FrameError> {
        let mut out = TCompactOutputProtocol::new(&mut self.descriptions);
        group.write_to_out_protocol(&mut out).map_err(FrameError::new)?;
        self.file.num_rows += group.num_rows;
        self.groups += 1;
        Ok(())
    }

    /// The bytes that end the file. `pairs`: names and values of the file's own metadata.
    ///
    /// # Errors
    /// If they cannot be encoded, or are too many.
    pub(super) fn finish(&mut self, pairs: Vec<KeyValue>) -> Result<Vec<u8>, FrameError> {
        self.file.key_value_metadata = Some(pairs);
        let whole = encode(&self.file)?;
        let list = row_groups(&whole).map_err(FrameError::new)?.0;
        let mut bytes = whole[..list.start].to_vec();
        bytes.extend(list_of(self.groups).map_err(FrameError::new)?);
        bytes.append(&mut self.descriptions);
        bytes.extend_from_slice(&whole[list.end..]);
        let length = u32::try_from(bytes.len()).map_err(FrameError::new)?;
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(MAGIC);
        Ok(bytes)
    }
}

fn encode(file: &FileMetaData) -> Result<Vec<u8>, FrameError> {
    let mut bytes = Vec::new();
    file.write_to_out_protocol(&mut TCompactOutputProtocol::new(&mut bytes))
        .map_err(FrameError::new)?;
    Ok(bytes)
}

/// How a list of so many structures begins.
fn list_of(count: usize) -> Result<Vec<u8>, String> {
    let list = TListIdentifier::new(TType::Struct, u32::try_from(count).map_err(words)?);
    let mut bytes = Vec::new();
    TCompactOutputProtocol::new(&mut bytes).write_list_begin(&list).map_err(words)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::{Column, Frame, ParquetReader, ParquetWriter, Values};
    use super::*;
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

    /// A file of so many row groups of 3 rows, with its rows counted from `first`.
    fn file(first: u64, groups: u64) -> File {
        let file = tempfile::tempfile().expect("a temporary file");
        let (out, pairs) = (file.try_clone().expect("a file"), vec![("a".into(), "b".into())]);
        let schema = frame(0, 0).schema();
        let mut writer = ParquetWriter::new(out, schema, pairs).expect("begun");
        (0..groups).for_each(|group| writer.write(&frame(first + 3 * group, 3)).expect("written"));
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

    /// Up to 14 structures, their number is in the first byte of their list.
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
            (b"PAR1\0\x01\0\0\0PAR1", "the footer has no list of row groups"),
        ] {
            let mut file = tempfile::tempfile().expect("a temporary file");
            file.write_all(end).expect("written");
            let refusal = ParquetReader::open(file).err().expect("no table");
            assert_eq!(refusal.to_string(), words, "{end:?}");
        }
    }

    /// Whatever the bytes, the answer is rows or words, and no more memory than they are worth: a
    /// request that cannot be met would end the program.
    #[test]
    fn a_file_may_have_any_bytes() {
        let whole = bytes(file(0, 2));
        for (place, &byte) in whole.iter().enumerate() {
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
