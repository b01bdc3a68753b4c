//! Jobs of an experiment in Slurm: an array of its shards, and one that merges them.

use super::output::line;
use crate::cli::Failure;
use crate::cluster::{Job, ShardSet, Submission, quoted, slurm};
use crate::words::counted;
use std::path::Path;

/// Submits the array and the merge job, or neither. Without shards, submits only the merge job. A
/// tuning has no merge job.
pub(super) fn submit_to_slurm(
    submission: &mut Submission,
    shards: &ShardSet,
) -> Result<(), Failure> {
    let (folder, name) = (submission.folder(), submission.experiment.clone());
    let script = |script: &str, what, after| slurm::SbatchArguments {
        experiment: &name,
        what,
        script: folder.join(script),
        arguments: &submission.engine_arguments,
        after,
    };
    let array = match shards.is_empty() {
        true => None,
        false => Some(slurm::sbatch(&script(slurm::ARRAY_SCRIPT, "job array", None))?),
    };
    let merge = slurm::after_the_array(submission)
        .map(|name| slurm::sbatch(&script(name, "job that merges", array)));
    let merge = merge.transpose().map_err(|error| {
        match array.map(|array| (array, slurm::cancel(array))) {
            None | Some((_, Ok(()))) => Failure::from(error),
            Some((array, Err(said))) => Failure::from(error).also(&format!(
                "but its array {array} is, and could not be cancelled ({said}): scancel {array}"
            )),
        }
    })?;
    let round = submission.round;
    submission.jobs.push(Job { round, array, shards: shards.to_string(), merge });
    submission.note()?;
    let merge = merge.map_or_else(String::new, |merge| format!("; merge: job {merge}"));
    match array {
        Some(array) => line!("{name}: {}, job {array}{merge}", words(submission, shards)),
        None => line!("{name}: all shards are done{merge}"),
    }
    line!("Next: runner status {}", shown(&submission.results()));
    Ok(())
}

/// Returns a text such as "20 shards in 5 tasks".
fn words(submission: &Submission, shards: &ShardSet) -> String {
    let (tasks, shards) = (shards.tasks(submission.shards_per_task).count(), shards.count());
    match tasks == shards {
        true => counted(shards, "shard"),
        false => format!("{} in {}", counted(shards, "shard"), counted(tasks, "task")),
    }
}

/// Returns a path below the working directory as the user would type it.
pub(super) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(&here).unwrap_or(path);
    quoted(&path.to_string_lossy()).unwrap_or_else(|_| path.display().to_string())
}
