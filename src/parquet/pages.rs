//! The pages of a column in a row group.
//!
//! Polars' decoder takes memory for as many values as the header of a page says, and a request that
//! no memory can meet ends the program. So headers are looked at before.

use super::thrift::{place, protocol, words};
use polars_parquet::parquet::compression::Compression;
use polars_parquet::read::ColumnChunkMetadata;
use polars_parquet_format::{PageHeader, PageType};

/// `bytes`: from the first page on; what comes after the last does not matter. `rows`: of the row
/// group.
///
/// # Errors
/// In words, if the pages do not have the numbers of values and bytes that the footer says, or are
/// compressed in a way that is not read here.
pub(super) fn check(bytes: &[u8], chunk: &ColumnChunkMetadata, rows: usize) -> Result<(), String> {
    let compression = chunk.compression();
    if matches!(compression, Compression::Gzip | Compression::Lzo | Compression::Brotli) {
        return Err(format!(
            "it is compressed with {}, and what is read is zstd, snappy, lz4 or none; write it \
            with one of them, in pandas by to_parquet(…, compression=\"zstd\")",
            format!("{compression:?}").to_lowercase()
        ));
    }
    let (values, size) = (chunk.num_values(), chunk.uncompressed_size());
    let lists = chunk.descriptor().descriptor.max_rep_level > 0;
    let (mut missing, mut room) = (values, size);
    let mut rest = bytes;
    while missing > 0 {
        let page = Page::of(rest)?;
        missing -= i64::from(page.values);
        room = room.saturating_sub(i64::from(page.size));
        rest = &rest[page.length..];
    }
    let agreed = missing == 0 && room >= 0 && (lists || usize::try_from(values) == Ok(rows));
    agreed.then_some(()).ok_or_else(|| "its pages are not those of the footer".to_owned())
}

struct Page {
    /// Rows, or the entries of lists; 0 in a dictionary.
    values: u32,
    /// Bytes when it is decompressed.
    size: u32,
    /// Bytes in the file, with the header.
    length: usize,
}

impl Page {
    /// The first page of these bytes.
    fn of(bytes: &[u8]) -> Result<Self, String> {
        let mut header = protocol(bytes);
        let page = PageHeader::read_from_in_protocol(&mut header).map_err(words)?;
        let compressed = usize::try_from(page.compressed_page_size).map_err(words)?;
        let length = place(&mut header)?.saturating_add(compressed);
        if length > bytes.len() {
            return Err("a page is longer than its column".to_owned());
        }
        let values = match page.type_ {
            PageType::DATA_PAGE => page.data_page_header.map(|page| page.num_values),
            PageType::DATA_PAGE_V2 => page.data_page_header_v2.map(|page| page.num_values),
            _ => None,
        };
        let count = |count: i32| u32::try_from(count).map_err(words);
        let (values, size) = (count(values.unwrap_or(0))?, count(page.uncompressed_page_size)?);
        Ok(Page { values, size, length })
    }
}
