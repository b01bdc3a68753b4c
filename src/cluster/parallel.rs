//! GNU parallel: a list of commands for one machine, or for several by ssh.

use super::submission::path_word;
use super::{ClusterError, ScriptFile, ShardSet, Submission, print};

/// File with the commands of the shards, one per line.
const COMMANDS: &str = "commands";

/// Returns the file with the commands.
///
/// # Errors
/// Returns an error if a word cannot be written into a script.
pub(crate) fn files(
    submission: &Submission,
    shards: &ShardSet,
) -> Result<Vec<ScriptFile>, ClusterError> {
    Ok(vec![ScriptFile { name: COMMANDS, text: print::lines(submission, shards)? }])
}

/// Returns the commands that the user types: one shard per core, with failed ones again at the next
/// call, then the merge, if there is one.
///
/// # Errors
/// Returns an error if a word cannot be written into a script.
pub(crate) fn usage(submission: &Submission) -> Result<String, ClusterError> {
    let folder = submission.folder();
    Ok(format!(
        "parallel --joblog {} --resume-failed --arg-file {}{}\n",
        path_word(&folder.join("joblog"))?,
        path_word(&folder.join(COMMANDS))?,
        submission.and_merge()?
    ))
}
