//! Standard output: where results go. A reader that has seen enough, such as `head`, is no error.

use super::terminal;
use crate::cli::FormArguments;
use crate::exit::Exit;
use crate::report::Sheet;
use std::io::Write;

/// Prints text as it is.
pub fn put(text: &str) {
    // What cannot be written has no reader.
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Prints a sheet in the form that is asked for, and writes it as Parquet where that is wanted; a table has these columns, by name and
/// heading.
pub fn put_sheet(sheet: &Sheet, form: &FormArguments, headings: &[(&str, &str)]) -> Exit {
    if let Some(Err(message)) = form.parquet.as_ref().map(|path| sheet.write(path)) {
        eprintln!("error: {message}");
        return Exit::Results;
    }
    match form.format() {
        Some(format) => put(&sheet.text(format)),
        None => put(&sheet.table(headings, terminal::width())),
    }
    Exit::Done
}

/// Prints a line.
macro_rules! line {
    () => { $crate::commands::output::put("\n") };
    ($($words:tt)*) => { $crate::commands::output::put(&format!("{}\n", format_args!($($words)*))) };
}

pub(super) use line;
