//! The format of IOHprofiler (Doerr, Wang, Ye, van Rijn and Bäck 2018, arXiv:1810.05281): a JSON
//! file for each function names the runs, a `.dat` file for each dimension has their steps.

use super::ImportError;
use super::arms::{ImportedTrial, Imports};
use crate::problem::parameter::Value;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The runs of a folder, and of the folders in it.
///
/// # Errors
/// If a file is missing or is not of this format, or there is no target.
pub(super) fn read(folder: &Path, target: Option<f64>) -> Result<Imports, ImportError> {
    let target = target.ok_or_else(|| {
        format!(
            "{}: IOHprofiler's format does not say which runs succeeded; give the value from which \
            on a run counts as successful: --target 0",
            folder.display()
        )
    })?;
    let mut files = Vec::new();
    indexes(folder, &mut files)?;
    files.sort();
    if files.is_empty() {
        return Err(format!(
            "{}: there is no IOHprofiler_*.json in it; name the folder that IOHexperimenter or \
            `runner export --format ioh` wrote",
            folder.display()
        )
        .into());
    }
    let mut runs = Vec::new();
    for file in &files {
        runs.extend(of_function(file, target)?);
    }
    let rows = runs.len() as u64;
    let dimensions: BTreeSet<u64> = runs.iter().map(|run| run.dimension).collect();
    let several = dimensions.len() > 1;
    let keys = if several { vec!["problem.dimension".to_owned()] } else { Vec::new() };
    let trial = |run: Run| {
        let dimension = Value::Integer(run.dimension as i64);
        ImportedTrial {
            swept: several.then_some(Some(dimension)).into_iter().collect(),
            ..run.trial
        }
    };
    let map = vec![format!("success=raw_y at target {target}")];
    Ok(Imports { trials: runs.into_iter().map(trial).collect(), keys, rows, map })
}

struct Run {
    dimension: u64,
    trial: ImportedTrial,
}

fn indexes(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: cannot be read: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if entry.file_type().map_err(wrong)?.is_dir() {
            indexes(&path, files)?;
        } else if name.starts_with("IOHprofiler") && name.ends_with(".json") {
            files.push(path);
        }
    }
    Ok(())
}

/// The runs of one function.
fn of_function(path: &Path, target: f64) -> Result<Vec<Run>, String> {
    let file = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{file}: {error}"))?;
    let index: Json = serde_json::from_str(&text).map_err(|error| {
        format!("{file}: it is no JSON: {error}; let the experiment be written again")
    })?;
    let missing = |what: &str| {
        format!("{file}: `{what}` is missing or of another type than IOHprofiler writes")
    };
    let words = |value: &Json| value.as_str().map(str::to_owned);
    let function = words(&index["function_name"]).ok_or_else(|| missing("function_name"))?;
    let algorithm = words(&index["algorithm"]["name"]).ok_or_else(|| missing("algorithm.name"))?;
    let sign = if index["maximization"].as_bool().unwrap_or(false) { -1.0 } else { 1.0 };
    let column = index["attributes"]
        .as_array()
        .and_then(|all| all.iter().position(|one| one == "raw_y"))
        .ok_or_else(|| missing("attributes with raw_y"))?;
    let mut found = Vec::new();
    for scenario in index["scenarios"].as_array().ok_or_else(|| missing("scenarios"))? {
        let dimension =
            scenario["dimension"].as_u64().ok_or_else(|| missing("scenarios.dimension"))?;
        let data = scenario["path"].as_str().ok_or_else(|| missing("scenarios.path"))?;
        let data = path.parent().unwrap_or(Path::new(".")).join(data);
        let runs = scenario["runs"].as_array().ok_or_else(|| missing("scenarios.runs"))?;
        let blocks = blocks(&data, column, sign)?;
        if blocks.len() != runs.len() {
            return Err(format!(
                "{}: it has {} runs, and {file} names {}; let the experiment be written again",
                data.display(),
                blocks.len(),
                runs.len()
            ));
        }
        for (steps, run) in blocks.iter().zip(runs) {
            let place = format!("{}, run {}", data.display(), found.len() + 1);
            let evaluations = run["evals"].as_u64().filter(|evals| *evals > 0);
            let evaluations = evaluations.ok_or_else(|| missing("scenarios.runs.evals"))?;
            let reached = steps.iter().find(|(_, fitness)| *fitness <= sign * target);
            let to_success = reached.map(|(evaluations, _)| *evaluations);
            let best = steps.iter().map(|(_, fitness)| *fitness).fold(f64::INFINITY, f64::min);
            let genome = run["best"]["x"].as_array().filter(|genes| !genes.is_empty());
            let genome = genome
                .map(|genes| genes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
            let trial = ImportedTrial {
                arm: Some(algorithm.clone()),
                problem: Some(function.clone()),
                swept: Vec::new(),
                trial: None,
                seed: 0,
                success: to_success.is_some(),
                to_success,
                evaluations,
                fitness: best.is_finite().then_some(best),
                best: genome,
                place,
            };
            found.push(Run { dimension, trial });
        }
    }
    Ok(found)
}

/// The steps of each run: evaluations with the fitness, the less the better. A run begins at a line
/// of column names, or where the evaluations do not go on.
fn blocks(path: &Path, column: usize, sign: f64) -> Result<Vec<Vec<(u64, f64)>>, String> {
    let file = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{file}: {error}"))?;
    let mut runs: Vec<Vec<(u64, f64)>> = Vec::new();
    let mut new = true;
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        if line.trim_start_matches(['"', '%', ' ']).starts_with("evaluations") {
            new = true;
            continue;
        }
        let cells: Vec<&str> = line.split_whitespace().collect();
        let evaluations = cells.first().and_then(|cell| cell.parse::<u64>().ok());
        let fitness = cells.get(column).and_then(|cell| cell.parse::<f64>().ok());
        let (evaluations, fitness) = evaluations.zip(fitness).ok_or_else(|| {
            format!(
                "{file}, line {}: `{line}`: it must begin with a whole number of evaluations and \
                have a number as its column {}; mend the line",
                number + 1,
                column + 1
            )
        })?;
        let last = runs.last().and_then(|run| run.last()).map_or(0, |(last, _)| *last);
        if new || evaluations <= last {
            runs.push(Vec::new());
            new = false;
        }
        if let Some(run) = runs.last_mut() {
            run.push((evaluations, sign * fitness));
        }
    }
    Ok(runs)
}
