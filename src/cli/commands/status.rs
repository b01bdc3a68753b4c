//! `runner status`: reports the progress of submitted experiments.

use super::output::put;
use crate::cli::Failure;
use crate::cli::arguments::StatusArguments;
use crate::cluster::{Status, Verdict, status_text};
use crate::exit::Exit;
use crate::present::terminal;
use crate::system::output::{draw, put_exactly, visible};
use crate::system::streams::Stream;
use console::measure_text_width;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

/// Time between two polls.
const INTERVAL: Duration = Duration::from_secs(5);

pub(super) fn status(arguments: &StatusArguments) -> Result<Exit, Failure> {
    let mut all = look(arguments)?;
    if arguments.json {
        let text = serde_json::to_string_pretty(&all)
            .map_err(|error| Failure::results(format!("this status is no JSON: {error}")))?;
        put_exactly(&format!("{text}\n"));
    } else {
        if arguments.watch {
            all = watch(arguments, all)?;
        }
        put(&text(&all));
    }
    Ok(all.iter().fold(Exit::Done, |exit, status| worse(exit, exit_of(status.verdict))))
}

fn look(arguments: &StatusArguments) -> Result<Vec<Status>, Failure> {
    let read = |folder: &PathBuf| Ok(Status::read(folder)?);
    arguments.folders.iter().map(read).collect()
}

fn text(all: &[Status]) -> String {
    let texts: Vec<String> =
        all.iter().map(|status| status_text(status, terminal::width())).collect();
    texts.join("\n")
}

fn exit_of(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Complete => Exit::Done,
        Verdict::Underway => Exit::Underway,
        Verdict::Stopped => Exit::SomeFailed,
    }
}

/// Returns the worse of two exit codes. A stopped experiment needs attention, whatever the others
/// do.
fn worse(one: Exit, other: Exit) -> Exit {
    let rank =
        |exit| [Exit::Done, Exit::Underway, Exit::SomeFailed].iter().position(|e| *e == exit);
    if rank(one) >= rank(other) { one } else { other }
}

/// Polls until no experiment waits or runs, and returns the last status. On a terminal, each status
/// replaces the one before. Elsewhere, only changes are printed.
fn watch(arguments: &StatusArguments, mut all: Vec<Status>) -> Result<Vec<Status>, Failure> {
    let in_place = Stream::Error.is_terminal() && !console::is_dumb();
    let underway = |all: &[Status]| all.iter().any(|one| one.verdict == Verdict::Underway);
    let mut rows = 0;
    let mut before = String::new();
    while underway(&all) {
        let text = text(&all);
        if in_place {
            draw(&format!("{}{}", up(rows), visible(&text)));
            rows = rows_of(&text);
        } else if text != before {
            put(&text);
        }
        before = text;
        sleep(INTERVAL);
        all = look(arguments)?;
    }
    if in_place {
        draw(&up(rows));
    }
    Ok(all)
}

/// Moves up by `rows` rows and clears everything below (ECMA-48).
fn up(rows: usize) -> String {
    if rows == 0 { String::new() } else { format!("\u{1b}[{rows}F\u{1b}[J") }
}

/// Returns the number of rows that the text takes on the terminal.
fn rows_of(text: &str) -> usize {
    let columns = Stream::Error.size().map_or(80, |(_, columns)| usize::from(columns.max(1)));
    text.lines().map(|line| measure_text_width(line).max(1).div_ceil(columns)).sum()
}
