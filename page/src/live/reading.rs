//! Reading of results for a page, in a process that can be ended at any time.

use super::order::Reading;
use crate::analysis::comparison::{
    Comparison, Family, Sample, answers, compare, family, made_in_pairs,
};
use crate::analysis::{SummaryRow, SummaryTable};
use crate::present::answer::{answer_lines, answer_report};
use crate::present::chart::{Boards, Subject, gallery, trial_svg};
use crate::present::comparison::{legend, verdict};
use crate::present::excerpt::{Excerpt, readable};
use crate::present::html::{Entry, page};
use crate::present::pairs::{comparison_report, labels};
use crate::results::{
    Provenance, Results, ResultsError, Run, is_being_run, is_tuning_folder, samples,
};
use crate::run::{PluginSource, Replay};
use crate::system::shell::shell_path;
use serde_json::{Value, json};
use std::path::Path;

/// Maximum number of arms in an answer; if there are more, half are the best and half the worst.
const ARMS: usize = 1_000;
const EACH: usize = ARMS / 2;

/// Reads texts of these results, each with its name.
pub(super) fn read(
    folder: &Path,
    reading: Reading,
    source: &PluginSource,
) -> Result<Vec<(String, String)>, String> {
    let one = |text: String| vec![(String::new(), text)];
    let texts = match reading {
        Reading::Summary => summary(folder).map(|answer| one(answer.to_string())),
        Reading::Comparison => comparison(folder).map(|answer| one(answer.to_string())),
        Reading::Plots => plots(folder),
        Reading::Report => report(folder, source).map(one),
    };
    texts.map_err(|error| error.to_string())
}

fn summary(folder: &Path) -> Result<Value, ResultsError> {
    if is_tuning_folder(folder) {
        return Ok(json!({ "tuning": shell_path(folder) }));
    }
    let results = Results::open(folder)?;
    let summary = summary_now(&results)?;
    let excerpt = Excerpt::of(&summary.rows, ARMS, EACH);
    let provenance = Provenance::read(folder).unwrap_or_default();
    let run = provenance.runs.last();
    let state = state(&results, &summary);
    let going = run.filter(|_| state == "running");
    Ok(json!({
        "experiment": results.experiment(),
        "state": state,
        "seconds": going.and_then(Run::seconds),
        "before": going.map(|run| run.trials_before),
        "finished": results.planned().is_none(),
        "planned": planned(&results, &summary),
        "shard": results.shard().map(|(shard, _)| shard.to_string()),
        "imported": results.imported(),
        "trace": results.trace().as_str(),
        "swept": summary.swept_keys,
        "hash": summary.results_hash,
        "count": summary.rows.len(),
        "trials": summary.all_trials(),
        "error": first_error(&results, &summary)?,
        "method": summary.rate_interval().method.to_string(),
        "arms": excerpt.arms.iter().map(|place| arm(&summary.rows[*place])).collect::<Vec<_>>(),
        "config": run.map(|run| run.config.as_str()),
    }))
}

/// Returns the summary of the trials so far, with intervals that hold while trials come in.
pub(super) fn summary_now(results: &Results) -> Result<SummaryTable, ResultsError> {
    let summary = results.summary()?;
    Ok(if results.planned().is_some() { summary.at_any_look() } else { summary })
}

pub(super) fn state(results: &Results, summary: &SummaryTable) -> &'static str {
    match (results.imported(), planned(results, summary)) {
        (Some(_), _) => "imported",
        (None, None) => "finished",
        (None, Some(_)) if is_being_run(results.folder()) => "running",
        (None, Some(all)) if results.shard().is_some() && summary.all_trials() >= all => {
            "shard done"
        }
        (None, Some(_)) => "unfinished",
    }
}

/// Returns the planned trials of an unfinished experiment, or of the shard that its folder is to
/// have; `None` if it is finished.
pub(super) fn planned(results: &Results, summary: &SummaryTable) -> Option<u64> {
    let planned = results.planned()?;
    Some(results.shard().map_or(planned * summary.rows.len() as u64, |(_, trials)| trials))
}

/// Returns the error of the first trial if all trials failed.
fn first_error(results: &Results, summary: &SummaryTable) -> Result<Option<String>, ResultsError> {
    let all_failed =
        summary.all_trials() > 0 && summary.rows.iter().all(|row| row.figures.trials == 0);
    let first = if all_failed { results.first_trials(1)? } else { Vec::new() };
    Ok(first.into_iter().next().and_then(|trial| trial.error))
}

fn arm(row: &SummaryRow) -> Value {
    let SummaryRow { arm, figures, .. } = row;
    let interval = figures.success_interval.as_ref();
    let swept: Vec<Option<String>> =
        arm.swept.iter().map(|value| value.as_ref().map(ToString::to_string)).collect();
    json!({
        "label": arm.label,
        "id": arm.id.to_string(),
        "operators": arm.operators,
        "swept": swept,
        "trials": figures.trials,
        "successes": figures.successes,
        "failures": figures.failures,
        "timed_out": figures.timed_out,
        "rate": figures.success_rate,
        "low": interval.map(|interval| interval.low),
        "high": interval.map(|interval| interval.high),
        "ert": figures.ert.as_ref().map(|ert| ert.value),
        "best": figures.best_fitness.as_ref().map(|spread| spread.min),
        "median": figures.best_fitness.as_ref().map(|spread| spread.median),
        "evaluations": figures.evaluations_total,
    })
}

fn comparison(folder: &Path) -> Result<Value, ResultsError> {
    let samples = samples(&Results::open(folder)?)?;
    Ok(compared(&samples, &family(&samples, false)))
}

/// Returns these comparisons: the answer, the pairs, and the tables of `runner compare`.
pub(super) fn compared(samples: &[Sample], family: &Family<'_>) -> Value {
    let all = compare(&family.pairs, made_in_pairs(&family.pairs));
    let answers = answers(samples, &all);
    let of = |one: &Comparison| {
        json!({
            "first": one.first, "second": one.second, "verdict": verdict(one),
            "difference": one.difference,
            "low": one.difference_interval.low, "high": one.difference_interval.high,
        })
    };
    let (shown, cut) = readable(&all);
    let rows: Vec<Comparison> = shown.iter().copied().cloned().collect();
    let pairs = comparison_report(&rows, &labels(&rows), &family.rule).texts("All comparisons");
    let groups = answer_report(&answers).texts("Arms from the best to the worst");
    let tables = match (answers.is_empty(), all.is_empty()) {
        (_, true) => Vec::new(),
        (true, false) => vec![pairs],
        (false, false) => vec![groups, pairs],
    };
    json!({
        "answer": answer_lines(&answers, &all),
        "pairs": shown.into_iter().map(of).collect::<Vec<_>>(),
        "tables": tables,
        "legend": legend(&all, &family.rule) + &cut,
    })
}

/// Pictures by name.
fn plots(folder: &Path) -> Result<Vec<(String, String)>, ResultsError> {
    let results = Results::open(folder)?;
    let mut subject = Subject::read(&results)?;
    if results.planned().is_some() {
        subject.summary = subject.summary.at_any_look();
    }
    let charts = gallery(&subject)?;
    Ok(charts
        .iter()
        .map(|chart| (chart.name.clone(), trial_svg(chart, &Boards::default())))
        .collect())
}

/// The page that `runner report` writes, with boards if the plugin is here.
fn report(folder: &Path, source: &PluginSource) -> Result<String, ResultsError> {
    let results = Results::open(folder)?;
    let mut entry = Entry::read(folder, &results)?;
    if let Ok(replay) = Replay::open(folder, source) {
        entry.draw(&replay);
    }
    page(&[entry])
}
