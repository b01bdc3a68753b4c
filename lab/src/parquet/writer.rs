//! Writing Parquet.
//!
//! Polars' `encode_and_compress` returns iterators, which encode and compress a page when it is
//! asked for: the thread that writes would do all of the work. So [`ParquetWriter::encode`] does
//! the same with `array_to_columns` and `Compressor` of `polars-parquet`, and keeps the pages.

use super::error::FrameError;
use super::frame::{Frame, Schema, Stack};
use polars::prelude::{
    BatchedWriter, KeyValueMetadata, ParquetCompression, ParquetWriter as Options, PolarsError,
    RowGroupIterColumns, get_encodings,
};
use polars_parquet::read::ParquetError;
use polars_parquet::write::{
    CompressedPage, Compressor, DynIter, DynStreamingIterator, Encoding, FallibleStreamingIterator,
    ParquetType, WriteOptions, array_to_columns,
};
use std::io::Write;
use std::sync::{Arc, PoisonError};
use std::vec::IntoIter;

/// Maximum bytes of a page. A row group, whose size is limited, always fits into one page.
const PAGE: usize = 1 << 30;

/// A row group that is encoded and compressed: the pages of each column; no columns without rows.
pub struct EncodedGroup(Vec<Vec<CompressedPage>>);

/// Types and encodings of a file's columns.
struct Layout {
    columns: Vec<(ParquetType, Vec<Encoding>)>,
    options: WriteOptions,
}

/// Writes a file of Parquet, a row group at a time. Clones share the file: they encode on other
/// threads.
pub struct ParquetWriter<W: Write> {
    file: Arc<BatchedWriter<W>>,
    layout: Arc<Layout>,
}

impl<W: Write> Clone for ParquetWriter<W> {
    fn clone(&self) -> Self {
        ParquetWriter { file: Arc::clone(&self.file), layout: Arc::clone(&self.layout) }
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
        let file = options.batched(schema).map_err(FrameError::new)?;
        let layout = {
            let file = file.get_writer().lock().unwrap_or_else(PoisonError::into_inner);
            let types = file.parquet_schema().fields().iter().cloned();
            let encodings = get_encodings(file.schema());
            let columns = types.zip(encodings.iter().cloned()).collect();
            Layout { columns, options: file.options() }
        };
        Ok(ParquetWriter { file: Arc::new(file), layout: Arc::new(layout) })
    }

    /// Encodes and compresses rows as a row group; no rows, no group.
    pub(crate) fn encode(&self, rows: Stack) -> Result<EncodedGroup, FrameError> {
        let mut group = Vec::new();
        for (array, (of, encodings)) in rows.into_arrays().zip(&self.layout.columns) {
            let options = self.layout.options;
            let columns = array_to_columns(array, of.clone(), options, encodings);
            for pages in columns.map_err(FrameError::new)? {
                let pages = pages.map(|page| page.map_err(ParquetError::from));
                let pages = Compressor::new(pages, options.compression, Vec::new());
                group.push(pages.collect::<Result<_, _>>().map_err(FrameError::new)?);
            }
        }
        Ok(EncodedGroup(group))
    }

    /// Adds an encoded row group.
    pub(crate) fn write_group(&self, group: EncodedGroup) -> Result<(), FrameError> {
        let EncodedGroup(columns) = group;
        if columns.is_empty() {
            return Ok(());
        }
        let columns: RowGroupIterColumns<'static, PolarsError> =
            DynIter::new(columns.into_iter().map(|pages| {
                let pages = EncodedPages { current: None, rest: pages.into_iter() };
                Ok(DynStreamingIterator::new(pages))
            }));
        self.file.write_row_groups(vec![columns]).map_err(FrameError::new)
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
        self.file.finish().map(|_| ()).map_err(FrameError::new)
    }
}

/// Pages of a column that were encoded earlier. Each is freed once the next one is asked for.
struct EncodedPages {
    current: Option<CompressedPage>,
    rest: IntoIter<CompressedPage>,
}

impl FallibleStreamingIterator for EncodedPages {
    type Item = CompressedPage;
    type Error = PolarsError;

    fn advance(&mut self) -> Result<(), PolarsError> {
        self.current = self.rest.next();
        Ok(())
    }

    fn get(&self) -> Option<&CompressedPage> {
        self.current.as_ref()
    }
}
