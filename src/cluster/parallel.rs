//! GNU parallel: a list of commands for one machine, or for several by ssh.

use super::submission::path_word;
use super::{ClusterError, ScriptFile, ShardSet, Submission, print};

/// The commands of the shards, one a line.
const COMMANDS: &str = "commands";

/// The list of commands.
///
/// # Errors
/// If a word cannot stand in a script.
pub(crate) fn files(
    submission: &Submission,
    shards: &ShardSet,
) -> Result<Vec<ScriptFile>, ClusterError> {
    Ok(vec![ScriptFile { name: COMMANDS, text: print::lines(submission, shards)? }])
}

/// What to type: a shard a core, one that failed again the next time; then the merge.
///
/// # Errors
/// If a word cannot stand in a script.
pub(crate) fn usage(submission: &Submission) -> Result<String, ClusterError> {
    let folder = submission.folder();
    Ok(format!(
        "parallel --joblog {} --resume-failed --arg-file {} \\\n    && {}\n",
        path_word(&folder.join("joblog"))?,
        path_word(&folder.join(COMMANDS))?,
        submission.merge_command()?.join(" ")
    ))
}
