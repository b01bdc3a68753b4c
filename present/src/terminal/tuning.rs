//! Text of a tuning: what it will do, and its result.

use super::advice::of_timed_out;
use crate::config::{Stage, Tuning};
use crate::format::{ends, percent, real};
use crate::plan::Limit;
use crate::report::{NOTHING, Report, Rows, fitted, paragraph};
use crate::system::shell::shell_path;
use crate::tuning::{Finalist, TuningResult};
use crate::words::{count, counted, listed};

/// Returns what a tuning will do: its keys, instances, iterations and settings.
#[must_use]
pub fn tuning_plan(tuning: &Tuning) -> String {
    let schedule = tuning.schedule();
    let keys: Vec<String> = tuning.keys().map(|key| format!("`{key}`")).collect();
    let (unit, budget) = match tuning.budget {
        Limit::Trials(trials) => ("trials", trials),
        Limit::Evaluations(evaluations) => ("evaluations", evaluations),
    };
    let settings = schedule.settings(tuning.most_of_trial()).unwrap_or(0);
    let (train, test) = (tuning.instances(Stage::Train), tuning.instances(Stage::Test));
    format!(
        "{} ({}): valid\n  tunes {}\n  budget: {} {unit}, in {} or more; the first with up to {} \
        settings on {}\n  at the end: the best settings and the file's own, up to {} \
        trials each on {}\n\n",
        tuning.name,
        tuning.path.display(),
        listed(&keys, "and"),
        count(budget),
        counted(u64::from(schedule.sure_iterations(tuning.most_of_trial())), "iteration"),
        count(settings as u64),
        counted(train as u64, "instance"),
        count(tuning.test_repeats),
        counted(test as u64, "instance"),
    )
}

/// Returns the result of a tuning: the best settings as TOML, and the comparison at the end.
#[must_use]
pub fn tuning_result(name: &str, result: &TuningResult, width: usize) -> String {
    let mut text = format!("{name}\n");
    text.push_str(&paragraph(&answer(result), width));
    let compared = has_compared(result);
    if let Some((finalist, lines)) =
        result.finalists.iter().zip(&result.lines).next().filter(|_| compared)
    {
        text.push_str(&match (finalist.setting, result.has_best()) {
            (0, true) => "\nThe settings of the file are the best.\n".to_owned(),
            (0, false) => "\nNo setting is shown to be better than those of the file.\n".to_owned(),
            (number, _) => {
                format!("\nSetting {number}, for [[operators]]:\n\n{}\n", lines.join("\n"))
            }
        });
    }
    if compared && result.finalists.len() > 1 {
        text.push_str(&format!("\n{}\n", fitted(&[comparison(result)], width, "").trim_end()));
    }
    if result.failures() > 0 {
        text.push_str(&paragraph(&failures(result), width));
    }
    if let Some(advice) = of_timed_out(result.timed_out) {
        text.push_str(&paragraph(&advice, width));
    }
    let restarts = match result.restarts.len() {
        0 => String::new(),
        1 => ", with 1 restart".to_owned(),
        more => format!(", with {more} restarts"),
    };
    text.push_str(&format!(
        "Tried: {} settings in {}{restarts}, {} trials, {} evaluations\nCompared at the end: {} \
        trials, {} evaluations\nTables: {}\n",
        count(result.settings.len() as u64),
        counted(result.iterations as u64, "iteration"),
        count(result.trials),
        count(result.evaluations),
        count(result.compared[0]),
        count(result.compared[1]),
        result.folder.shown.join("settings.parquet").display(),
    ));
    text
}

fn named(setting: usize) -> String {
    match setting {
        0 => "the file's own".to_owned(),
        number => number.to_string(),
    }
}

/// Returns whether trials of some setting in the iterations, and of some at the end, have a cost.
fn has_compared(result: &TuningResult) -> bool {
    !result.finalists.is_empty() && result.settings.iter().any(|one| one.trials > 0)
}

/// Returns what became of failed trials.
fn failures(result: &TuningResult) -> String {
    let in_iterations = result.settings.iter().map(|one| one.failures).sum();
    let at_the_end = result.finalists.iter().map(|one| one.failures).sum();
    let (end, experiment) = match result.finalists.as_slice() {
        [] => (", and all at the end".to_owned(), "test"),
        _ if at_the_end == 0 => (String::new(), "iteration-1"),
        _ => (format!(", and {} at the end", count(at_the_end)), "test"),
    };
    format!(
        "{} failed in the iterations{end}. They have no cost, and no pair with one is compared, so \
        a setting that fails where others succeed is not counted as worse. To see why: runner show \
        {} --trials",
        counted(in_iterations, "trial"),
        shell_path(&result.folder.shown.join(experiment)),
    )
}

/// Returns which settings are the best, and whether they are better than those of the file.
fn answer(result: &TuningResult) -> String {
    if !has_compared(result) {
        return "No settings could be compared, because all trials failed.".to_owned();
    }
    if let [own] = result.finalists.as_slice() {
        return format!(
            "The best setting is {}; each other one dropped out of a race (confidence {}).",
            named(own.setting),
            percent(result.confidence)
        );
    }
    let left: Vec<String> = result
        .finalists
        .iter()
        .filter(|one| one.dropped.is_none())
        .map(|one| named(one.setting))
        .collect();
    let first = match left.as_slice() {
        [one] => format!("The best setting is {one}"),
        several => format!("Settings {} cannot be told apart", listed(several, "and")),
    };
    let own = result.finalists.iter().find(|one| one.setting == 0);
    let than_own = match own.and_then(|own| own.dropped) {
        Some((_, by)) => format!("the file's own is worse than {}", named(by)),
        None if result.has_best() => "it is the file's own".to_owned(),
        None => "the file's own is among them".to_owned(),
    };
    format!(
        "{first}; {than_own} (confidence {}, by trials that chose nothing).",
        percent(result.confidence)
    )
}

/// Returns the table of the comparison at the end.
fn comparison(result: &TuningResult) -> Report {
    let rows = Rows(&result.finalists);
    let number = |value: Option<f64>| value.map_or(NOTHING.to_owned(), real);
    let interval = |row: &Finalist| {
        row.interval.map_or(String::new(), |one| ends(&real(one.low), &real(one.high)))
    };
    let standing = |row: &Finalist| match (row.dropped, result.has_best()) {
        (Some((_, by)), _) => format!("worse than {}", named(by)),
        (None, true) => "best".to_owned(),
        (None, false) => "not told apart".to_owned(),
    };
    let against = |row: &Finalist| match row.against_own {
        Some((won, lost)) => format!("{} : {}", count(won), count(lost)),
        None => NOTHING.to_owned(),
    };
    let failed = result.finalists.iter().any(|one| one.failures > 0);
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
