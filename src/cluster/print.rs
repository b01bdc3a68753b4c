//! Commands, one per line, for batch systems without their own support.

use super::script::quoted;
use super::submission::path_word;
use super::{ClusterError, ShardSet, Submission};
use std::fmt::Write;

/// Returns the command of each shard on a separate line, which runs anywhere. A task has one CPU.
pub(crate) fn lines(submission: &Submission, shards: &ShardSet) -> Result<String, ClusterError> {
    let mut text = String::new();
    let before = before(submission)?;
    for shard in shards.iter() {
        let shard = format!("{shard}/{}", submission.shards);
        _ = writeln!(text, "{before} {}", submission.shard_command(&shard, "1")?.join(" "));
    }
    Ok(text)
}

/// Returns the commands of these shards, and the command that merges all shards, if there is one.
pub(crate) fn commands(submission: &Submission, shards: &ShardSet) -> Result<String, ClusterError> {
    let mut text = lines(submission, shards)?;
    if let Some(merge) = submission.merge_command()? {
        _ = writeln!(text, "# when all of them are done:\n{}", merge.join(" "));
    }
    Ok(text)
}

/// Returns the start of a command line, which changes to the folder and sets the variables.
fn before(submission: &Submission) -> Result<String, ClusterError> {
    let mut text = format!("cd {} &&", path_word(&submission.working_directory)?);
    for (name, value) in &submission.environment {
        _ = write!(text, " {name}={}", quoted(value)?);
    }
    Ok(text)
}
