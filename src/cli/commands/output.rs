//! Standard output: where results go.

use crate::cli::Failure;
use crate::cli::arguments::FormArguments;
use crate::present::data_table::DataTable;
pub(super) use crate::system::output::put;

/// Prints a table in the form that is asked for, and writes it as Parquet where that is wanted; for
/// readers as `shown` has it, for papers as `latex` has it.
pub(super) fn put_table(
    table: &DataTable,
    form: &FormArguments,
    shown: impl FnOnce() -> String,
    latex: impl FnOnce() -> String,
) -> Result<(), Failure> {
    if let Some(path) = &form.parquet {
        table.write(path).map_err(Failure::results)?;
    }
    match form.format() {
        Some(format) => crate::system::output::put_exactly(&table.text(format)),
        None if form.latex => crate::system::output::put_exactly(&latex()),
        None => put(&shown()),
    }
    Ok(())
}

/// Prints a line for readers.
macro_rules! line {
    () => { $crate::system::output::put("\n") };
    ($($words:tt)*) => { $crate::system::output::put(&format!("{}\n", format_args!($($words)*))) };
}

pub(super) use line;
