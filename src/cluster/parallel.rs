//! GNU parallel: a list of commands for one machine, or for several by ssh.

use super::submission::path_word;
use super::{ClusterError, ScriptFile, ShardSet, Submission, print};

/// File with the commands of the shards, one per line.
const COMMANDS: &str = "commands";
/// File in which `parallel` notes the commands that ended, by their number in the list.
const LOG: &str = "joblog";

/// Returns the file with the commands, and an empty log: the numbers in an earlier one are those of
/// other commands.
pub(crate) fn files(
    submission: &Submission,
    shards: &ShardSet,
) -> Result<Vec<ScriptFile>, ClusterError> {
    let commands = ScriptFile { name: COMMANDS, text: print::lines(submission, shards)? };
    Ok(vec![commands, ScriptFile { name: LOG, text: String::new() }])
}

/// Returns the commands that the user types: one shard per core, with failed ones again at the next
/// call, then the merge, if there is one.
pub(crate) fn usage(submission: &Submission) -> Result<String, ClusterError> {
    let folder = submission.folder();
    Ok(format!(
        "parallel --joblog {} --resume-failed --arg-file {}{}\n",
        path_word(&folder.join(LOG))?,
        path_word(&folder.join(COMMANDS))?,
        submission.and_merge()?
    ))
}
