//! `runner show`: prints the tables of an experiment, finished or running.

use super::arms::{open_all, tell_unfinished};
use super::show_tuning::show_tuning;
use super::sorting::no_column;
use super::times::times;
use crate::cli::Failure;
use crate::cli::arguments::ShowArguments;
use crate::exit::Exit;
use crate::present::report::{RowFormat, order_of};
use crate::present::terminal::{
    self, ShowFormat, ShowOptions, ShowTable, ShownResults, summary_rows,
};
use crate::results::{Results, is_tuning_folder};
use crate::system::output::Exactly;
use std::io::BufWriter;

pub(super) fn show(arguments: &ShowArguments) -> Result<Exit, Failure> {
    if let [folder] = arguments.folders.as_slice()
        && is_tuning_folder(folder)
    {
        show_tuning(folder, arguments)?;
        return Ok(Exit::Done);
    }
    let all = open_all(&arguments.folders, &arguments.arms)?;
    // The table for people says so below it.
    if arguments.times || arguments.csv || arguments.json || arguments.latex {
        all.iter().for_each(tell_unfinished);
    }
    if arguments.times {
        times(&all, arguments)?;
        return Ok(Exit::Done);
    }
    let options = ShowOptions {
        table: if arguments.trials { ShowTable::Trials } else { ShowTable::Summary },
        format: match arguments {
            ShowArguments { csv: true, .. } => ShowFormat::Rows(RowFormat::Csv),
            ShowArguments { json: true, .. } => ShowFormat::Rows(RowFormat::Json),
            ShowArguments { latex: true, .. } => ShowFormat::Latex,
            _ => ShowFormat::Table,
        },
        rows: arguments.rows,
        width: terminal::width(),
    };
    let shown: Result<Vec<_>, Failure> = all
        .into_iter()
        .map(|results| {
            let places = places(&results, arguments)?;
            Ok(ShownResults { results, places })
        })
        .collect();
    terminal::show(&shown?, &options, &mut BufWriter::new(Exactly::default()))?;
    Ok(Exit::Done)
}

/// Returns the row numbers of the summary to show, in their order; `None` for all rows as they are.
fn places(results: &Results, arguments: &ShowArguments) -> Result<Option<Vec<usize>>, Failure> {
    if arguments.sort.sort.is_none() && arguments.sort.top.is_none() {
        return Ok(None);
    }
    let (names, rows) = summary_rows(results)?;
    let mut places: Vec<usize> = match arguments.sort.column() {
        None => (0..rows.len()).collect(),
        Some((column, descending)) => {
            let place = names.iter().position(|name| name == column);
            let place = place.ok_or_else(|| no_column(column, &names))?;
            order_of(&rows.iter().map(|row| &row[place]).collect::<Vec<_>>(), descending)
        }
    };
    places.truncate(arguments.sort.top(places.len()));
    Ok(Some(places))
}
