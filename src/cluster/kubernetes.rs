//! Kubernetes: an indexed Job with one completion per shard.

use super::script::{in_lines, quoted};
use super::submission::path_word;
use super::{ClusterError, ScriptFile, ShardSet, Submission};
use serde_json::{Value, json};
use std::path::Path;

/// File of the Job.
const JOB: &str = "job.json";
/// Default number of concurrent pods.
const AT_A_TIME: u64 = 100;

/// Returns the Job. Placeholders have names that ask the site to fill them in.
///
/// # Errors
/// Returns an error if a word cannot be written into a script.
pub(crate) fn files(
    submission: &Submission,
    shards: &ShardSet,
) -> Result<Vec<ScriptFile>, ClusterError> {
    let text = format!("{:#}\n", job(submission, shards)?);
    Ok(vec![ScriptFile { name: JOB, text }])
}

/// Returns the Job. Each pod takes its shard from JOB_COMPLETION_INDEX, which counts from 0.
fn job(submission: &Submission, shards: &ShardSet) -> Result<Value, ClusterError> {
    let all = *shards == submission.all();
    let shard = match all {
        true => format!("auto/{}", submission.shards),
        false => format!("\"${{shards[$JOB_COMPLETION_INDEX]}}/{}\"", submission.shards),
    };
    let list = match all {
        true => String::new(),
        false => {
            let shards: Vec<String> = shards.iter().map(|shard| shard.to_string()).collect();
            format!("shards=({})\n", shards.join(" "))
        }
    };
    let command = in_lines(&submission.shard_command(&shard, "1")?, "");
    let script = format!("{}{list}exec {command}\n", submission.preamble()?);
    let (count, name) = (shards.count(), name_of(&submission.experiment));
    Ok(json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": { "name": name },
        "spec": {
            "completionMode": "Indexed",
            "completions": count,
            "parallelism": count.min(AT_A_TIME),
            "backoffLimitPerIndex": 3,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{
                        "name": "runner",
                        "image": "YOUR-IMAGE-WITH-BASH",
                        "command": ["bash", "-c", script],
                        "resources": { "requests": { "cpu": "1" } },
                        "volumeMounts": [{
                            "name": "shared",
                            "mountPath": common(submission),
                        }],
                    }],
                    "volumes": [{
                        "name": "shared",
                        "persistentVolumeClaim": { "claimName": "YOUR-SHARED-VOLUME" },
                    }],
                },
            },
        },
    }))
}

/// Returns the folder that contains both config and results; a placeholder if there is none.
fn common(submission: &Submission) -> String {
    let Submission { config, out, working_directory, .. } = submission;
    let holds = |folder: &&Path| config.starts_with(folder) && out.starts_with(folder);
    let folder = working_directory.ancestors().find(holds);
    let folder = folder.filter(|folder| folder.parent().is_some());
    folder.map_or_else(|| "/YOUR-SHARED-FOLDER".to_owned(), |folder| folder.display().to_string())
}

/// Returns a valid name of a Job: letters, digits and hyphens (RFC 1123), at most 63.
fn name_of(experiment: &str) -> String {
    let letter = |letter: char| match letter.to_ascii_lowercase() {
        letter if letter.is_ascii_lowercase() || letter.is_ascii_digit() => letter,
        _ => '-',
    };
    let name: String = experiment.chars().map(letter).take(50).collect();
    format!("runner-{name}").trim_end_matches('-').to_owned()
}

/// Returns the commands that the user types after filling in image and volume.
///
/// # Errors
/// Returns an error if a word cannot be written into a script.
pub(crate) fn usage(submission: &Submission) -> Result<String, ClusterError> {
    let name = quoted(&name_of(&submission.experiment))?;
    Ok(format!(
        "# fill in image and volume, then:\nkubectl apply -f {}\nkubectl wait \
        --for=condition=complete --timeout=-1s job/{name}{}\n",
        path_word(&submission.folder().join(JOB))?,
        submission.and_merge()?
    ))
}

#[cfg(test)]
mod tests {
    use super::name_of;

    #[test]
    fn names_of_jobs_are_those_of_hosts() {
        assert_eq!(name_of("Eight queens, n=8."), "runner-eight-queens--n-8");
        assert_eq!(name_of("ä"), "runner");
        assert!(name_of(&"x".repeat(100)).len() <= 63);
    }
}
