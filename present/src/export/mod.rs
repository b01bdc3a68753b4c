//! Exports: results in the formats of other tools.

mod coco;
mod ioh;
mod trial;

use crate::analysis::comparison::limits_of_problems;
use crate::analysis::suite::SIZES;
use crate::format::hyphenated;
use crate::plan::{ArmSpec, swept_text};
use crate::problem::parameter::Value;
use crate::problem::section::Setting;
use crate::results::storage::output_folder;
use crate::results::{Results, ResultsError, TrajectoryTables, samples};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use trial::{ExportedTrial, exported_trials};

/// Format of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// IOHprofiler: one folder per algorithm, one JSON per function, one `.dat` per dimension.
    Ioh,
    /// COCO: one folder per algorithm, one `.info` per function, one `.dat` and one `.tdat` per
    /// dimension.
    Coco,
}

/// An arm in the terms of these tools.
struct Runs {
    algorithm: String,
    function: Function,
    /// Length of the genome.
    dimension: usize,
    /// Greatest fitness that counts as a success.
    target: Option<f64>,
    trials: Vec<ExportedTrial>,
}

/// A problem without its size.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Function {
    /// Number of the function, from 1.
    id: usize,
    name: String,
}

/// Paths in the folder of an export.
#[derive(Debug)]
pub struct Exported {
    /// Folders that were written, one per algorithm.
    pub folders: Vec<PathBuf>,
    /// Folders with an index, and indices, that were there before and were not written, for example
    /// those of an arm that has another name now. Tools read them too.
    pub others: Vec<PathBuf>,
    /// Whether the format tells success by the least fitness of the export, because an arm has no
    /// target.
    pub without_target: bool,
    /// Labels of arms with failed trials, which are left out, with their number and that of all.
    pub failed: Vec<(String, [u64; 2])>,
}

/// Checks that the formats have a place for the experiment's trials.
///
/// # Errors
/// Returns an error if the problem has constraints; the error is a message.
pub fn check_exportable(results: &Results) -> Result<(), String> {
    if results.violations() {
        return Err(
            "this problem has constraints, and the formats of other tools have no place for \
            violations: use the tables themselves, where `best_violation` has them"
                .to_owned(),
        );
    }
    Ok(())
}

/// Writes the experiment below `out`, one folder per algorithm.
///
/// # Errors
/// Returns an error if a table cannot be read, or a file cannot be written; the error is a message.
pub fn export(results: &Results, format: ExportFormat, out: &Path) -> Result<Exported, String> {
    let words = |error: ResultsError| error.to_string();
    let mut tables = TrajectoryTables::open(results).map_err(words)?;
    let mut functions: HashMap<String, usize> = HashMap::new();
    let mut algorithms: BTreeMap<String, Vec<Runs>> = BTreeMap::new();
    let mut exported = Vec::new();
    let samples = samples(results).map_err(words)?;
    let limits = limits_of_problems(&samples);
    for (place, arm) in results.arms().iter().enumerate() {
        let target = arm.settings.target();
        let trials = exported_trials(&mut tables, place, target).map_err(words)?;
        let Some(genes) = trials.iter().map(|trial| trial.genome.len()).max() else { continue };
        if trials.iter().any(|trial| trial.evaluations == 0) {
            return Err(format!(
                "`{}`: it is not known how many evaluations its trials took, which the formats of \
                other tools need; import them with a column of evaluations",
                arm.label
            ));
        }
        let dimension = if genes > 0 { genes } else { stated_dimension(arm)? };
        exported.push((arm, dimension, target, trials));
    }
    let sizes: Vec<(&ArmSpec, usize)> =
        exported.iter().map(|(arm, dimension, ..)| (*arm, *dimension)).collect();
    let problems: BTreeSet<&str> = sizes.iter().map(|(arm, _)| arm.problem.as_str()).collect();
    let keys: BTreeMap<&str, Option<&str>> =
        problems.into_iter().map(|problem| (problem, dimension_key(problem, &sizes))).collect();
    let names: Vec<String> =
        sizes.iter().map(|(arm, _)| function_name(arm, keys[arm.problem.as_str()])).collect();
    // COCO's figures are differences from a target.
    let relative = format == ExportFormat::Coco;
    let mut least: BTreeMap<(&str, usize), f64> = BTreeMap::new();
    for ((_, dimension, target, trials), name) in exported.iter().zip(&names) {
        for trial in trials.iter().filter(|_| relative && target.is_none()) {
            let known = least.entry((name, *dimension)).or_insert(f64::INFINITY);
            *known = known.min(trial.best);
        }
    }
    let without_target = !least.is_empty();
    for ((_, dimension, target, _), name) in exported.iter_mut().zip(&names) {
        *target = target.or_else(|| least.get(&(name.as_str(), *dimension)).copied());
    }
    for ((arm, dimension, target, trials), name) in exported.into_iter().zip(names) {
        let next = functions.len() + 1;
        let id = *functions.entry(name.clone()).or_insert(next);
        let algorithm = algorithm_name(arm, results.swept_keys(), &limits);
        let runs = Runs {
            algorithm: algorithm.clone(),
            function: Function { id, name },
            dimension,
            target,
            trials,
        };
        algorithms.entry(algorithm).or_default().push(runs);
    }
    if algorithms.is_empty() {
        return Err("no trial has a fitness, which the formats of other tools need".to_owned());
    }
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut indices: Vec<PathBuf> = Vec::new();
    let mut taken: HashSet<String> = HashSet::new();
    // The number from which on a name is looked for.
    let mut next: HashMap<String, u64> = HashMap::new();
    for (algorithm, mut runs) in algorithms {
        runs.sort_by(|a, b| (&a.function, a.dimension).cmp(&(&b.function, b.dimension)));
        // Two names may be the same without their special characters.
        let plain = plain(&algorithm);
        let next = next.entry(plain.clone()).or_insert(1);
        let name = loop {
            let name = if *next == 1 { plain.clone() } else { format!("{plain}-{next}") };
            *next += 1;
            if taken.insert(name.clone()) {
                break name;
            }
        };
        let folder = output_folder::create_below(out, &name).map_err(words)?;
        for of_function in runs.chunk_by(|a, b| a.function == b.function) {
            let index = match format {
                ExportFormat::Ioh => ioh::write(&folder, of_function),
                ExportFormat::Coco => coco::write(&folder, of_function),
            };
            indices.push(index.map_err(words)?);
        }
        folders.push(folder);
    }
    let others = others(out, format, &folders, &indices).map_err(|error| error.to_string())?;
    let failed = samples.iter().filter(|sample| sample.failures > 0);
    let failed = failed
        .map(|sample| (sample.label.clone(), [sample.failures, sample.failures + sample.trials()]));
    Ok(Exported { folders, others, without_target, failed: failed.collect() })
}

/// Returns the folders in `out` that have an index and are not among `folders`, and the indices in
/// `folders` that are not among `indices`.
fn others(
    out: &Path,
    format: ExportFormat,
    folders: &[PathBuf],
    indices: &[PathBuf],
) -> io::Result<Vec<PathBuf>> {
    let (start, end) = match format {
        ExportFormat::Ioh => ("IOHprofiler_", ".json"),
        ExportFormat::Coco => ("bbobexp_", ".info"),
    };
    let is_index = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(start) && name.ends_with(end)
    };
    let mut others = BTreeSet::new();
    for folder in entries(out)?.into_iter().filter(|path| path.is_dir()) {
        let mut found = entries(&folder)?.into_iter().filter(is_index);
        if folders.contains(&folder) {
            others.extend(found.filter(|path| !indices.contains(path)));
        } else if found.next().is_some() {
            others.insert(folder);
        }
    }
    Ok(others.into_iter().collect())
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// Writes a file by a function.
fn written(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ResultsError> {
    output_folder::write_with(path, |file| {
        let mut file = BufWriter::new(file);
        let written = write(&mut file).and_then(|()| file.into_inner().map_err(Into::into));
        written.map_err(ResultsError::writing(path, "write the file"))
    })
}

/// Returns the operator set with its swept keys and those of the stop rules, except `limits` that
/// follow from the problem.
fn algorithm_name(arm: &ArmSpec, swept_keys: &[String], limits: &BTreeSet<&str>) -> String {
    let mut name = arm.operators.clone();
    let is_told = |key: &str| !key.starts_with("problem.") && !limits.contains(key);
    for (key, value) in swept_keys.iter().zip(&arm.swept).filter(|(key, _)| is_told(key)) {
        if let Some(value) = value {
            name.push_str(&format!(
                " {}={}",
                key.strip_prefix("operators.").unwrap_or(key),
                swept_text(value)
            ));
        }
    }
    name
}

/// Returns the dimension that the settings of an arm without genomes state.
fn stated_dimension(arm: &ArmSpec) -> Result<usize, String> {
    let whole = |key: &&str| match arm.settings.problem.get(key) {
        Some(Setting::Value(Value::Integer(number))) => usize::try_from(*number).ok(),
        _ => None,
    };
    SIZES.iter().find_map(whole).filter(|dimension| *dimension > 0).ok_or_else(|| {
        format!(
            "`{}`: its trials have no genomes and its problem no dimension, which the formats of \
            other tools need; import them with --map problem.dimension=COLUMN",
            arm.label
        )
    })
}

/// Returns the parameter that is the dimension: it equals the length of the genomes of each arm of
/// the problem. If several do, it is the one with the most usual name.
fn dimension_key<'a>(problem: &str, arms: &[(&'a ArmSpec, usize)]) -> Option<&'a str> {
    let arms = || arms.iter().filter(|(arm, _)| arm.problem == problem);
    let (first, _) = arms().next()?;
    let is_dimension = |key: &&str| {
        arms().all(|(arm, dimension)| {
            let size = Setting::Value(Value::Integer(*dimension as i64));
            arm.settings.problem.iter().any(|(own, setting)| own == *key && *setting == size)
        })
    };
    let keys = first.settings.problem.iter().map(|(key, _)| key).filter(is_dimension);
    keys.min_by_key(|key| SIZES.iter().position(|usual| usual == key).unwrap_or(SIZES.len()))
}

/// Returns the plugin with its parameters, except the one that is the dimension.
fn function_name(arm: &ArmSpec, dimension_key: Option<&str>) -> String {
    let mut name = arm.problem.clone();
    for (key, setting) in arm.settings.problem.iter() {
        if key != "plugin" && Some(key) != dimension_key {
            let text = setting.as_text().map_or_else(|| setting.to_string(), str::to_owned);
            name.push_str(&format!(" {key}={text}"));
        }
    }
    name
}

/// Returns a name for a file, without special characters.
fn plain(name: &str) -> String {
    let name = hyphenated(name, |letter| letter.is_ascii_alphanumeric() || ".+".contains(letter));
    // Dots alone would be another folder, and long names are invalid.
    let name: String = name.trim_start_matches(['.', '-']).chars().take(LONGEST).collect();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

/// Maximum number of letters of a file name, which leaves room for prefixes and suffixes.
const LONGEST: usize = 150;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_stay_in_their_folder() {
        let names = ["tournament rate=0.1", "..", "../../etc", "", "♕", ".hidden"].map(plain);
        assert_eq!(
            names,
            ["tournament-rate-0.1", "unnamed", "etc", "unnamed", "unnamed", "hidden"]
        );
        assert_eq!(plain(&"x".repeat(1000)).len(), LONGEST);
    }
}
