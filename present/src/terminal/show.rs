//! `runner show`: a results folder as a table, CSV or JSON.

use super::conclusion::hash_line;
use crate::analysis::SummaryTable;
use crate::format::{real, with_violation};
use crate::parquet::{self, Frame, FrameError};
use crate::plan::shard::Shard;
use crate::record::TrialRecord;
use crate::report::{NOTHING, Report, RowFormat, RowWriter, Rows, fitted, latex, paragraph};
use crate::results::{Provenance, Results, ResultsError};
use crate::suite::suite_words;
use crate::summary::{report_table, summary_methods, summary_report};
use crate::system::output::visible_line;
use crate::words::{count, counted};
use serde_json::Value;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Table to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShowTable {
    /// A row per arm.
    Summary,
    /// A row per trial.
    Trials,
}

/// Format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShowFormat {
    /// Table for readers.
    Table,
    /// Rows for programs.
    Rows(RowFormat),
    /// Summary for a paper.
    Latex,
}

/// Choice of the table, its rows and its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShowOptions {
    /// Table to show.
    pub table: ShowTable,
    /// Form of the table.
    pub format: ShowFormat,
    /// Maximum number of trials in a table for readers. CSV and JSON have all.
    pub rows: usize,
    /// Columns of the terminal.
    pub width: u16,
}

/// Results to show.
pub struct ShownResults {
    /// Results, finished or not.
    pub results: Results,
    /// Positions of the arms that the summary shows, in their order; `None` for all arms as they
    /// are.
    pub places: Option<Vec<usize>>,
}

/// Names of columns, and the cells of each row.
pub(crate) type NamedRows = (Vec<String>, Vec<Vec<Value>>);

/// Returns the summary with all columns and one row per arm.
///
/// # Errors
/// Returns an error if the results cannot be read.
pub fn summary_rows(results: &Results) -> Result<NamedRows, ResultsError> {
    let frame = results.summary_frame()?;
    let names = frame.names().map(str::to_owned).collect();
    Ok((names, rows(&frame, results.folder())?))
}

/// Returns the summary with the shown arms, in their order, and its report. Columns and best values
/// are those of all arms.
fn chosen(shown: &ShownResults) -> Result<(SummaryTable, Report), ResultsError> {
    let mut summary = shown.results.summary()?;
    let mut report = summary_report(&summary);
    if let Some(places) = &shown.places {
        report = report.at(places);
        summary.rows = places.iter().map(|place| summary.rows[*place].clone()).collect();
    }
    Ok((summary, report))
}

/// Writes results to `out`: rows for programs as one table, else a table for each. A reader that
/// closes `out` early (a closed pipe) is not an error.
///
/// # Errors
/// Returns an error if the results cannot be read or `out` cannot be written.
pub fn show(
    all: &[ShownResults],
    options: &ShowOptions,
    out: &mut dyn Write,
) -> Result<(), ResultsError> {
    let written = match (options.format, options.table) {
        (ShowFormat::Rows(format), table) => show_rows(all, (table, format), out),
        (ShowFormat::Table, ShowTable::Summary) => {
            all.iter().try_for_each(|shown| show_summary(shown, options, out))
        }
        (ShowFormat::Table, ShowTable::Trials) => {
            all.iter().try_for_each(|shown| show_trials(&shown.results, options, out))
        }
        (ShowFormat::Latex, _) => all.iter().try_for_each(|shown| {
            let (summary, report) = chosen(shown)?;
            let text = latex(&report, &summary_methods(&summary));
            out.write_all(text.as_bytes()).map_err(output)
        }),
    };
    match written.and_then(|()| out.flush().map_err(output)) {
        Err(ResultsError::File { source, .. }) if source.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn output(source: io::Error) -> ResultsError {
    ResultsError::File {
        path: "standard output".into(),
        action: "write",
        source,
        way_out: "check where it goes and whether there is free space",
    }
}

/// Writes all rows of all results with the columns that any of them has. Experiments differ in
/// their swept keys, for example; the cells of a column that one does not have are null.
fn show_rows(
    all: &[ShownResults],
    (table, format): (ShowTable, RowFormat),
    out: &mut dyn Write,
) -> Result<(), ResultsError> {
    let mut names: Vec<String> = Vec::new();
    for shown in all {
        let own = match table {
            ShowTable::Summary => shown.results.summary_frame(),
            ShowTable::Trials => shown.results.no_trials_frame(),
        }?;
        let new: Vec<_> = own.names().filter(|name| !names.iter().any(|one| one == name)).collect();
        names.extend(new.into_iter().map(str::to_owned));
    }
    let header: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut writer = RowWriter::new(format, &header, out).map_err(output)?;
    for ShownResults { results, places } in all {
        frames(results, table, &mut |frame| {
            let columns: Vec<_> =
                names.iter().map(|name| frame.names().position(|own| own == name)).collect();
            let rows = rows(frame, results.folder())?;
            let places = places.as_ref().filter(|_| table == ShowTable::Summary);
            let places = places.cloned().unwrap_or_else(|| (0..rows.len()).collect());
            places
                .iter()
                .try_for_each(|place| {
                    let cell = |column: &Option<usize>| column.map(|column| &rows[*place][column]);
                    writer.row(columns.iter().map(|column| cell(column).unwrap_or(&Value::Null)))
                })
                .map_err(output)
        })?;
    }
    writer.end().map(|_| ()).map_err(output)
}

fn show_summary(
    shown: &ShownResults,
    options: &ShowOptions,
    out: &mut dyn Write,
) -> Result<(), ResultsError> {
    let results = &shown.results;
    let (shown, report) = chosen(shown)?;
    let summary = results.summary()?;
    let mut text = report_table(report, &shown, options.width);
    if shown.rows.len() < summary.rows.len() {
        let (some, all) = (shown.rows.len() as u64, summary.rows.len() as u64);
        text.push_str(&format!("{} of {} arms are shown.\n", count(some), count(all)));
    }
    text.push_str(&hash_line(&summary));
    for suite in Provenance::read(results.folder()).unwrap_or_default().suites {
        text.push_str(&format!("Suite: {}\n", visible_line(&suite_words(&suite))));
    }
    if let Some(file) = results.imported() {
        text.push_str(&format!(
            "Imported from {}: runner did not run the trials of arms marked (imported).\n",
            visible_line(file)
        ));
    }
    if let Some(planned) = results.planned() {
        let done = summary.all_trials();
        let all = results.shard().map_or(planned * summary.rows.len() as u64, |(_, own)| own);
        let (done_words, all_words) = (count(done), counted(all, "trial"));
        let most = if results.stopping_rule().is_some() { "at most " } else { "" };
        text.push_str(&match results.shard() {
            Some((Shard { number, of }, own)) if done >= own => format!(
                "Shard {number} of {of} is done: {all_words}. When all shards are done, `runner \
                merge` makes the tables of all trials.\n"
            ),
            Some((Shard { number, of }, _)) => format!(
                "Unfinished: {done_words} of {all_words} of shard {number} of {of}. Run the same \
                command again to continue.\n"
            ),
            None => format!(
                "Unfinished: {done_words} of {most}{all_words}. Run the same command again to \
                continue.\n"
            ),
        });
    }
    out.write_all(text.as_bytes()).map_err(output)
}

fn show_trials(
    results: &Results,
    options: &ShowOptions,
    out: &mut dyn Write,
) -> Result<(), ResultsError> {
    let trials = results.first_trials(options.rows)?;
    let all = results.summary()?.all_trials();
    let rows = Rows(&trials);
    let optional = |value: Option<u64>| value.map_or(NOTHING.to_owned(), count);
    let label = |trial: &TrialRecord| visible_line(&results.arms()[trial.arm].label).into_owned();
    let fitness = |trial: &TrialRecord| {
        let fitness = trial.best_fitness.map_or(NOTHING.to_owned(), real);
        with_violation(fitness, trial.best_violation)
    };
    let mut columns = vec![
        rows.name("arm", label),
        rows.figure("trial", |trial| count(trial.trial)),
        rows.text("outcome", |trial| trial.outcome.to_string()),
        rows.figure("best\nfitness", fitness),
        rows.figure("evaluations", |trial| count(trial.evaluations)),
        rows.figure("to\nsuccess", |trial| optional(trial.evaluations_to_success)),
        rows.figure("generations", |trial| count(trial.generations)).giving_way(1),
        rows.text("best", |trial| visible_line(&best_words(trial)).into_owned()).giving_way(2),
    ];
    if trials.iter().any(|trial| trial.error.is_some()) {
        let error = |trial: &TrialRecord| trial.error.clone().unwrap_or_default();
        columns.push(rows.text("error", |trial| visible_line(&error(trial)).into_owned()));
    }
    let width = usize::from(options.width);
    let mut text = fitted(&[Report::new(columns)], width, "--csv");
    if (trials.len() as u64) < all {
        let words = format!(
            "The first {} of {}: --rows N shows more, --csv and --json show all.",
            count(trials.len() as u64),
            counted(all, "trial")
        );
        text.push_str(&paragraph(&words, width));
    }
    out.write_all(text.as_bytes()).map_err(output)
}

/// Returns the best genome, rendered or as its genes, cut to the width of a cell.
fn best_words(trial: &TrialRecord) -> String {
    const ROOM: usize = 32;
    let text = match (&trial.best_text, &trial.best) {
        (Some(text), _) => text.clone(),
        (None, Some(genome)) => genome.to_string(),
        (None, None) => String::new(),
    };
    if text.chars().count() <= ROOM {
        text
    } else {
        text.chars().take(ROOM - 1).chain(['…']).collect()
    }
}

fn frames(
    results: &Results,
    table: ShowTable,
    visit: &mut dyn FnMut(&Frame) -> Result<(), ResultsError>,
) -> Result<(), ResultsError> {
    match table {
        ShowTable::Summary => visit(&results.summary_frame()?),
        ShowTable::Trials => results.trial_frames(visit),
    }
}

/// Returns the rows of a frame as JSON values.
fn rows(frame: &Frame, folder: &Path) -> Result<Vec<Vec<Value>>, ResultsError> {
    let columns: Result<Vec<Vec<Value>>, FrameError> = frame.columns().iter().map(values).collect();
    let columns = columns.map_err(|error| ResultsError::unreadable(folder, error))?;
    let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
    Ok((0..frame.height())
        .map(|_| columns.iter_mut().filter_map(Iterator::next).collect())
        .collect())
}

fn values(column: &parquet::Column) -> Result<Vec<Value>, FrameError> {
    fn all<T>(values: impl Iterator<Item = Option<T>>) -> Vec<Value>
    where
        Value: From<Option<T>>,
    {
        values.map(Value::from).collect()
    }
    if let Ok(lists) = column.list() {
        let values = values(&lists.values)?;
        let list = |row| lists.range(row).map_or(Value::Null, |range| values[range].into());
        return Ok((0..column.len()).map(list).collect());
    }
    if let Ok(numbers) = column.u64() {
        return Ok(all(numbers.iter()));
    }
    if let Ok(numbers) = column.f64() {
        return Ok(all(numbers.iter()));
    }
    if let Ok(truths) = column.bool() {
        return Ok(all(truths.iter()));
    }
    if let Ok(numbers) = column.i64() {
        return Ok(all(numbers.iter()));
    }
    if let Ok(genes) = column.u32() {
        return Ok(all(genes.iter()));
    }
    Ok(all(column.str()?.iter()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::Trace;
    use crate::results::fixtures::{folder, run, spec};

    fn shown(out: &Path, table: ShowTable, format: ShowFormat, width: u16) -> String {
        let mut bytes = Vec::new();
        let options = ShowOptions { table, format, rows: 5, width };
        let results = Results::open(&out.join("queens")).expect("results");
        show(&[ShownResults { results, places: None }], &options, &mut bytes)
            .expect("results can be shown");
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn results_are_shown() {
        let out = folder();
        run(out.path(), &spec(&[10, 20], 1_000, Trace::None));
        insta::assert_snapshot!(
            "summary_at_80_columns",
            shown(out.path(), ShowTable::Summary, ShowFormat::Table, 80)
        );
        insta::assert_snapshot!(
            "summary_at_140_columns",
            shown(out.path(), ShowTable::Summary, ShowFormat::Table, 140)
        );
        insta::assert_snapshot!(
            "trials_at_120_columns",
            shown(out.path(), ShowTable::Trials, ShowFormat::Table, 120)
        );

        let csv = shown(out.path(), ShowTable::Trials, ShowFormat::Rows(RowFormat::Csv), 80);
        assert_eq!(csv.lines().count(), 2_001);
        assert!(
            csv.starts_with(
                "experiment,arm,arm_id,problem,operators,operators.population,trial,seed,"
            ),
            "{csv:.200}"
        );
        let json = shown(out.path(), ShowTable::Summary, ShowFormat::Rows(RowFormat::Json), 80);
        assert!(json.starts_with("[\n  {\"experiment\":\"queens\",\"arm\":"), "{json:.80}");
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json[1]["operators.population"], 20);
        assert_eq!(json.as_array().map(Vec::len), Some(2));
        let json = shown(out.path(), ShowTable::Trials, ShowFormat::Rows(RowFormat::Json), 80);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json.as_array().map(Vec::len), Some(2_000));
        assert!(json[3]["best"].as_array().is_some_and(|genes| genes.len() == 8), "{}", json[3]);
    }
}
