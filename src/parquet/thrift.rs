//! Thrift's compact protocol, in which footers and the headers of pages are written.

use polars_parquet_format::thrift::protocol::TCompactInputProtocol;
use std::fmt::Display;
use std::io::{Cursor, Seek};

/// Reads bytes. Whatever they say, no more memory is taken than they can be worth.
pub(super) fn protocol(bytes: &[u8]) -> TCompactInputProtocol<Cursor<&[u8]>> {
    TCompactInputProtocol::new(Cursor::new(bytes), worth(bytes))
}

/// The most memory that encoded structures can need: of a list, an entry has at least one byte and
/// counts 8.
pub(super) fn worth(bytes: &[u8]) -> usize {
    bytes.len().saturating_mul(9)
}

/// The number of bytes that were read.
pub(super) fn place(protocol: &mut impl Seek) -> Result<usize, String> {
    let place = protocol.stream_position().map_err(words)?;
    usize::try_from(place).map_err(words)
}

pub(super) fn words(error: impl Display) -> String {
    error.to_string()
}
