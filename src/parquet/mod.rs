//! Tables in memory as named columns, and Parquet files of them.
//!
//! Polars' crates for Arrow arrays and for Parquet do the work; its data frames and expressions are
//! not needed here, and would be most of what is compiled.

mod column;
mod encoding;
mod error;
mod footer;
mod frame;
mod pages;
mod reader;
mod row_group;
mod thrift;
mod writer;

pub(crate) use column::Lists;
pub use column::{Booleans, Column, Integers, ListColumn, Naturals, Reals, Texts, Words};
pub use error::{FrameError, ReadError};
pub use frame::{Frame, Schema};
/// Values that can be asked for by their row.
pub use polars_arrow::array::StaticArray as Values;
pub use reader::ParquetReader;
pub(crate) use row_group::RowGroup;
pub(crate) use writer::ParquetWriter;
