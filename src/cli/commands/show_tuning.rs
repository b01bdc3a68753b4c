//! `runner show` on the folder of a tuning: prints its table of settings.

use super::output::put;
use super::sorting::{chosen, cut};
use crate::cli::Failure;
use crate::cli::arguments::ShowArguments;
use crate::present::report::{TableFormat, fitted};
use crate::present::terminal;
use crate::present::tuned::settings_report;
use crate::system::output::put_exactly;
use crate::system::shell::shell_path;
use crate::tuning::{TEST, settings_cells};
use std::path::Path;

/// Prints the settings of a tuning.
pub(super) fn show_tuning(folder: &Path, arguments: &ShowArguments) -> Result<(), Failure> {
    let given = [
        (arguments.latex, "--latex"),
        (arguments.trials, "--trials"),
        (arguments.times, "--times"),
        (!arguments.arms.arms.is_empty(), "--arm"),
    ];
    if let Some((_, flag)) = given.into_iter().find(|(is_given, _)| *is_given) {
        return Err(Failure::usage(format!(
            "{flag}: {} is a tuning, of which this prints the settings; `runner show {}` has the \
            arms of its comparison",
            folder.display(),
            shell_path(&folder.join(TEST))
        )));
    }
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
