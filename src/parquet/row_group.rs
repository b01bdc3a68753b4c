//! Row groups as they are in a file: they go to another one without being taken apart.

use super::error::ReadError;
use polars_parquet_format::{ColumnChunk, RowGroup as Description};
use std::ops::Range;

/// The rows of a group: their bytes, and what a footer says of them.
pub(crate) struct RowGroup {
    pub rows: usize,
    /// The pages of the columns, one after the other.
    bytes: Vec<u8>,
    /// Places are counted from the first byte.
    description: Description,
}

impl RowGroup {
    /// The group that is described like this in a file, whose bytes `read` appends.
    pub(super) fn of(
        mut description: Description,
        mut read: impl FnMut(Range<u64>, &mut Vec<u8>) -> Result<(), ReadError>,
    ) -> Result<Self, ReadError> {
        let mut bytes = Vec::new();
        for chunk in &mut description.columns {
            let pages = pages_of(chunk).map_err(ReadError::Damaged)?;
            let place = bytes.len() as i64;
            let start = pages.start as i64;
            read(pages, &mut bytes)?;
            shift(chunk, place - start);
            // Not taken along; readers look them up in the footer.
            (chunk.column_index_offset, chunk.column_index_length) = (None, None);
            (chunk.offset_index_offset, chunk.offset_index_length) = (None, None);
            chunk.file_offset = 0;
            if let Some(column) = &mut chunk.meta_data {
                (column.bloom_filter_offset, column.bloom_filter_length) = (None, None);
            }
        }
        let rows = rows_of(&description).map_err(ReadError::Damaged)?;
        Ok(RowGroup { rows, bytes, description })
    }

    /// The pages of the columns, one after the other.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What a footer says of the group if it is the `number`th of a file and begins there.
    pub(super) fn described_at(&self, place: u64, number: usize) -> Description {
        let mut description = self.description.clone();
        description.columns.iter_mut().for_each(|chunk| shift(chunk, place as i64));
        description.file_offset = Some(place as i64);
        // The format has 16 bits for it, and lets it be absent.
        description.ordinal = i16::try_from(number).ok();
        description
    }
}

/// The number of rows of a group.
pub(super) fn rows_of(group: &Description) -> Result<usize, String> {
    usize::try_from(group.num_rows).map_err(|_| "a row group has less than no rows".to_owned())
}

/// Where the pages of a column are in their file.
fn pages_of(chunk: &ColumnChunk) -> Result<Range<u64>, String> {
    let column = chunk.meta_data.as_ref().ok_or("a column of a row group is not described")?;
    let start = column.dictionary_page_offset.unwrap_or(column.data_page_offset);
    let end = start.checked_add(column.total_compressed_size);
    match (u64::try_from(start), end.map(u64::try_from)) {
        (Ok(start), Some(Ok(end))) if start <= end => Ok(start..end),
        _ => Err("the place of a column in its file cannot be".to_owned()),
    }
}

/// Moves a column to a place that is so much further on.
fn shift(chunk: &mut ColumnChunk, by: i64) {
    let Some(column) = &mut chunk.meta_data else { return };
    column.data_page_offset = column.data_page_offset.saturating_add(by);
    let first = &mut column.dictionary_page_offset;
    *first = first.map(|place| place.saturating_add(by));
}
