//! Writing Parquet.

use super::error::FrameError;
use super::frame::{Frame, Schema, Stack};
use polars::prelude::{
    BatchedWriter, KeyValueMetadata, ParquetCompression, ParquetWriter as Options, PolarsError,
    RowGroupIterColumns,
};
use std::io::Write;
use std::sync::Arc;

/// Bytes of a page: those of a row group, whose size bounds memory, always fit into one.
const PAGE: usize = 1 << 30;

/// Row groups that are encoded and compressed.
pub type EncodedGroup = Vec<RowGroupIterColumns<'static, PolarsError>>;

/// Writes a file of Parquet, a row group at a time. Clones share the file: they encode on other
/// threads.
pub struct ParquetWriter<W: Write>(Arc<BatchedWriter<W>>);

impl<W: Write> Clone for ParquetWriter<W> {
    fn clone(&self) -> Self {
        ParquetWriter(Arc::clone(&self.0))
    }
}

impl<W: Write> ParquetWriter<W> {
    /// `pairs`: names and values of the file's own metadata.
    ///
    /// # Errors
    /// If a type cannot be written, or the file.
    pub fn new(out: W, schema: &Schema, pairs: Vec<(String, String)>) -> Result<Self, FrameError> {
        let options = Options::new(out)
            .with_compression(ParquetCompression::Zstd(None))
            .with_data_page_size(Some(PAGE))
            .with_key_value_metadata(Some(KeyValueMetadata::from_static(pairs)))
            .set_parallel(false);
        options.batched(schema).map(Arc::new).map(ParquetWriter).map_err(FrameError::new)
    }

    /// Encodes and compresses rows as a row group; no rows, no group.
    ///
    /// # Errors
    /// If a type cannot be written.
    pub(crate) fn encode(&self, rows: Stack) -> Result<EncodedGroup, FrameError> {
        let Some(rows) = rows.into_data() else { return Ok(Vec::new()) };
        self.0.encode_and_compress(&rows).collect::<Result<_, _>>().map_err(FrameError::new)
    }

    /// Adds an encoded row group.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn write_group(&self, group: EncodedGroup) -> Result<(), FrameError> {
        self.0.write_row_groups(group).map_err(FrameError::new)
    }

    /// Adds the rows of a frame as a row group.
    ///
    /// # Errors
    /// If a type cannot be written, or the file.
    pub fn write(&self, frame: Frame) -> Result<(), FrameError> {
        self.write_group(self.encode(frame.into())?)
    }

    /// Writes the footer.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(&self) -> Result<(), FrameError> {
        self.0.finish().map(|_| ()).map_err(FrameError::new)
    }
}
