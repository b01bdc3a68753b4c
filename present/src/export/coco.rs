//! Format of COCO (Hansen, Auger, Ros, Mersmann, Tušar and Brockhoff 2021,
//! doi:10.1080/10556788.2020.1808977), as cocopp reads it.

use super::{Runs, plain};
use crate::results::ResultsError;
use crate::results::storage::output_folder;
use std::fmt::Write;
use std::path::Path;

const HEADER: &str = "% f evaluations | g evaluations | best noise-free fitness - Fopt | measured \
    fitness | best measured fitness";

/// Writes a function's files: the index that lists the runs, and the data of each dimension. The
/// target is subtracted from the fitness, so that COCO's last target, 1e-8, is the experiment's.
pub(super) fn write(folder: &Path, dimensions: &[Runs]) -> Result<(), ResultsError> {
    let Some(first) = dimensions.first() else { return Ok(()) };
    let id = first.function.id;
    let data = format!("data_f{id}");
    output_folder::create_below(folder, &data)?;
    let mut index = String::new();
    for runs in dimensions {
        let (target, path) =
            (runs.target.unwrap_or(0.0), format!("{data}/bbobexp_f{id}_DIM{}", runs.dimension));
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
                trial.best - target
            );
        }
        index.push('\n');
        let text = lines(runs, target);
        output_folder::write(&folder.join(format!("{path}.dat")), text.as_bytes())?;
        output_folder::write(&folder.join(format!("{path}.tdat")), text.as_bytes())?;
    }
    output_folder::write(&folder.join(format!("bbobexp_f{id}.info")), index.as_bytes())
}

fn lines(runs: &Runs, target: f64) -> String {
    let mut text = String::new();
    for trial in &runs.trials {
        _ = writeln!(text, "{HEADER}, instance = {}, name = runner", trial.trial + 1);
        let mut put = |evaluations: u64, fitness: f64| {
            _ = writeln!(text, "{evaluations} 0 {:e} {fitness:e} {fitness:e}", fitness - target);
        };
        trial.steps.iter().for_each(|(evaluations, fitness)| put(*evaluations, *fitness));
        if trial.steps.last().is_some_and(|(evaluations, _)| *evaluations < trial.evaluations) {
            put(trial.evaluations, trial.best);
        }
    }
    text
}
