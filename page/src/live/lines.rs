//! Lines: an experiment in a list of many.

use super::reading::{planned, state, summary_now};
use crate::results::{Provenance, Results, ResultsError, Run, is_tuning_folder};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Returns the line of an experiment as JSON, or the words of the error.
pub(super) fn line(folder: &Path) -> Value {
    read(folder).unwrap_or_else(|error| json!({ "error": error.to_string() }))
}

fn read(folder: &Path) -> Result<Value, ResultsError> {
    if is_tuning_folder(folder) {
        return Ok(json!({ "state": "tuning" }));
    }
    let results = Results::open(folder)?;
    let summary = summary_now(&results)?;
    let provenance = Provenance::read(folder).unwrap_or_default();
    let state = state(&results, &summary);
    let figures = || summary.rows.iter().map(|row| &row.figures);
    let rates = || figures().filter_map(|one| one.success_rate);
    let best = figures().filter_map(|one| Some(one.best_fitness?.min)).reduce(f64::min);
    let problems: BTreeSet<&str> =
        summary.rows.iter().map(|row| row.arm.problem.as_str()).collect();
    // A run that was killed has no end, and nobody knows how long it went on.
    let ran = |run: &&Run| run.end.is_some() || state == "running";
    let seconds = provenance.runs.iter().filter(ran).filter_map(Run::seconds).reduce(|a, b| a + b);
    let last = provenance.runs.last();
    Ok(json!({
        "state": state,
        "problem": problems.into_iter().collect::<Vec<_>>().join(", "),
        "arms": summary.rows.len(),
        "trials": summary.all_trials(),
        "planned": planned(&results, &summary),
        "best": best,
        "least": rates().reduce(f64::min),
        "greatest": rates().reduce(f64::max),
        "seconds": seconds,
        "ended": last.map(|run| run.end.as_ref().unwrap_or(&run.start)),
    }))
}
