//! The format of IOHprofiler (Doerr, Wang, Ye, van Rijn and Bäck 2018, arXiv:1810.05281): a JSON
//! file for each function names the runs, a `.dat` file for each dimension has their steps.

use super::ImportError;
use super::arms::{ImportedTrial, Imports};
use crate::problem::parameter::Value;
use crate::system::regular;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Returns the runs of a folder, and of the folders in it.
///
/// # Errors
/// Returns an error if a file is missing or is not of this format, or there is no target.
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
            `runner export --format ioh` wrote (IOHexperimenter writes none where its logger's \
            triggers leave out the first evaluation)",
            folder.display()
        )
        .into());
    }
    let (mut runs, mut read) = (Vec::new(), BTreeSet::new());
    for file in &files {
        runs.extend(of_function(file, target, &mut read)?);
    }
    let rows = runs.len() as u64;
    let dimensions: BTreeSet<u64> = runs.iter().map(|run| run.dimension).collect();
    let several = dimensions.len() > 1;
    let keys = if several { vec!["problem.dimension".to_owned()] } else { Vec::new() };
    let trial = |run: Run| {
        let swept = Value::Integer(run.dimension as i64);
        ImportedTrial {
            swept: several.then_some(Some(swept)).into_iter().collect(),
            dimension: (!several).then_some(run.dimension),
            ..run.trial
        }
    };
    let map = vec![format!("success=raw_y at target {target}")];
    let trials = runs.into_iter().map(trial).collect();
    Ok(Imports { trials, keys, rows, map, defines_success: true })
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

fn text_of(path: &Path) -> Result<String, String> {
    let text = regular::open(path).and_then(|file| regular::text(&file, regular::MOST_OF_DATA));
    text.map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the runs of one function. `read` has the files of data that were read before.
fn of_function(path: &Path, target: f64, read: &mut BTreeSet<PathBuf>) -> Result<Vec<Run>, String> {
    let index = Index::read(path)?;
    let function = index.words(&index.json["function_name"], "function_name")?;
    let algorithm = index.words(&index.json["algorithm"]["name"], "algorithm.name")?;
    if algorithm.trim().is_empty() {
        return Err(format!("{}: `algorithm.name` is empty; name the algorithm", path.display()));
    }
    let maximised = index.json["maximization"].as_bool();
    let maximised = maximised.ok_or_else(|| index.missing("maximization"))?;
    let sign = if maximised { -1.0 } else { 1.0 };
    let attributes = index.list(&index.json["attributes"], "attributes")?;
    let column = attributes.iter().position(|one| one == "raw_y");
    let column = column.ok_or_else(|| index.missing("attributes with raw_y"))?;
    let mut found = Vec::new();
    for scenario in index.list(&index.json["scenarios"], "scenarios")? {
        let dimension = scenario["dimension"].as_u64();
        let dimension = dimension.ok_or_else(|| index.missing("scenarios.dimension"))?;
        let data = index.words(&scenario["path"], "scenarios.path")?;
        // A folder of another program may come from strangers, too.
        if !Path::new(&data).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(format!(
                "{}: scenarios.path is `{data}`, which is not below its folder; mend it",
                path.display()
            ));
        }
        let data = path.parent().unwrap_or(Path::new(".")).join(data);
        if !read.insert(data.clone()) {
            return Err(format!(
                "{}: its runs are named twice, the second time by {}; remove one of the two",
                data.display(),
                path.display()
            ));
        }
        let runs = index.list(&scenario["runs"], "scenarios.runs")?;
        let blocks = blocks(&data, column, sign)?;
        if blocks.len() != runs.len() {
            return Err(format!(
                "{}: it has {} runs, and {} names {}; let the experiment be written again",
                data.display(),
                blocks.len(),
                index.file,
                runs.len()
            ));
        }
        for (steps, run) in blocks.iter().zip(runs) {
            let trial = ImportedTrial {
                arm: Some(algorithm.clone()),
                problem: Some(function.clone()),
                place: format!("{}, run {}", data.display(), found.len() + 1),
                ..index.trial(run, steps, sign, target)?
            };
            found.push(Run { dimension, trial });
        }
    }
    Ok(found)
}

/// The JSON file of a function.
struct Index {
    file: String,
    json: Json,
}

impl Index {
    fn read(path: &Path) -> Result<Self, String> {
        let file = path.display().to_string();
        let text = text_of(path)?;
        let json = serde_json::from_str(&text).map_err(|error| {
            format!(
                "{file}: it is no JSON: {error}; mend it (IOHexperimenter writes quotes in names \
                and infinite values as they are), or let the experiment be written again"
            )
        })?;
        Ok(Index { file, json })
    }

    fn missing(&self, what: &str) -> String {
        let file = &self.file;
        format!("{file}: `{what}` is missing or of another type than IOHprofiler writes")
    }

    fn words(&self, value: &Json, what: &str) -> Result<String, String> {
        value.as_str().map(str::to_owned).ok_or_else(|| self.missing(what))
    }

    fn list<'a>(&self, value: &'a Json, what: &str) -> Result<&'a Vec<Json>, String> {
        value.as_array().ok_or_else(|| self.missing(what))
    }

    /// Returns a run by its entry here and its steps.
    fn trial(
        &self,
        run: &Json,
        steps: &[(u64, f64)],
        sign: f64,
        target: f64,
    ) -> Result<ImportedTrial, String> {
        let evaluations = run["evals"].as_u64().filter(|evaluations| *evaluations > 0);
        let evaluations = evaluations.ok_or_else(|| self.missing("scenarios.runs.evals"))?;
        let last = steps.last().map_or(0, |(last, _)| *last);
        if evaluations < last {
            return Err(format!(
                "{}: `scenarios.runs.evals` is {evaluations}, and the run has a step at \
                evaluation {last}; let the experiment be written again",
                self.file
            ));
        }
        let best = best(steps, sign, &run["best"]);
        let reached = |value: f64| value <= sign * target;
        let success = best.is_some_and(|(_, fitness)| reached(fitness));
        let first = || {
            let step = steps.iter().find(|(_, fitness)| reached(*fitness));
            step.copied().or(best).map(|(evaluations, _)| evaluations)
        };
        let genome = run["best"]["x"].as_array().filter(|genes| !genes.is_empty());
        let words =
            |genes: &Vec<Json>| genes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        Ok(ImportedTrial {
            arm: None,
            problem: None,
            swept: Vec::new(),
            trial: None,
            seed: 0,
            success,
            to_success: success.then(first).flatten(),
            evaluations: Some(evaluations),
            fitness: best.map(|(_, fitness)| fitness).filter(|fitness| fitness.is_finite()),
            dimension: None,
            target: Some(sign * target),
            best: genome.map(words),
            place: String::new(),
        })
    }
}

/// Evaluations and fitness of the best step. The steps have ten decimals; the run's entry has all
/// digits of the same value.
fn best(steps: &[(u64, f64)], sign: f64, entry: &Json) -> Option<(u64, f64)> {
    /// Half a unit of the last decimal, and some room for both roundings.
    const ROUNDING: f64 = 1e-10;
    // A step that is not a number is behind all others.
    let least = |one: (u64, f64), other: &(u64, f64)| {
        if other.1 < one.1 || one.1.is_nan() { *other } else { one }
    };
    let first = *steps.first()?;
    let (evaluations, rounded) = steps.iter().fold(first, least);
    let exact = entry["y"].as_f64().map(|value| sign * value);
    let same = exact.filter(|exact| (exact - rounded).abs() <= ROUNDING);
    Some((evaluations, same.unwrap_or(rounded)))
}

/// Returns the steps of each run: evaluations with the fitness, the less the better. A run begins
/// at a line of column names, or where the evaluations do not go on.
fn blocks(path: &Path, column: usize, sign: f64) -> Result<Vec<Vec<(u64, f64)>>, String> {
    let (file, text) = (path.display(), text_of(path)?);
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
