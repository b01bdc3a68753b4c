//! The terminal: how wide it is.

use crate::system::streams::Stream;

/// Columns of the terminal that standard output goes to; `COLUMNS` decides where it is set; 120 for
/// files and pipes.
pub(crate) fn width() -> u16 {
    let set = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    set.or_else(|| Stream::Output.size().map(|(_, columns)| columns)).unwrap_or(120)
}
