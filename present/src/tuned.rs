//! Words and tables of a finished tuning, for the terminal and the page.

use crate::format::{ends, percent, real, real_beside};
use crate::report::{Cell, Column, NOTHING, Report, Rows};
use crate::system::shell::shell_path;
use crate::tuning::{DroppedOut, Finalist, TuningRecord};
use crate::words::{count, counted, listed};
use serde_json::Value;
use std::path::Path;

fn named(setting: usize) -> String {
    match setting {
        0 => "the file's own".to_owned(),
        number => number.to_string(),
    }
}

/// Returns what became of failed trials.
pub(crate) fn failures(tuning: &TuningRecord, folder: &Path) -> String {
    let in_iterations = tuning.failures;
    let at_the_end = tuning.finalists.iter().map(|one| one.failures).sum();
    let (end, experiment) = match tuning.finalists.as_slice() {
        [] => (", and all at the end".to_owned(), "test"),
        _ if at_the_end == 0 => (String::new(), "iteration-1"),
        _ => (format!(", and {} at the end", count(at_the_end)), "test"),
    };
    format!(
        "{} failed in the iterations{end}. They have no cost: a pair of trials with one makes no \
        setting drop out, and in the order of those left the setting that failed has lost it. To \
        see why: runner show {} --trials",
        counted(in_iterations, "trial"),
        shell_path(&folder.join(experiment)),
    )
}

/// Returns which settings are the best, and whether they are better than those of the file.
pub(crate) fn answer(tuning: &TuningRecord) -> String {
    if !tuning.has_compared() {
        return "No settings could be compared, because all trials failed.".to_owned();
    }
    if let [own] = tuning.finalists.as_slice() {
        return format!(
            "The best setting is {}; each other one dropped out of a race (confidence {}).",
            named(own.setting),
            percent(tuning.confidence)
        );
    }
    let left: Vec<String> = tuning
        .finalists
        .iter()
        .filter(|one| one.dropped_out.is_none() && one.trials > 0)
        .map(|one| named(one.setting))
        .collect();
    let first = match left.as_slice() {
        [] => "No settings could be compared at the end".to_owned(),
        [one] if tuning.has_best() => format!("The best setting is {one}"),
        [one] => format!(
            "Setting {one} is compared with no other, because all trials of those left failed"
        ),
        several => format!("Settings {} cannot be told apart", listed(several, "and")),
    };
    let own = tuning.finalists.iter().find(|one| one.setting == 0);
    let than_own = match own.and_then(|own| own.dropped_out) {
        Some(DroppedOut { by, .. }) => format!("; the file's own is worse than {}", named(by)),
        None if own.is_some_and(|own| own.trials == 0) && left.len() < 2 => String::new(),
        None if own.is_some_and(|own| own.trials == 0) => {
            "; the file's own could not be compared, because all of its trials failed".to_owned()
        }
        None if tuning.has_best() => String::new(),
        None => "; the file's own is among them".to_owned(),
    };
    format!(
        "{first}{than_own} (confidence {}, by trials that chose nothing).",
        percent(tuning.confidence)
    )
}

/// Returns the sentence before the lines of the best setting.
pub(crate) fn heading_of_lines(tuning: &TuningRecord, setting: usize) -> String {
    match (setting, tuning.has_best()) {
        (0, true) => "The settings of the file are the best.".to_owned(),
        (0, false) => "No setting is shown to be better than those of the file.".to_owned(),
        (number, _) => format!("Setting {number}, for [[operators]]:"),
    }
}

/// Returns the numbers of settings, trials and evaluations, a sentence per stage.
pub(crate) fn totals(tuning: &TuningRecord) -> [String; 2] {
    let restarts = match tuning.restarts.len() {
        0 => String::new(),
        1 => ", with 1 restart".to_owned(),
        more => format!(", with {more} restarts"),
    };
    [
        format!(
            "Tried: {} settings in {}{restarts}, {} trials, {} evaluations",
            count(tuning.settings),
            counted(tuning.iterations, "iteration"),
            count(tuning.trials),
            count(tuning.evaluations),
        ),
        format!(
            "Compared at the end: {} trials, {} evaluations",
            count(tuning.test_trials),
            count(tuning.test_evaluations),
        ),
    ]
}

/// Returns the table of the comparison at the end.
pub(crate) fn comparison(tuning: &TuningRecord) -> Report {
    let rows = Rows(&tuning.finalists);
    let number = |value: Option<f64>| value.map_or(NOTHING.to_owned(), real);
    let interval = |row: &Finalist| {
        row.interval.map_or(String::new(), |one| ends(&real(one.low), &real(one.high)))
    };
    let standing = |row: &Finalist| match (row.dropped_out, tuning.has_best()) {
        (Some(DroppedOut { by, .. }), _) => format!("worse than {}", named(by)),
        (None, _) if row.trials == 0 => "all failed".to_owned(),
        (None, true) => "best".to_owned(),
        (None, false) => "not told apart".to_owned(),
    };
    let against = |row: &Finalist| match row.against_own {
        Some((won, lost)) => format!("{} : {}", count(won), count(lost)),
        None => NOTHING.to_owned(),
    };
    let failed = tuning.finalists.iter().any(|one| one.failures > 0);
    let mut columns = vec![
        rows.name("setting", |row| named(row.setting)),
        rows.figure("trials", |row| count(row.trials)),
    ];
    columns.extend(failed.then(|| rows.figure("failed", |row| count(row.failures))));
    columns.extend([
        rows.figure("median cost", |row| number(row.median)).intervals(
            percent(0.95),
            rows.each(interval),
            2,
        ),
        rows.figure("mean cost", |row| number(row.mean)).giving_way(1),
        rows.figure("against own", against).giving_way(2),
        rows.name("result", standing),
    ]);
    Report::new(columns)
}

/// Returns the table of settings. `columns`: names and cells of `settings.parquet`.
pub fn settings_report(columns: &[(String, Vec<String>)]) -> Report {
    Report::new(columns.iter().enumerate().map(column).collect())
}

/// Returns a column of the table; the last ones are the first that a narrow terminal lacks.
fn column((place, (name, cells)): (usize, &(String, Vec<String>))) -> Column {
    let value = |cell: &String| match cell.parse::<f64>() {
        _ if cell.is_empty() => Value::Null,
        Ok(_) => serde_json::from_str(cell).unwrap_or_else(|_| cell.as_str().into()),
        Err(_) => cell.as_str().into(),
    };
    let numbers: Vec<f64> = cells.iter().filter_map(|cell| cell.parse().ok()).collect();
    let text = |cell: &String| match cell.parse::<f64>() {
        _ if cell.is_empty() => NOTHING.to_owned(),
        // Whole values of keys stay as the config has them, and others can be told apart.
        Ok(number) if !name.contains('.') => real(number),
        Ok(number) if number.fract() != 0.0 => real_beside(number, &numbers),
        _ => cell.clone(),
    };
    let shown = cells.iter().map(|cell| Cell::Whole(text(cell))).collect();
    let heading = name.strip_prefix("operators.").unwrap_or(name).replace('_', " ");
    Column::figure(heading, shown)
        .keyed(&[name], cells.iter().map(|cell| vec![value(cell)]).collect())
        .giving_way(u8::try_from(60_usize.saturating_sub(place)).unwrap_or(1))
}
