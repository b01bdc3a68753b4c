//! Submissions: an experiment whose shards were handed to a batch system, and the file about it.

use super::script::{quoted, quoted_words};
use super::{ClusterError, ShardSet};
use crate::plan::{MOST_ARMS, shard};
use crate::results::ResultsError;
use crate::results::storage::output_folder::{self, SUBMISSION_SUFFIX, is_submission};
use crate::system::regular;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// File that describes the submission, in its folder.
const SUBMISSION_FILE: &str = "submission.toml";
/// Maximum number of trials per arm, as in a config.
const MOST_REPEATS: u64 = 1_000_000_000_000;
/// Maximum product of arms and shards of a round: the number of lookups of a shard's trials.
const MOST_STEPS: u64 = 1_000_000_000;
/// Subfolder of the submission's folder for the output of tasks.
const LOGS: &str = "logs";

/// System that runs the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Engine {
    Slurm,
    Parallel,
    HyperQueue,
    Kubernetes,
}

impl fmt::Display for Engine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Engine::Slurm => "slurm",
            Engine::Parallel => "parallel",
            Engine::HyperQueue => "hyperqueue",
            Engine::Kubernetes => "kubernetes",
        })
    }
}

/// Jobs that were submitted together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Job {
    /// Number of the round; `None` if the experiment has no rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Number of the array in the queue; `None` if all shards were done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<u64>,
    /// Shards of the array, such as `1-3,7`.
    pub shards: String,
    /// Number of the job that merges, or goes on with the next round; `None` if it was not
    /// submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<u64>,
}

/// Everything that is needed to run the shards of an experiment anywhere. Paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Submission {
    pub runner_version: String,
    pub engine: Engine,
    pub experiment: String,
    pub config: PathBuf,
    /// Whether the experiment is a tuning, whose tasks write its tables themselves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_tuning: bool,
    /// Identity of the plan. A task runs no other plan.
    pub plan: String,
    pub shards: u64,
    /// Round of the shards, if the experiment has a stopping rule in `repeats`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Number of shards that a task runs, one after the other.
    pub shards_per_task: u64,
    pub arms: u64,
    /// Digest of the arms, in their order.
    pub arms_digest: String,
    /// Seed of the first arm's trial 0; of a tuning, the seed of its first iteration.
    pub first_seed: String,
    /// Trials per arm; the maximum if there is a stopping rule.
    pub repeats: u64,
    /// The results directory.
    pub out: PathBuf,
    pub working_directory: PathBuf,
    pub program: PathBuf,
    /// Arguments of `runner`, without those that select the shard.
    pub arguments: Vec<String>,
    /// Arguments of the batch system.
    pub engine_arguments: Vec<String>,
    /// Environment variables that affect how problems are found and run.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<Job>,
}

impl Submission {
    /// Returns the folder of an experiment's submission.
    pub(crate) fn folder_of(out: &Path, experiment: &str) -> PathBuf {
        out.join(format!("{experiment}{SUBMISSION_SUFFIX}"))
    }

    pub(crate) fn folder(&self) -> PathBuf {
        Submission::folder_of(&self.out, &self.experiment)
    }

    pub(crate) fn logs(&self) -> PathBuf {
        self.folder().join(LOGS)
    }

    /// Returns the folder of the tables.
    pub(crate) fn results(&self) -> PathBuf {
        self.out.join(&self.experiment)
    }

    /// Returns the pattern of all shard folders. Special characters in `out` are escaped.
    pub(crate) fn shard_pattern(&self) -> String {
        let out = glob::Pattern::escape(&self.out.to_string_lossy());
        format!("{out}/{}.shard-*-of-{}", self.experiment, self.shards)
    }

    /// Reads the submission of an experiment. `folder` is its folder or that of its results. `None`
    /// if the experiment was not submitted.
    pub(crate) fn find(folder: &Path) -> Result<Option<Self>, ClusterError> {
        let path = file_of(folder);
        let opened = regular::open(&path);
        let text = match opened.and_then(|file| regular::text(&file, regular::MOST_OF_TEXT)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ResultsError::reading(&path, "read the file")(error).into()),
        };
        let read: Result<Submission, String> =
            toml::from_str(&text).map_err(|error| error.message().to_owned());
        match read.and_then(|submission| submission.checked(&path)) {
            Ok(submission) => Ok(Some(submission)),
            Err(message) => Err(ClusterError::Unreadable { path, message }),
        }
    }

    /// Returns the submission if its values are valid for this path.
    fn checked(self, path: &Path) -> Result<Self, String> {
        let counts = [
            ("shards", self.shards, 1, shard::MOST),
            ("shards-per-task", self.shards_per_task, 1, shard::MOST),
            ("arms", self.arms, 1, MOST_ARMS as u64),
            ("repeats", self.repeats, 1, MOST_REPEATS),
        ];
        for (key, count, least, most) in counts {
            if !(least..=most).contains(&count) {
                return Err(format!("`{key} = {count}`: it must be from {least} to {most}"));
            }
        }
        let is_much = |sets: u64| sets > MOST_STEPS / self.arms.max(self.shards);
        if self.round.is_some() && is_much(self.arms.min(self.shards)) {
            return Err(format!("{} arms in {} shards are too many", self.arms, self.shards));
        }
        if let Some(fault) = self.jobs.iter().find_map(|job| job.shards.parse::<ShardSet>().err()) {
            return Err(fault);
        }
        // Nothing outside the folder is read, whatever the file contains.
        let name = Path::new(&self.experiment);
        if name.file_name() != Some(name.as_os_str()) {
            return Err(format!("`experiment = {:?}`: this is not a name", self.experiment));
        }
        let here = path.parent().unwrap_or(Path::new("")).canonicalize();
        if here.ok() != self.folder().canonicalize().ok() {
            let out = self.out.display();
            return Err(format!("`out = \"{out}\"`: that is not where this submission lies"));
        }
        Ok(self)
    }

    /// Reads the submission of an experiment that was submitted.
    pub(crate) fn read(folder: &Path) -> Result<Self, ClusterError> {
        let none = || ClusterError::None { path: folder.to_owned(), file: file_of(folder) };
        Submission::find(folder)?.ok_or_else(none)
    }

    /// Creates the folder, and writes these files and the description of the submission.
    pub(crate) fn write(&self, files: &[super::ScriptFile]) -> Result<(), ClusterError> {
        output_folder::create(&self.out)?;
        let folder = output_folder::create_below(&self.out, &self.folder_name())?;
        output_folder::create_below(&folder, LOGS)?;
        for file in files {
            output_folder::write(&folder.join(file.name), file.text.as_bytes())?;
        }
        self.note()?;
        Ok(())
    }

    /// Writes the description of the submission.
    pub(crate) fn note(&self) -> Result<(), ClusterError> {
        let path = self.folder().join(SUBMISSION_FILE);
        let text = toml::to_string_pretty(self).map_err(|error| ClusterError::Unreadable {
            path: path.clone(),
            message: error.to_string(),
        })?;
        let text = format!("# Written by runner submit, for runner status.\n{text}");
        Ok(output_folder::write(&path, text.as_bytes())?)
    }

    fn folder_name(&self) -> String {
        format!("{}{SUBMISSION_SUFFIX}", self.experiment)
    }

    /// Returns the lines before the command of a task: its folder and its variables.
    pub(super) fn preamble(&self) -> Result<String, ClusterError> {
        let mut text = format!("cd {} || exit\n", path_word(&self.working_directory)?);
        for (name, value) in &self.environment {
            text.push_str(&format!("export {name}={}\n", quoted(value)?));
        }
        Ok(text)
    }

    /// Returns the quoted command of a shard. `shard` and `jobs` are shell text: a number, or a
    /// variable.
    pub(super) fn shard_command(
        &self,
        shard: &str,
        jobs: &str,
    ) -> Result<Vec<String>, ClusterError> {
        let command = if self.is_tuning { "tune " } else { "" };
        let mut words = vec![
            format!("{} {command}{}", path_word(&self.program)?, path_word(&self.config)?),
            format!("--shard {shard}"),
        ];
        words.extend(self.round.map(|round| format!("--round {round}")));
        words.extend([
            format!("--plan {}", self.plan),
            format!("--jobs {jobs}"),
            format!("--out {}", path_word(&self.out)?),
            "--progress plain".to_owned(),
        ]);
        if !self.arguments.is_empty() {
            words.push(quoted_words(&self.arguments)?);
        }
        Ok(words)
    }

    /// Returns the command that merges all shards; `None` for a tuning, which needs none.
    pub(crate) fn merge_command(&self) -> Result<Option<Vec<String>>, ClusterError> {
        if self.is_tuning {
            return Ok(None);
        }
        let mut words = vec![
            format!("{} merge {}", path_word(&self.program)?, quoted(&self.shard_pattern())?),
            format!("--out {}", path_word(&self.out)?),
        ];
        let change = "--accept-plugin-change";
        if self.arguments.iter().any(|argument| argument == change) {
            words.push(change.to_owned());
        }
        Ok(Some(words))
    }

    /// Returns what follows a command of a shell, so that all shards are merged if it ends well.
    pub(super) fn and_merge(&self) -> Result<String, ClusterError> {
        let merge = self.merge_command()?;
        Ok(merge.map_or_else(String::new, |words| format!(" \\\n    && {}", words.join(" "))))
    }

    /// Returns the command that takes in a round, and begins the next or writes the tables.
    pub(super) fn round_command(&self, round: u32) -> Result<Vec<String>, ClusterError> {
        Ok(vec![
            format!("{} round {}", path_word(&self.program)?, path_word(&self.folder())?),
            format!("--after {round}"),
        ])
    }

    /// Returns the queue numbers of all jobs.
    pub(crate) fn job_numbers(&self) -> Vec<u64> {
        self.jobs.iter().flat_map(|job| job.array.into_iter().chain(job.merge)).collect()
    }

    /// Returns the queue numbers of the last submitted jobs. The others had ended before.
    pub(crate) fn last_job_numbers(&self) -> Vec<u64> {
        let last = self.jobs.last().into_iter();
        last.flat_map(|job| job.array.into_iter().chain(job.merge)).collect()
    }

    /// Returns the set of all shards.
    pub(crate) fn all(&self) -> ShardSet {
        ShardSet::all(self.shards)
    }
}

/// Returns the path of the file that describes the submission. `folder` is its folder or that of
/// the results.
fn file_of(folder: &Path) -> PathBuf {
    // `.` and `..` have no name.
    let whole = folder.canonicalize().ok().filter(|_| folder.file_name().is_none());
    let folder = whole.as_deref().unwrap_or(folder);
    if is_submission(folder) {
        return folder.join(SUBMISSION_FILE);
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.with_file_name(format!("{name}{SUBMISSION_SUFFIX}")).join(SUBMISSION_FILE)
}

/// Quotes a path for a shell.
pub(super) fn path_word(path: &Path) -> Result<String, ClusterError> {
    let none =
        || ClusterError::Word { what: "this path", word: path.to_string_lossy().into_owned() };
    quoted(path.to_str().ok_or_else(none)?)
}
