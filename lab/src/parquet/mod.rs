//! Tables in memory and Parquet files of them, by Polars.
//!
//! Frames and columns are Polars' own, with errors that name the column. Polars writes the files.
//! Its reader maps a file into memory or reads all of it, and its writer encodes pages late. So
//! `reader.rs` and `writer.rs`, alone, use `polars-parquet`, the part of Polars that encodes and
//! decodes pages.

mod cells;
mod column;
mod error;
mod foreign;
mod frame;
mod reader;
mod writer;

pub(crate) use column::Lists;
pub use column::{Booleans, Column, Integers, ListColumn, Naturals, Reals, Texts, Words};
pub use error::{FrameError, ReadError};
pub(crate) use foreign::not_read;
pub(crate) use frame::Stack;
pub use frame::{Frame, Schema};
pub use reader::ParquetReader;
pub use writer::{EncodedGroup, ParquetWriter};
