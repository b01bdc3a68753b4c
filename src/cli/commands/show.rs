//! `runner show`: the tables of an experiment, finished or running.

use super::arms::open_all;
use crate::cli::{Failure, ShowArguments};
use crate::exit::Exit;
use crate::present::terminal::{self, ShowFormat, ShowOptions, ShowTable};
use crate::system::output::Exactly;
use std::io::BufWriter;

pub(super) fn show(arguments: &ShowArguments) -> Result<Exit, Failure> {
    let options = ShowOptions {
        table: if arguments.trials { ShowTable::Trials } else { ShowTable::Summary },
        format: match arguments {
            ShowArguments { csv: true, .. } => ShowFormat::Csv,
            ShowArguments { json: true, .. } => ShowFormat::Json,
            _ => ShowFormat::Table,
        },
        rows: arguments.rows,
        width: terminal::width(),
    };
    let mut out = BufWriter::new(Exactly::default());
    for results in open_all(&arguments.folders, &arguments.arms)? {
        terminal::show(&results, &options, &mut out)?;
    }
    Ok(Exit::Done)
}
