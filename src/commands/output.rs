//! Standard output: where results go. A reader that has seen enough, such as `head`, is no error.

use std::io::Write;

/// Prints text as it is.
pub fn put(text: &str) {
    // What cannot be written has no reader.
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Prints a line.
macro_rules! line {
    () => { $crate::commands::output::put("\n") };
    ($($words:tt)*) => { $crate::commands::output::put(&format!("{}\n", format_args!($($words)*))) };
}

pub(super) use line;
