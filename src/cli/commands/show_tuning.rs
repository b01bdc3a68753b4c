//! `runner show` on the folder of a tuning: prints its table of settings.

use super::output::put;
use super::sorting::{chosen, cut};
use crate::cli::Failure;
use crate::cli::arguments::ShowArguments;
use crate::present::format::real;
use crate::present::report::{Cell, Column, NOTHING, Report, TableFormat, fitted};
use crate::present::terminal;
use crate::system::output::put_exactly;
use crate::tuning::settings_cells;
use serde_json::Value;
use std::path::Path;

/// Prints the settings of a tuning.
pub(super) fn show_tuning(folder: &Path, arguments: &ShowArguments) -> Result<(), Failure> {
    let columns = settings_cells(folder)?;
    let rows = columns.first().map_or(0, |(_, cells)| cells.len());
    let report = Report::new(columns.iter().enumerate().map(column).collect());
    let shown = chosen(&report, &arguments.sort)?;
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

/// Returns a column of the table; the last ones are the first that a narrow terminal lacks.
fn column((place, (name, cells)): (usize, &(String, Vec<String>))) -> Column {
    let value = |cell: &String| match cell.parse::<f64>() {
        _ if cell.is_empty() => Value::Null,
        Ok(_) => serde_json::from_str(cell).unwrap_or_else(|_| cell.as_str().into()),
        Err(_) => cell.as_str().into(),
    };
    let text = |cell: &String| match cell.parse::<f64>() {
        _ if cell.is_empty() => NOTHING.to_owned(),
        Ok(number) if number.fract() != 0.0 => real(number),
        _ => cell.clone(),
    };
    let shown = cells.iter().map(|cell| Cell::Whole(text(cell))).collect();
    let heading = name.strip_prefix("operators.").unwrap_or(name).replace('_', " ");
    Column::figure(heading, shown)
        .keyed(&[name], cells.iter().map(|cell| vec![value(cell)]).collect())
        .giving_way(u8::try_from(60_usize.saturating_sub(place)).unwrap_or(1))
}
