//! Format of COCO (Hansen, Auger, Ros, Mersmann, Tušar and Brockhoff 2021,
//! doi:10.1080/10556788.2020.1808977), as cocopp reads it.

use super::{Runs, plain, written};
use crate::results::ResultsError;
use crate::results::storage::output_folder;
use std::cmp::Ordering;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const HEADER: &str = "% f evaluations | g evaluations | best noise-free fitness - Fopt | measured \
    fitness | best measured fitness";

/// Last target of COCO.
const LAST: f64 = 1e-8;

/// Returns the figure that COCO compares with its targets: the last of them is the experiment's
/// target. It is fitness - target + 1e-8, rounded such that it is 1e-8 if and only if the fitness
/// reaches the target: cocopp does not read runs that all go on to figures below 1e-8.
fn gap(fitness: f64, target: Option<f64>) -> f64 {
    let Some(target) = target else { return fitness };
    // Exact for the usual target 1e-8.
    let gap = fitness - (target - LAST);
    match fitness.total_cmp(&target) {
        Ordering::Less | Ordering::Equal => LAST,
        Ordering::Greater => gap.max(LAST.next_up()),
    }
}

/// Writes the files of a function, of which there is at least one dimension: the index that lists
/// the runs, and the data of each dimension. Returns the path of the index.
pub(super) fn write(folder: &Path, dimensions: &[Runs]) -> Result<PathBuf, ResultsError> {
    let first = &dimensions[0];
    let id = first.function.id;
    let data = format!("data_f{id}");
    output_folder::create_below(folder, &data)?;
    let mut index = String::new();
    for runs in dimensions {
        let path = format!("{data}/bbobexp_f{id}_DIM{}", runs.dimension);
        let quoted = |name: &str| name.replace(['\'', ','], " ");
        // Formatting into a text cannot fail.
        _ = writeln!(
            index,
            "suite = 'bbob', funcId = {id}, DIM = {}, Precision = 1.000e-08, algId = '{}', \
            coco_version = '2.7', logger = 'bbob', data_format = 'bbob-new2'",
            runs.dimension,
            quoted(&runs.algorithm)
        );
        _ = writeln!(
            index,
            "% runner {}: {}",
            env!("CARGO_PKG_VERSION"),
            plain(&runs.function.name)
        );
        _ = write!(index, "{path}.dat");
        for trial in &runs.trials {
            _ = write!(
                index,
                ", {}:{}|{:?}",
                trial.trial + 1,
                trial.evaluations,
                gap(trial.best, runs.target)
            );
        }
        index.push('\n');
        for ending in ["dat", "tdat"] {
            let path = folder.join(format!("{path}.{ending}"));
            written(&path, |file| put_lines(runs, file))?;
        }
    }
    let path = folder.join(format!("bbobexp_f{id}.info"));
    output_folder::write(&path, index.as_bytes())?;
    Ok(path)
}

fn put_lines(runs: &Runs, file: &mut dyn Write) -> io::Result<()> {
    for trial in &runs.trials {
        writeln!(file, "{HEADER}, instance = {}, name = runner", trial.trial + 1)?;
        for (evaluations, fitness) in trial.course() {
            let gap = gap(fitness, runs.target);
            writeln!(file, "{evaluations} 0 {gap:e} {fitness:e} {fitness:e}")?;
        }
    }
    Ok(())
}
