//! `runner show` on the folder of a tuning: prints its table of settings.

use super::output::put;
use super::sorting::{chosen, cut};
use crate::cli::Failure;
use crate::cli::arguments::ShowArguments;
use crate::present::report::{TableFormat, fitted};
use crate::present::terminal;
use crate::present::tuned::settings_report;
use crate::system::output::put_exactly;
use crate::tuning::settings_cells;
use std::path::Path;

/// Prints the settings of a tuning.
pub(super) fn show_tuning(folder: &Path, arguments: &ShowArguments) -> Result<(), Failure> {
    let columns = settings_cells(folder)?;
    let rows = columns.first().map_or(0, |(_, cells)| cells.len());
    let shown = chosen(&settings_report(&columns), &arguments.sort)?;
    match arguments {
        ShowArguments { csv: true, .. } => put_exactly(&shown.text(TableFormat::Csv)),
        ShowArguments { json: true, .. } => put_exactly(&shown.text(TableFormat::Json)),
        _ => {
            let cut = cut(shown.rows(), rows);
            put(&fitted(&[shown], terminal::width().into(), "--csv"));
            put(&if cut.is_empty() { cut } else { format!("{cut}\n") });
        }
    }
    Ok(())
}
