//! Text of a tuning: what it will do, and its result.

use crate::config::{Stage, Tuning};
use crate::format::{ends, percent, real};
use crate::plan::Limit;
use crate::report::{NOTHING, Report, Rows, fitted, paragraph};
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
        "{} ({}): valid\n  tunes {}\n  budget: {} {unit}, in {} iterations or more; the \
        first with {} settings on {}\n  at the end: the best settings and the file's own, up to {} \
        trials each on {}\n\n",
        tuning.name,
        tuning.path.display(),
        listed(&keys, "and"),
        count(budget),
        schedule.iterations(),
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
    for (finalist, lines) in result.finalists.iter().zip(&result.lines).take(1) {
        text.push_str(&match finalist.setting {
            0 => "\nThe settings of the file are the best.\n".to_owned(),
            number => format!("\nSetting {number}, for [[operators]]:\n\n{}\n", lines.join("\n")),
        });
    }
    text.push_str(&format!("\n{}\n", fitted(&[comparison(result)], width, "").trim_end()));
    let restarts = match result.restarts.len() {
        0 => String::new(),
        1 => ", with 1 restart".to_owned(),
        more => format!(", with {more} restarts"),
    };
    text.push_str(&format!(
        "Tried: {} settings in {}{restarts}, {} trials, {} evaluations\nTables: {}\n",
        count(result.settings.len() as u64),
        counted(result.iterations as u64, "iteration"),
        count(result.trials),
        count(result.evaluations),
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

/// Returns which settings are the best, and whether they are better than those of the file.
fn answer(result: &TuningResult) -> String {
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
    Report::new(vec![
        rows.name("setting", |row| named(row.setting)),
        rows.figure("trials", |row| count(row.trials)),
        rows.figure("median cost", |row| number(row.median)).intervals(
            percent(0.95),
            rows.each(interval),
            2,
        ),
        rows.figure("mean cost", |row| number(row.mean)).giving_way(1),
        rows.figure("against own", against).giving_way(2),
        rows.name("result", standing),
    ])
}
