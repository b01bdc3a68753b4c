//! `runner report`: experiments as one HTML file.

use super::folders::of_results;
use super::open_replay::open_replay;
use super::output::line;
use crate::cli::arguments::ReportArguments;
use crate::cli::{Failure, Message};
use crate::exit::Exit;
use crate::present::html::{Entry, page};
use crate::results::Results;
use crate::run::Replay;
use crate::system::beside::both;
use std::path::Path;

pub(super) fn report(arguments: &ReportArguments) -> Result<Exit, Failure> {
    let mut opened: Vec<(&Path, Results)> = Vec::new();
    for folder in of_results(&arguments.folders) {
        opened.push((folder, Results::open(folder)?));
    }
    if opened.is_empty() {
        return Err(Failure::results(
            "none of these is a results folder; name folders such as results/NAME",
        ));
    }
    let mut entries = Vec::new();
    for (folder, results) in &opened {
        // The plugin is looked for while the tables are read.
        let (replay, entry) =
            both(|| open_replay(folder, &arguments.plugins), || Entry::read(folder, results));
        let mut entry = entry?;
        draw(&mut entry, replay);
        entries.push(entry);
    }
    let text = page(&entries)?;
    let path = &arguments.out;
    std::fs::write(path, text).map_err(|error| {
        Failure::results(format!("{}: cannot be written: {error}", path.display()))
    })?;
    line!("{}", path.display());
    Ok(Exit::Done)
}

/// Draws the boards, as far as the plugin is here.
fn draw(entry: &mut Entry<'_>, replay: Result<Replay, Failure>) {
    match replay {
        Ok(replay) => entry.draw(&replay),
        Err(Failure { faults, message, .. }) => {
            faults.print();
            if let Message::Error(words) = message {
                note!("no boards: {words}");
            }
        }
    }
}
