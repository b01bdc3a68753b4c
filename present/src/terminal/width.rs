//! Width of the terminal.

use crate::system::streams::Stream;

/// Returns the columns of the terminal behind standard output. `COLUMNS` takes precedence, but for
/// 0; files and pipes have 120.
pub fn width() -> u16 {
    let set = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    set.filter(|columns| *columns > 0)
        .or_else(|| Stream::Output.size().map(|(_, columns)| columns))
        .unwrap_or(120)
}
