//! Standard output: where results go.

use crate::cli::{Failure, FormArguments};
use crate::present::data_table::DataTable;
use crate::present::terminal;
pub(super) use crate::system::output::put;

/// Prints a sheet in the form that is asked for, and writes it as Parquet where that is wanted; a
/// table has these columns, by name and heading.
pub fn put_sheet(
    sheet: &DataTable,
    form: &FormArguments,
    headings: &[(&str, &str)],
) -> Result<(), Failure> {
    if let Some(path) = &form.parquet {
        sheet.write(path).map_err(Failure::results)?;
    }
    match form.format() {
        Some(format) => crate::system::output::put_exactly(&sheet.text(format)),
        None => put(&sheet.table(headings, terminal::width())),
    }
    Ok(())
}

/// Prints a line for readers.
macro_rules! line {
    () => { $crate::system::output::put("\n") };
    ($($words:tt)*) => { $crate::system::output::put(&format!("{}\n", format_args!($($words)*))) };
}

pub(super) use line;
