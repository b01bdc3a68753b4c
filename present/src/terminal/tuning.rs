//! Text of a tuning: what it will do, and its result.

use super::advice::of_timed_out;
use crate::config::{Stage, Tuning};
use crate::plan::Limit;
use crate::report::{fitted, paragraph};
use crate::tuned::{answer, comparison, failures, heading_of_lines, totals};
use crate::tuning::TuningResult;
use crate::words::{count, counted, listed};

/// Returns what a tuning will do: its keys, instances, iterations and settings.
pub fn tuning_plan(tuning: &Tuning) -> String {
    let schedule = tuning.schedule();
    let keys: Vec<String> = tuning.keys().map(|key| format!("`{key}`")).collect();
    let (unit, budget) = match tuning.budget {
        Limit::Trials(trials) => ("trials", trials),
        Limit::Evaluations(evaluations) => ("evaluations", evaluations),
    };
    let settings = schedule.settings(tuning.most_of_trial()).unwrap_or(0);
    let settings = settings.max(tuning.first_settings()) as u64;
    let sure = u64::from(schedule.sure_iterations(tuning.most_of_trial()));
    // The file's own setting may be none of the combinations.
    let all = tuning.combinations().filter(|all| *all < settings);
    let iterations = match all {
        Some(all) => format!("until all {} were tried", counted(all, "combination")),
        None => format!("in {} or more", counted(sure, "iteration")),
    };
    let (train, test) = (tuning.instances(Stage::Train), tuning.instances(Stage::Test));
    format!(
        "{} ({}): valid\n  tunes {}\n  budget: {} {unit}, {iterations}; the first with up to {} \
        settings on {}\n  at the end: the best settings and the file's own, up to {} \
        trials each on {}\n\n",
        tuning.name,
        tuning.source.path.display(),
        listed(&keys, "and"),
        count(budget),
        count(all.map_or(settings, |all| settings.min(all + 1))),
        counted(train as u64, "instance"),
        count(tuning.test_repeats),
        counted(test as u64, "instance"),
    )
}

/// Returns the result of a tuning: the best settings as TOML, and the comparison at the end.
pub fn tuning_result(result: &TuningResult, width: usize) -> String {
    let TuningResult { folder, record, .. } = result;
    let mut text = format!("{}\n", record.name);
    text.push_str(&paragraph(&answer(record), width));
    let compared = record.has_compared();
    if let Some(finalist) = record.finalists.first().filter(|_| compared) {
        text.push_str(&format!("\n{}\n", heading_of_lines(record, finalist.setting)));
        if !finalist.lines.is_empty() {
            text.push_str(&format!("\n{}\n", finalist.lines.join("\n")));
        }
    }
    if record.has_comparison() {
        text.push_str(&format!("\n{}\n", fitted(&[comparison(record)], width, "").trim_end()));
    }
    if record.all_failures() > 0 {
        text.push_str(&paragraph(&failures(record, &folder.shown), width));
    }
    if let Some(advice) = of_timed_out(record.timed_out) {
        text.push_str(&paragraph(&advice, width));
    }
    text.push_str(&format!(
        "{}\nTables: {}\n",
        totals(record).join("\n"),
        folder.shown.join("settings.parquet").display(),
    ));
    text
}
