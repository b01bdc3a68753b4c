//! Row groups as they are in a file: they go to another one without being taken apart.

use polars_parquet::write::CompressedPage;

/// The rows of a group, encoded and compressed.
pub(crate) struct RowGroup {
    pub rows: usize,
    /// Of each leaf of the columns the pages.
    pub columns: Vec<Vec<CompressedPage>>,
}
