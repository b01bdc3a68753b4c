//! Writing Parquet.

use super::encoding::encode;
use super::error::{FrameError, ReadError};
use super::footer::{MAGIC, NewFooter};
use super::frame::{Frame, Schema};
use super::row_group::RowGroup;
use polars_parquet::parquet::error::ParquetError;
use polars_parquet::parquet::write::{FileWriter, WriteOptions as FileOptions};
use polars_parquet::write::{
    CompressedPage, CompressionOptions, DynIter, DynStreamingIterator, KeyValue, SchemaDescriptor,
    StatisticsOptions, ThriftFileMetadata, Version, WriteOptions, fallible_streaming_iterator,
    schema_to_metadata_key, to_parquet_schema,
};
use std::io::Write;

/// Bytes of a page: those of a row group, whose size bounds memory, always fit into one.
const PAGE: usize = 1 << 30;

/// Turns frames into row groups, on any thread.
#[derive(Clone)]
pub(crate) struct GroupEncoder {
    columns: SchemaDescriptor,
    options: WriteOptions,
}

impl GroupEncoder {
    /// Returns the row group of a frame; `None` if the frame has no rows.
    ///
    /// # Errors
    /// If a type cannot be written.
    pub(crate) fn encode(&self, frame: &Frame) -> Result<Option<RowGroup>, FrameError> {
        if frame.height() == 0 {
            return Ok(None);
        }
        let pages = encode(frame, self.columns.fields(), self.options)?;
        let (bytes, mut file) = small_file(&self.columns, Some((frame.height(), pages)))?;
        let description = file.row_groups.pop();
        let description = description.ok_or_else(|| FrameError::new("no row group was written"))?;
        let group = RowGroup::of(description, |place, into| {
            let pages = bytes.get(place.start as usize..place.end as usize);
            into.extend(pages.ok_or_else(|| ReadError::Damaged("a page is missing".to_owned()))?);
            Ok(())
        });
        group.map(Some).map_err(FrameError::new)
    }
}

/// Writes a file of Parquet, a row group at a time.
pub(crate) struct ParquetWriter<W: Write> {
    out: W,
    /// Bytes that were written.
    length: u64,
    schema: Schema,
    encoder: GroupEncoder,
    pairs: Vec<(String, String)>,
    footer: NewFooter,
}

impl<W: Write> ParquetWriter<W> {
    /// `pairs`: names and values of the file's own metadata.
    ///
    /// # Errors
    /// If a type cannot be written, or the file.
    pub(crate) fn new(
        mut out: W,
        schema: Schema,
        pairs: Vec<(String, String)>,
    ) -> Result<Self, FrameError> {
        let options = WriteOptions {
            statistics: StatisticsOptions::default(),
            version: Version::V1,
            compression: CompressionOptions::Zstd(None),
            data_page_size: Some(PAGE),
        };
        let columns = to_parquet_schema(&schema).map_err(FrameError::new)?;
        let footer = NewFooter::new(small_file(&columns, None)?.1);
        out.write_all(MAGIC).map_err(FrameError::new)?;
        let length = MAGIC.len() as u64;
        let encoder = GroupEncoder { columns, options };
        Ok(ParquetWriter { out, length, schema, encoder, pairs, footer })
    }

    /// What turns frames into row groups of this file.
    pub(crate) fn encoder(&self) -> &GroupEncoder {
        &self.encoder
    }

    /// Adds the rows of a frame; no rows, no group.
    pub(crate) fn write(&mut self, frame: &Frame) -> Result<(), FrameError> {
        let group = self.encoder.encode(frame)?;
        group.map_or(Ok(()), |group| self.write_group(&group))
    }

    /// Adds a row group.
    pub(crate) fn write_group(&mut self, group: &RowGroup) -> Result<(), FrameError> {
        self.out.write_all(group.bytes()).map_err(FrameError::new)?;
        self.footer.push(&group.described_at(self.length, self.footer.groups()))?;
        self.length += group.bytes().len() as u64;
        Ok(())
    }

    /// Writes the footer.
    pub(crate) fn finish(&mut self) -> Result<(), FrameError> {
        let pair = |(key, value): &(String, String)| KeyValue {
            key: key.clone(),
            value: Some(value.clone()),
        };
        let mut pairs = vec![schema_to_metadata_key(&self.schema)];
        pairs.extend(self.pairs.iter().map(pair));
        let footer = self.footer.finish(pairs)?;
        self.out.write_all(&footer).and_then(|()| self.out.flush()).map_err(FrameError::new)
    }
}

/// A file in memory with one row group, or none, and its footer: pages become bytes by what Polars
/// writes, and its row group goes to another file.
fn small_file(
    columns: &SchemaDescriptor,
    group: Option<(usize, Vec<Vec<CompressedPage>>)>,
) -> Result<(Vec<u8>, ThriftFileMetadata), FrameError> {
    let options = FileOptions { write_statistics: false, version: Version::V1 };
    let mut file = FileWriter::new(Vec::new(), columns.clone(), options, Some(creator()));
    if let Some((rows, columns)) = group {
        let columns = columns.iter().map(|column| {
            let pages = column.iter().map(Ok::<_, ParquetError>);
            Ok(DynStreamingIterator::new(fallible_streaming_iterator::convert(pages)))
        });
        file.write(rows as u64, DynIter::new(columns)).map_err(FrameError::new)?;
    }
    file.end(None).map_err(FrameError::new)?;
    Ok(file.into_inner_and_metadata())
}

/// Who wrote a file, in the form that the format asks for.
fn creator() -> String {
    format!("runner version {}", env!("CARGO_PKG_VERSION"))
}
