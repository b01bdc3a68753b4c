//! Format of IOHprofiler (Doerr, Wang, Ye, van Rijn and Bäck 2018, arXiv:1810.05281), as
//! IOHanalyzer and iohinspector read it.

use super::{Runs, plain};
use crate::results::ResultsError;
use crate::results::storage::output_folder;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// Writes a function's files: the JSON that lists the runs, and the data of each dimension.
pub(super) fn write(folder: &Path, dimensions: &[Runs]) -> Result<(), ResultsError> {
    let Some(first) = dimensions.first() else { return Ok(()) };
    let name = format!("f{}_{}", first.function.id, plain(&first.function.name));
    let data = format!("data_{name}");
    output_folder::create_below(folder, &data)?;
    let mut scenarios = Vec::new();
    for runs in dimensions {
        let path = format!("{data}/IOHprofiler_{name}_DIM{}.dat", runs.dimension);
        output_folder::write(&folder.join(&path), lines(runs).as_bytes())?;
        scenarios.push(json!({ "dimension": runs.dimension, "path": path, "runs": each(runs) }));
    }
    let head = json!({
        "version": "0.3.22",
        "suite": "runner",
        "function_id": first.function.id,
        "function_name": first.function.name,
        "maximization": false,
        "algorithm": {
            "name": first.algorithm,
            "info": concat!("runner ", env!("CARGO_PKG_VERSION")),
        },
        "attributes": ["evaluations", "raw_y"],
        "scenarios": scenarios,
    });
    output_folder::write(
        &folder.join(format!("IOHprofiler_{name}.json")),
        format!("{head:#}\n").as_bytes(),
    )
}

fn each(runs: &Runs) -> Vec<Value> {
    let run = |trial: &super::ExportedTrial| {
        let found = trial.steps.last().map_or(trial.evaluations, |(evaluations, _)| *evaluations);
        json!({
            "instance": 1,
            "evals": trial.evaluations,
            "best": { "evals": found, "y": trial.best, "x": trial.genome },
        })
    };
    runs.trials.iter().map(run).collect()
}

/// Returns the lines of the data. Each run begins with a header, by which IOHanalyzer splits runs,
/// and a line for the first evaluation, by which others split them. The best fitness at that time
/// is between the generation's worst and best. If the worst is not recorded, the greatest number is
/// used.
fn lines(runs: &Runs) -> String {
    let mut text = String::new();
    for trial in &runs.trials {
        text.push_str("evaluations raw_y\n");
        let mut put =
            |evaluations: u64, fitness: f64| _ = writeln!(text, "{evaluations} {fitness:?}");
        if trial.steps.first().is_none_or(|(evaluations, _)| *evaluations > 1) {
            put(1, trial.worst.unwrap_or(f64::MAX));
        }
        trial.steps.iter().for_each(|(evaluations, fitness)| put(*evaluations, *fitness));
        if trial.steps.last().is_some_and(|(evaluations, _)| *evaluations < trial.evaluations) {
            put(trial.evaluations, trial.best);
        }
    }
    text
}
