//! Commands, one a line: for batch systems that the runner does not know.

use super::script::quoted;
use super::submission::path_word;
use super::{ClusterError, ShardSet, Submission};
use std::fmt::Write;

/// The command of each shard on a line of its own, which runs anywhere. A task has one CPU.
///
/// # Errors
/// If a word cannot stand in a script.
pub(crate) fn lines(submission: &Submission, shards: &ShardSet) -> Result<String, ClusterError> {
    let mut text = String::new();
    let before = before(submission)?;
    for shard in shards.iter() {
        let shard = format!("{shard}/{}", submission.shards);
        _ = writeln!(text, "{before} {}", submission.shard_command(&shard, "1")?.join(" "));
    }
    Ok(text)
}

/// The commands of these shards, and the one that merges all.
///
/// # Errors
/// If a word cannot stand in a script.
pub(crate) fn commands(submission: &Submission, shards: &ShardSet) -> Result<String, ClusterError> {
    let merge = submission.merge_command()?.join(" ");
    Ok(format!("{}# when all of them are done:\n{merge}\n", lines(submission, shards)?))
}

/// Goes to the folder, and sets the variables of the command that follows.
fn before(submission: &Submission) -> Result<String, ClusterError> {
    let mut text = format!("cd {} &&", path_word(&submission.working_directory)?);
    for (name, value) in &submission.environment {
        _ = write!(text, " {name}={}", quoted(value)?);
    }
    Ok(text)
}
