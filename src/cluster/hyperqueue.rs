//! HyperQueue: a task array on workers in the user's own allocations.

use super::script::{in_lines, quoted};
use super::submission::path_word;
use super::{ClusterError, ScriptFile, ShardSet, Submission};

/// Script that runs one shard.
const TASK: &str = "task.sh";
/// Script that submits all tasks, waits, and merges the shards of an experiment.
const SUBMIT: &str = "submit.sh";

/// Returns the script of a task, and the script that submits the tasks.
pub(crate) fn files(
    submission: &Submission,
    shards: &ShardSet,
) -> Result<Vec<ScriptFile>, ClusterError> {
    let name = &submission.experiment;
    let shard = format!("\"$HQ_TASK_ID/{}\"", submission.shards);
    // HQ_CPUS lists the cores of the task: 0,1.
    let cpus = "\"$(echo \"${HQ_CPUS:-0}\" | tr ',' '\\n' | wc -l)\"";
    let task = format!(
        "#!/bin/bash\n# A shard of {name}.\n{}\nexec {}\n",
        submission.preamble()?,
        in_lines(&submission.shard_command(&shard, cpus)?, "")
    );
    let output =
        |end: &str| quoted(&format!("{}/{name}-%{{TASK_ID}}.{end}", submission.logs().display()));
    let (log, errors) = (output("log")?, output("err")?);
    let submit = [
        format!("hq submit --wait --array={shards} --cpus=1 --name={}", quoted(name)?),
        format!("--stdout={log}"),
        format!("--stderr={errors}"),
        format!("-- bash {}", path_word(&submission.folder().join(TASK))?),
    ];
    let (what, merge) = match submission.merge_command()? {
        Some(merge) => (", then their merge", format!("\n{}\n", in_lines(&merge, ""))),
        None => ("", String::new()),
    };
    let submit = format!(
        "#!/bin/bash\n# The shards of {name}{what}.\nset -e\n{}\n{}\n{merge}",
        submission.preamble()?,
        in_lines(&submit, ""),
    );
    let file = |name, text| ScriptFile { name, text };
    Ok(vec![file(TASK, task), file(SUBMIT, submit)])
}

/// Returns the command that the user types.
pub(crate) fn usage(submission: &Submission) -> Result<String, ClusterError> {
    Ok(format!("bash {}\n", path_word(&submission.folder().join(SUBMIT))?))
}
