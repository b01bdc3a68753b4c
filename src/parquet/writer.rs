//! Writing Parquet.

use super::encoding::encode;
use super::error::FrameError;
use super::frame::{Frame, Schema};
use super::row_group::RowGroup;
use polars_parquet::write::{
    CompressionOptions, DynIter, DynStreamingIterator, FileWriter, KeyValue, StatisticsOptions,
    Version, WriteOptions, fallible_streaming_iterator, schema_to_metadata_key,
};
use std::io::Write;

/// Bytes of a page: those of a row group, whose size bounds memory, always fit into one. Files say
/// of a page which is its first row, and that need not be worked out when a group is copied.
const PAGE: usize = 1 << 30;

/// How pages are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    /// The smallest.
    Zstd,
    /// The fastest.
    Lz4,
}

/// Writes a file of Parquet, a row group at a time.
pub(crate) struct ParquetWriter<W: Write> {
    writer: FileWriter<W>,
    schema: Schema,
    pairs: Vec<(String, String)>,
}

impl<W: Write> ParquetWriter<W> {
    /// `pairs`: names and values of the file's own metadata.
    ///
    /// # Errors
    /// If a type cannot be written.
    pub(crate) fn new(
        out: W,
        schema: Schema,
        compression: Compression,
        pairs: Vec<(String, String)>,
    ) -> Result<Self, FrameError> {
        let options = WriteOptions {
            statistics: StatisticsOptions::default(),
            version: Version::V1,
            compression: match compression {
                Compression::Zstd => CompressionOptions::Zstd(None),
                Compression::Lz4 => CompressionOptions::Lz4Raw,
            },
            data_page_size: Some(PAGE),
        };
        let writer = FileWriter::try_new(out, schema.clone(), options).map_err(FrameError::new)?;
        Ok(ParquetWriter { writer, schema, pairs })
    }

    /// Adds a row group; no rows, no group.
    pub(crate) fn write(&mut self, frame: &Frame) -> Result<(), FrameError> {
        if frame.height() == 0 {
            return Ok(());
        }
        let fields = self.writer.parquet_schema().fields();
        self.write_encoded(&encode(frame, fields, self.writer.options())?)
    }

    /// Adds a row group from another file with the same columns.
    pub(crate) fn write_encoded(&mut self, group: &RowGroup) -> Result<(), FrameError> {
        let columns = group.columns.iter().map(|column| {
            let pages = fallible_streaming_iterator::convert(column.iter().map(Ok));
            Ok(DynStreamingIterator::new(pages))
        });
        self.writer.write(group.rows as u64, DynIter::new(columns)).map_err(FrameError::new)
    }

    /// Writes the footer.
    pub(crate) fn finish(&mut self) -> Result<(), FrameError> {
        let pair = |(key, value): &(String, String)| KeyValue {
            key: key.clone(),
            value: Some(value.clone()),
        };
        let mut pairs = vec![schema_to_metadata_key(&self.schema)];
        pairs.extend(self.pairs.iter().map(pair));
        self.writer.end(Some(pairs)).map(|_| ()).map_err(FrameError::new)
    }
}
