//! `runner report`: writes experiments as one HTML file, or their reproducibility checklists.

use super::folders::of_results;
use super::open_replay::open_replay;
use super::output::{line, words_of_written};
use crate::cli::arguments::ReportArguments;
use crate::cli::{Failure, Message};
use crate::exit::Exit;
use crate::present::html::{Entry, checklists, page, tuning_page};
use crate::results::storage::output_folder;
use crate::results::{Provenance, Results, is_tuning_folder};
use crate::run::Replay;
use crate::system::parallel::both;
use crate::tuning::{TEST, TUNING_FILE, TuningRecord};
use std::path::{Path, PathBuf};

pub(super) fn report(arguments: &ReportArguments) -> Result<Exit, Failure> {
    let is_pdf =
        |path: &&PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pdf"));
    if let Some(path) = arguments.out.as_ref().filter(is_pdf) {
        let instead = match arguments.checklist {
            true => "name a file such as checklist.md",
            false => "name a file such as report.html, and print it in a browser",
        };
        let words = format!("{}: this command writes no PDF; {instead}", path.display());
        return Err(Failure::usage(words));
    }
    if let [folder] = arguments.folders.as_slice()
        && is_tuning_folder(folder)
        && !arguments.checklist
    {
        let text = report_of_tuning(folder)?;
        return write(arguments, folder, ("report.html", &text));
    }
    let mut opened: Vec<(&Path, Results)> = Vec::new();
    for folder in of_results(&arguments.folders) {
        opened.push((folder, Results::open(folder)?));
    }
    if opened.is_empty() {
        return Err(Failure::results(
            "none of these is a results folder; name folders such as results/NAME",
        ));
    }
    let folders: Vec<&Path> = opened.iter().map(|(folder, _)| *folder).collect();
    let (name, text) = match arguments.checklist {
        true => ("checklist.md", checklist(&opened)?),
        false => ("report.html", report_of(arguments, &opened)?),
    };
    write(arguments, common(&folders), (name, &text))
}

/// Writes the text to `--out`, or to a file with this name in a folder of results.
fn write(
    arguments: &ReportArguments,
    folder: &Path,
    (name, text): (&str, &str),
) -> Result<Exit, Failure> {
    let path = match &arguments.out {
        Some(path) => {
            output_folder::write_named(path, text.as_bytes())?;
            path.clone()
        }
        None => {
            let path = folder.join(name);
            output_folder::write(&path, text.as_bytes())?;
            path
        }
    };
    line!("{}", path.display());
    note!("{}", words_of_written(&[path]));
    Ok(Exit::Done)
}

/// Returns the page of these experiments.
fn report_of(arguments: &ReportArguments, opened: &[(&Path, Results)]) -> Result<String, Failure> {
    let mut entries = Vec::new();
    for (folder, results) in opened {
        // The plugin is searched for while the tables are read.
        let (replay, entry) =
            both(|| open_replay(folder, &arguments.plugins), || Entry::read(folder, results));
        let mut entry = entry?;
        draw(&mut entry, replay);
        entries.push(entry);
    }
    Ok(page(&entries)?)
}

/// Returns the page of a finished tuning.
fn report_of_tuning(folder: &Path) -> Result<String, Failure> {
    let record = record_of_tuning(folder)?;
    let test = folder.join(TEST);
    let (results, provenance) = (Results::open(&test)?, Provenance::read(&test)?);
    Ok(tuning_page(folder, folder, &record, (&results, &provenance))?)
}

/// Returns the record of a finished tuning.
pub(super) fn record_of_tuning(folder: &Path) -> Result<TuningRecord, Failure> {
    TuningRecord::read(folder)?.ok_or_else(|| {
        Failure::results(format!(
            "{}: this tuning has no {TUNING_FILE}, because an earlier version of runner finished \
            it; give the command that tuned again, which runs no trial again and writes it",
            folder.display()
        ))
    })
}

/// Returns the checklists of these experiments.
fn checklist(opened: &[(&Path, Results)]) -> Result<String, Failure> {
    let entries = opened.iter().map(|(folder, results)| Entry::read(folder, results));
    let entries = entries.collect::<Result<Vec<_>, _>>()?;
    let (text, without) = checklists(&entries);
    for folder in &without {
        warning!(
            "{}: no run of runner made these results, so it has no checklist",
            folder.display()
        );
    }
    match without.len() < entries.len() {
        true => Ok(text),
        false => Err(Failure::results("none of these results has a run to make a checklist of")),
    }
}

/// Returns the folder of one experiment, or the common parent of several. It is empty, the working
/// directory, if there is none.
fn common<'a>(folders: &[&'a Path]) -> &'a Path {
    match folders {
        [one] => one,
        [first, others @ ..] => {
            let holds = |above: &&&Path| others.iter().all(|other| other.starts_with(above));
            let mut above = first.ancestors().skip(1);
            above.find(|above| holds(&above)).unwrap_or(Path::new(""))
        }
        [] => Path::new(""),
    }
}

/// Draws the boards if the plugin is available.
pub(super) fn draw(entry: &mut Entry<'_>, replay: Result<Replay, Failure>) {
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
