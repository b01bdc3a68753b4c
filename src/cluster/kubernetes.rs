//! Kubernetes: an indexed Job with one completion per shard.

use super::script::{in_lines, quoted};
use super::submission::path_word;
use super::{ClusterError, ScriptFile, ShardSet, Submission};
use crate::system::regular;
use serde_json::{Value, json};
use std::path::Path;

/// File of the Job.
const JOB: &str = "job.json";
/// Default number of concurrent pods.
const AT_A_TIME: u64 = 100;

/// Returns the Job. Placeholders have names that ask the site to fill them in. Values that were
/// filled into the Job of an earlier submission stay.
pub(crate) fn files(
    submission: &Submission,
    shards: &ShardSet,
) -> Result<Vec<ScriptFile>, ClusterError> {
    let mut job = job(submission, shards)?;
    let before = regular::open(&submission.folder().join(JOB)).ok();
    let before = before.and_then(|file| regular::text(&file, regular::MOST_OF_TEXT).ok());
    if let Some(before) = before.and_then(|text| serde_json::from_str::<Value>(&text).ok()) {
        keep_filled_in(&mut job, &before);
    }
    Ok(vec![ScriptFile { name: JOB, text: format!("{job:#}\n") }])
}

/// Places of the values that the site fills in.
const FILLED_IN: [&str; 4] = [
    "/spec/template/spec/containers/0/image",
    "/spec/template/spec/containers/0/resources",
    "/spec/template/spec/containers/0/volumeMounts",
    "/spec/template/spec/volumes",
];

/// Takes over what was filled into an earlier Job.
fn keep_filled_in(job: &mut Value, before: &Value) {
    for place in FILLED_IN {
        if let (Some(value), Some(kept)) = (job.pointer_mut(place), before.pointer(place)) {
            *value = kept.clone();
        }
    }
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
    // Kubernetes replaces `$$` by `$`, and `$(NAME)` by a variable.
    let script = format!("{}{list}exec {command}\n", submission.preamble()?).replace('$', "$$");
    let (count, name) = (shards.count(), name_of(submission));
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

/// Returns the name of the Job, which differs between experiments.
fn name_of(submission: &Submission) -> String {
    let plan: String = submission.plan.chars().take(8).collect();
    format!("{}-{plan}", host_name_of(&submission.experiment))
}

/// Returns a valid name of a host: letters, digits and hyphens (RFC 1123).
fn host_name_of(experiment: &str) -> String {
    let letter = |letter: char| match letter.to_ascii_lowercase() {
        letter if letter.is_ascii_lowercase() || letter.is_ascii_digit() => letter,
        _ => '-',
    };
    let name: String = experiment.chars().map(letter).take(40).collect();
    format!("runner-{name}").trim_end_matches('-').to_owned()
}

/// Returns the commands that the user types after filling in image and volume. A Job cannot be
/// changed, so an earlier one of this name is deleted. The wait ends also if pods fail; the merge
/// then says which shards lack trials.
pub(crate) fn usage(submission: &Submission) -> Result<String, ClusterError> {
    let name = quoted(&name_of(submission))?;
    let file = path_word(&submission.folder().join(JOB))?;
    let merge = submission.merge_command()?;
    Ok(format!(
        "# fill in image and volume, then:\nkubectl delete --ignore-not-found job/{name}\nkubectl \
        apply -f {file}\nuntil kubectl get job/{name} -o \
        'jsonpath={{.status.conditions[*].type}}' \\\n    | grep -Eqw 'Complete|Failed'; do sleep \
        10; done\n{}",
        merge.map_or_else(String::new, |words| format!("{}\n", words.join(" ")))
    ))
}

#[cfg(test)]
mod tests {
    use super::{Value, host_name_of, json, keep_filled_in};

    #[test]
    fn names_of_jobs_are_those_of_hosts() {
        assert_eq!(host_name_of("Eight queens, n=8."), "runner-eight-queens--n-8");
        assert_eq!(host_name_of("ä"), "runner");
        // A pod's name adds the plan's digits and the shard's number.
        assert!(host_name_of(&"x".repeat(100)).len() + 9 + 7 <= 63);
    }

    #[test]
    fn what_was_filled_in_stays() {
        let job = |image: &str, command: &str| {
            json!({ "spec": { "template": { "spec": {
                "containers": [{ "image": image, "command": [command] }], "volumes": [],
            } } } })
        };
        let mut new = job("YOUR-IMAGE", "new");
        keep_filled_in(&mut new, &job("ours", "old"));
        assert_eq!(new, job("ours", "new"));
        keep_filled_in(&mut new, &Value::Null);
        assert_eq!(new, job("ours", "new"));
    }
}
