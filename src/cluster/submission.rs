//! Submissions: an experiment whose shards were handed to a batch system, as their folder has it.

use super::script::{quoted, quoted_words};
use super::{ClusterError, ShardSet};
use crate::plan::{MOST_ARMS, shard};
use crate::results::ResultsError;
use crate::results::storage::output_folder;
use crate::system::regular;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// Ends the name of a submission's folder.
const MARK: &str = ".submission";
/// Describes the submission, in its folder.
const SUBMISSION_FILE: &str = "submission.toml";
/// Trials of an arm, at most, as in a config.
const MOST_REPEATS: u64 = 1_000_000_000_000;
/// Arms times shards of a round, at most: so often is looked how many trials a shard has.
const MOST_STEPS: u64 = 1_000_000_000;
/// Folder of what tasks print, in that of the submission.
const LOGS: &str = "logs";

/// Who runs the tasks.
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
    /// Of the experiment's rounds; none if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The array's number in the queue; none if all shards were done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<u64>,
    /// Its shards, such as `1-3,7`.
    pub shards: String,
    /// The number of the job that merges, or goes on with the next round; none if that was not
    /// submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<u64>,
}

/// All that is needed to run the shards of an experiment anywhere. Paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Submission {
    pub runner_version: String,
    pub engine: Engine,
    pub experiment: String,
    pub config: PathBuf,
    /// Names the plan: a task runs no other.
    pub plan: String,
    pub shards: u64,
    /// The round that they run, where `repeats` asks a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// How many of them a task runs, one after the other.
    pub shards_per_task: u64,
    pub arms: u64,
    /// Names the arms, in their order.
    pub arms_digest: String,
    /// The seed of the first arm's trial 0.
    pub first_seed: String,
    /// Trials an arm; the most, with a stopping rule.
    pub repeats: u64,
    /// The results directory.
    pub out: PathBuf,
    pub working_directory: PathBuf,
    pub program: PathBuf,
    /// Of `runner`, besides those that say which shard.
    pub arguments: Vec<String>,
    /// Of the batch system.
    pub engine_arguments: Vec<String>,
    /// Variables that problems are found and run with.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<Job>,
}

impl Submission {
    /// The folder of an experiment's submission.
    pub(crate) fn folder_of(out: &Path, experiment: &str) -> PathBuf {
        out.join(format!("{experiment}{MARK}"))
    }

    /// Whether a folder is that of a submission, by its name.
    pub(crate) fn is_folder(path: &Path) -> bool {
        path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(MARK))
    }

    pub(crate) fn folder(&self) -> PathBuf {
        Submission::folder_of(&self.out, &self.experiment)
    }

    pub(crate) fn logs(&self) -> PathBuf {
        self.folder().join(LOGS)
    }

    /// Where the tables will be.
    pub(crate) fn results(&self) -> PathBuf {
        self.out.join(&self.experiment)
    }

    /// The pattern that all folders of shards have; what it holds of `out` stands for itself.
    pub(crate) fn shard_pattern(&self) -> String {
        let out = glob::Pattern::escape(&self.out.to_string_lossy());
        format!("{out}/{}.shard-*-of-{}", self.experiment, self.shards)
    }

    /// Reads the submission of an experiment from its folder, or that of its results; none if it
    /// was not submitted.
    ///
    /// # Errors
    /// If there is a file that cannot be read.
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

    /// The submission that a file describes, if it is one that may lie there.
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
        // Nothing outside of the folder is read, whatever the file says.
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

    /// The same, of one that is to be there.
    ///
    /// # Errors
    /// If it is not, or cannot be read.
    pub(crate) fn read(folder: &Path) -> Result<Self, ClusterError> {
        let none = || ClusterError::None { path: folder.to_owned(), file: file_of(folder) };
        Submission::find(folder)?.ok_or_else(none)
    }

    /// Makes the folder, and writes these files to it and what describes the submission.
    ///
    /// # Errors
    /// If a file cannot be written.
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

    /// Writes what describes the submission.
    ///
    /// # Errors
    /// If it cannot be written.
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
        format!("{}{MARK}", self.experiment)
    }

    /// The lines that go before the command of a task: where it runs, and with which variables.
    ///
    /// # Errors
    /// If a path cannot stand in a script.
    pub(super) fn preamble(&self) -> Result<String, ClusterError> {
        let mut text = format!("cd {} || exit\n", path_word(&self.working_directory)?);
        for (name, value) in &self.environment {
            text.push_str(&format!("export {name}={}\n", quoted(value)?));
        }
        Ok(text)
    }

    /// The command of a shard, in quotes where it must be. `shard` and `jobs` are what a shell
    /// reads: a number, or a variable.
    ///
    /// # Errors
    /// If a word cannot stand in a script.
    pub(super) fn shard_command(
        &self,
        shard: &str,
        jobs: &str,
    ) -> Result<Vec<String>, ClusterError> {
        let mut words = vec![
            format!("{} {}", path_word(&self.program)?, path_word(&self.config)?),
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

    /// The command that merges all shards.
    ///
    /// # Errors
    /// If a word cannot stand in a script.
    pub(crate) fn merge_command(&self) -> Result<Vec<String>, ClusterError> {
        let mut words = vec![
            format!("{} merge {}", path_word(&self.program)?, quoted(&self.shard_pattern())?),
            format!("--out {}", path_word(&self.out)?),
        ];
        let change = "--accept-plugin-change";
        if self.arguments.iter().any(|argument| argument == change) {
            words.push(change.to_owned());
        }
        Ok(words)
    }

    /// The command that takes in a round, and begins the next or writes the tables.
    ///
    /// # Errors
    /// If a word cannot stand in a script.
    pub(super) fn round_command(&self, round: u32) -> Result<Vec<String>, ClusterError> {
        Ok(vec![
            format!("{} round {}", path_word(&self.program)?, path_word(&self.folder())?),
            format!("--after {round}"),
        ])
    }

    /// All jobs, by their numbers in the queue.
    pub(crate) fn job_numbers(&self) -> Vec<u64> {
        self.jobs.iter().flat_map(|job| job.array.into_iter().chain(job.merge)).collect()
    }

    /// Those that were submitted last: before that, the others had ended.
    pub(crate) fn last_job_numbers(&self) -> Vec<u64> {
        let last = self.jobs.last().into_iter();
        last.flat_map(|job| job.array.into_iter().chain(job.merge)).collect()
    }

    /// All shards of the submission.
    pub(crate) fn all(&self) -> ShardSet {
        ShardSet::all(self.shards)
    }
}

/// The file that describes the submission, whose folder, or the folder of whose results, this is.
fn file_of(folder: &Path) -> PathBuf {
    if Submission::is_folder(folder) {
        return folder.join(SUBMISSION_FILE);
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.with_file_name(format!("{name}{MARK}")).join(SUBMISSION_FILE)
}

/// A path as a shell reads it.
///
/// # Errors
/// If it is not UTF-8, or has a zero byte.
pub(super) fn path_word(path: &Path) -> Result<String, ClusterError> {
    let none =
        || ClusterError::Word { what: "this path", word: path.to_string_lossy().into_owned() };
    quoted(path.to_str().ok_or_else(none)?)
}
