//! Format of IOHprofiler (Doerr, Wang, Ye, van Rijn and Bäck 2018, arXiv:1810.05281), as
//! IOHanalyzer and iohinspector read it.

use super::{ExportedTrial, Runs, plain, written};
use crate::results::ResultsError;
use crate::results::storage::output_folder;
use serde::{Serialize, Serializer};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A function's file.
#[derive(Serialize)]
struct Head<'runs> {
    algorithm: Algorithm<'runs>,
    attributes: [&'static str; 2],
    function_id: usize,
    function_name: &'runs str,
    maximization: bool,
    scenarios: Vec<Scenario<'runs>>,
    suite: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Algorithm<'runs> {
    info: &'static str,
    name: &'runs str,
}

/// The runs of one dimension.
#[derive(Serialize)]
struct Scenario<'runs> {
    dimension: usize,
    path: String,
    #[serde(serialize_with = "each")]
    runs: &'runs [ExportedTrial],
}

#[derive(Serialize)]
struct Run<'runs> {
    best: Best<'runs>,
    evals: u64,
    instance: u32,
}

#[derive(Serialize)]
struct Best<'runs> {
    evals: u64,
    x: &'runs [f64],
    y: f64,
}

/// Writes the files of a function, of which there is at least one dimension: the index, a JSON that
/// lists the runs, and the data of each dimension. Returns the path of the index.
pub(super) fn write(folder: &Path, dimensions: &[Runs]) -> Result<PathBuf, ResultsError> {
    let first = &dimensions[0];
    let name = format!("f{}_{}", first.function.id, plain(&first.function.name));
    let data = format!("data_{name}");
    output_folder::create_below(folder, &data)?;
    let mut scenarios = Vec::new();
    for runs in dimensions {
        let path = format!("{data}/IOHprofiler_{name}_DIM{}.dat", runs.dimension);
        written(&folder.join(&path), |file| put_lines(runs, file))?;
        scenarios.push(Scenario { dimension: runs.dimension, path, runs: &runs.trials });
    }
    let head = Head {
        algorithm: Algorithm {
            info: concat!("runner ", env!("CARGO_PKG_VERSION")),
            name: &first.algorithm,
        },
        attributes: ["evaluations", "raw_y"],
        function_id: first.function.id,
        function_name: &first.function.name,
        maximization: false,
        scenarios,
        suite: "runner",
        version: "0.3.22",
    };
    let index = folder.join(format!("IOHprofiler_{name}.json"));
    written(&index, |file| {
        serde_json::to_writer_pretty(&mut *file, &head)?;
        writeln!(file)
    })?;
    Ok(index)
}

/// Writes runs one by one: together they may take more memory than there is.
fn each<S: Serializer>(runs: &[ExportedTrial], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(runs.iter().map(|trial| {
        let found = trial.course().find(|(_, fitness)| *fitness <= trial.best);
        let evals = found.map_or(trial.evaluations, |(evaluations, _)| evaluations);
        let best = Best { evals, x: &trial.genome, y: trial.best };
        Run { best, evals: trial.evaluations, instance: 1 }
    }))
}

/// Writes the lines of the data. Each run begins with a header, by which IOHanalyzer splits runs,
/// and a line for the first evaluation, by which others split them. The best fitness at that time
/// is between the generation's worst and best. If the worst is not recorded, the greatest number is
/// used.
fn put_lines(runs: &Runs, file: &mut dyn Write) -> io::Result<()> {
    for trial in &runs.trials {
        writeln!(file, "evaluations raw_y")?;
        if trial.steps.first().is_none_or(|(evaluations, _)| *evaluations > 1) {
            writeln!(file, "1 {:?}", trial.worst.unwrap_or(f64::MAX))?;
        }
        for (evaluations, fitness) in trial.course() {
            writeln!(file, "{evaluations} {fitness:?}")?;
        }
    }
    Ok(())
}
