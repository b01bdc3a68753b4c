//! Scripts of a submission to Slurm.

use crate::cluster::script::{in_lines, quoted, quoted_flag};
use crate::cluster::submission::path_word;
use crate::cluster::{ClusterError, ScriptFile, ShardSet, Submission};
use std::fmt::Write;
use std::path::Path;

/// Script that runs the shards as an array.
pub(crate) const ARRAY_SCRIPT: &str = "array.sh";
/// Script that merges the shards.
const MERGE_SCRIPT: &str = "merge.sh";
/// Script that takes in a round and begins the next.
const ROUND_SCRIPT: &str = "round.sh";

/// Number of CPUs of a task.
const CPUS: &str = "\"${SLURM_CPUS_PER_TASK:-1}\"";

/// Returns the name of the script that runs after the array; `None` if nothing does.
pub(crate) fn after_the_array(submission: &Submission) -> Option<&'static str> {
    match submission.round {
        Some(_) => Some(ROUND_SCRIPT),
        None => (!submission.is_tuning).then_some(MERGE_SCRIPT),
    }
}

/// Returns the script that runs these shards, and the script of the job that follows, if one does.
pub(crate) fn scripts(
    submission: &Submission,
    shards: &ShardSet,
) -> Result<Vec<ScriptFile>, ClusterError> {
    let mut files = vec![ScriptFile { name: ARRAY_SCRIPT, text: array(submission, shards)? }];
    if let Some(name) = after_the_array(submission) {
        files.push(ScriptFile { name, text: following(submission)? });
    }
    Ok(files)
}

fn array(submission: &Submission, shards: &ShardSet) -> Result<String, ClusterError> {
    let size = submission.shards_per_task;
    let name = &submission.experiment;
    let mut text = head(submission, name, &format!("{}-%A_%a.log", escaped(name)))?;
    _ = writeln!(text, "#SBATCH --array={}", shards.tasks(size));
    text.push_str(&options(submission)?);
    let what = match size {
        1 => format!("The shards of {name}, one a task"),
        size => format!("The shards of {name}, up to {size} a task, one after the other"),
    };
    _ = write!(text, "\n# {what}.\n{}\n", submission.preamble()?);
    match size {
        1 => text.push_str(&one_a_task(submission)?),
        size => text.push_str(&several_a_task(submission, shards, size)?),
    }
    Ok(text)
}

fn one_a_task(submission: &Submission) -> Result<String, ClusterError> {
    let shard = format!("\"$SLURM_ARRAY_TASK_ID/{}\"", submission.shards);
    Ok(format!("exec {}\n", in_lines(&submission.shard_command(&shard, CPUS)?, "")))
}

/// Returns the commands of a task with several shards. A failed shard does not prevent the next
/// one.
fn several_a_task(
    submission: &Submission,
    shards: &ShardSet,
    size: u64,
) -> Result<String, ClusterError> {
    let of = submission.shards;
    let mut text = match *shards == submission.all() {
        true => format!(
            "first=$(( (SLURM_ARRAY_TASK_ID - 1) * {size} + 1 ))\nlast=$(( first + {} ))\n\
            shards=$(seq \"$first\" \"$(( last < {of} ? last : {of} ))\")\n",
            size - 1
        ),
        false => chosen(shards, size),
    };
    let command = submission.shard_command(&format!("\"$shard/{of}\""), CPUS)?;
    _ = write!(
        text,
        "\ncode=0\nfor shard in $shards; do\n    {} \\\n        || code=$?\n    \
        [ \"$code\" -ne 130 ] || break   # it was told to stop\ndone\nexit \"$code\"\n",
        in_lines(&command, "    ")
    );
    Ok(text)
}

/// Returns the assignment of shards to tasks, if only some shards run.
fn chosen(shards: &ShardSet, size: u64) -> String {
    let mut text = "case $SLURM_ARRAY_TASK_ID in\n".to_owned();
    for task in shards.tasks(size).iter() {
        let own = shards.within((task - 1) * size + 1..=task * size);
        let words: Vec<String> = own.iter().map(|shard| shard.to_string()).collect();
        _ = writeln!(text, "    {task}) shards=\"{}\" ;;", words.join(" "));
    }
    text.push_str("esac\n");
    text
}

/// Returns the script that merges, or takes in a round.
fn following(submission: &Submission) -> Result<String, ClusterError> {
    let name = &submission.experiment;
    let log = format!("{}-merge-%j.log", escaped(name));
    let mut text = head(submission, &format!("{name} merge"), &log)?;
    text.push_str(&options(submission)?);
    let (what, command) = match submission.round {
        None => (
            format!("Merges the shards of {name}"),
            submission.merge_command()?.unwrap_or_default(),
        ),
        Some(round) => (
            format!("Takes in round {round} of {name}, and submits the next or writes the tables"),
            submission.round_command(round)?,
        ),
    };
    _ = write!(
        text,
        "\n# {what};\n# to be submitted with --dependency=afterok:ARRAY.\n{}\nexec {}\n",
        submission.preamble()?,
        in_lines(&command, "")
    );
    Ok(text)
}

/// Returns the first lines of a script: the name of the job and its log file.
fn head(submission: &Submission, job: &str, log: &str) -> Result<String, ClusterError> {
    let logs = escaped(&path_word_of(&submission.logs())?);
    Ok(format!(
        "#!/bin/bash\n#SBATCH --job-name={}\n#SBATCH --output={}\n#SBATCH --open-mode=append\n\
        #SBATCH --requeue\n",
        quoted(job)?,
        quoted(&format!("{logs}/{log}"))?
    ))
}

/// Returns the user's options for `sbatch`, so that the script can be submitted by hand.
fn options(submission: &Submission) -> Result<String, ClusterError> {
    let line = |word: &String| Ok(format!("#SBATCH {}\n", quoted_flag(word)?));
    submission.engine_arguments.iter().map(line).collect()
}

/// Escapes `%`, which begins a placeholder in the names of log files.
fn escaped(text: &str) -> String {
    text.replace('%', "%%")
}

/// Returns a path as text, if it can be written into a script.
fn path_word_of(path: &Path) -> Result<String, ClusterError> {
    path_word(path)?;
    Ok(path.to_string_lossy().into_owned())
}
