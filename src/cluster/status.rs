//! Status of a submission: the progress of its shards on the disk, and their state in the queue.

use super::progress::ShardProgress;
use super::script::quoted_words;
use super::slurm::{TaskState, Tasks, tasks};
use super::submission::path_word;
use super::{ClusterError, Engine, Job, ShardSet, Submission};
use crate::analysis::{CONFIDENCE, RateMethod, SummaryRow, SummaryTable};
use crate::plan::stopping::StoppingRule;
use crate::present::format::{percent, rate_interval};
use crate::results::ResultsError;
use crate::stats::{Interval, TrialCounts, wilson};
use runner_engine::named;
use serde::Serialize;
use std::path::{Path, PathBuf};

named! {
    /// State of a shard.
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    pub(crate) enum ShardState {
        /// All trials of the shard exist.
        Done = "done",
        Running = "running",
        Pending = "pending",
        /// The task ended, and trials are missing.
        Failed = "failed",
        /// Trials are missing, and no task is known.
        Missing = "missing",
    }
}

/// A shard with its state and progress.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ShardStatus {
    pub shard: u64,
    pub state: ShardState,
    /// Number of trials; `None` once the tables are written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<u64>,
    /// Target number of trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// Whether a task has begun to run the shard.
    #[serde(skip)]
    pub begun: bool,
    /// State in the batch system's words, or the reason why the folder cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Log file of the shard's task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<PathBuf>,
}

/// An arm with the current figures of its trials.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ArmStatus {
    pub arm: String,
    pub trials: u64,
    pub successes: u64,
    pub failures: u64,
    /// Target number of trials.
    pub of: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_high: Option<f64>,
}

/// Overall state of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// The tables are written.
    Complete,
    /// Tasks wait or run.
    Underway,
    /// No task waits or runs, and trials are missing.
    Stopped,
}

/// Status of a submission.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Status {
    pub experiment: String,
    pub engine: Engine,
    pub verdict: Verdict,
    /// Round of the shards; `None` if the number of trials is fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Experiment of a tuning that runs, such as "iteration-2"; `None` otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    pub trials: u64,
    /// Total number of trials; with rounds, the maximum. `None` for a tuning, which has a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    pub shards: Vec<ShardStatus>,
    pub arms: Vec<ArmStatus>,
    /// Method and level of the intervals.
    pub interval: String,
    /// State of the merge job, in the batch system's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<String>,
    /// Log file of that job, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge_log: Option<PathBuf>,
    /// Reason why the state of the queue is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Next command for the user.
    pub next: String,
    /// Command for the time when the queued tasks have ended, if others left trials undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
}

impl Status {
    /// Reads the progress from the disk and, if the engine has one, the queue.
    pub(crate) fn read(folder: &Path) -> Result<Self, ClusterError> {
        let mut submission = Submission::read(folder)?;
        loop {
            let status = Status::of(&submission)?;
            // A round that has ended meanwhile has submitted the next one.
            let now = Submission::read(folder)?;
            if status.verdict != Verdict::Stopped || now == submission {
                return Ok(status);
            }
            submission = now;
        }
    }

    fn of(submission: &Submission) -> Result<Self, ClusterError> {
        // The queue is read first. The output of a task or merge that ends meanwhile is then on the
        // disk.
        let queue = match submission.engine {
            Engine::Slurm => tasks(&submission.job_numbers()),
            _ => Ok(Tasks::default()),
        };
        let mut status = Status {
            experiment: submission.experiment.clone(),
            engine: submission.engine,
            verdict: Verdict::Stopped,
            round: submission.round,
            stage: None,
            trials: 0,
            of: (!submission.is_tuning).then_some(submission.arms * submission.repeats),
            shards: Vec::new(),
            arms: Vec::new(),
            interval: format!("{} {}", RateMethod::Wilson, percent(CONFIDENCE)),
            merge: None,
            merge_log: None,
            queue: queue.as_ref().err().map(ToString::to_string),
            next: String::new(),
            then: None,
        };
        let queue = queue.unwrap_or_default();
        match submission.is_tuning {
            true => status.look_at_the_tuning(submission, &queue)?,
            false => match submission.finished()? {
                Some(summary) => status.complete(submission, &summary),
                None => status.look(submission, &queue)?,
            },
        }
        status.next = status.next_command(submission)?;
        let is_left = status.count(ShardState::Failed) + status.count(ShardState::Missing) > 0;
        // Tasks of a tuning that run also run what others have left. If the queue does not answer,
        // nothing is known to have ended.
        let is_known = status.queue.is_none() && !submission.is_tuning;
        if is_left && status.verdict == Verdict::Underway && is_known {
            status.then = Some(missing_command(submission)?);
        }
        Ok(status)
    }

    /// Fills in the status of an experiment whose tables are written.
    fn complete(&mut self, submission: &Submission, summary: &SummaryTable) {
        self.all_are_done(submission);
        self.interval = rate_interval(&summary.rate_interval());
        for SummaryRow { arm, figures, .. } in &summary.rows {
            let interval = figures.success_interval;
            let interval =
                interval.map(|interval| Interval { low: interval.low, high: interval.high });
            let counts = figures.counts();
            self.trials += counts.trials + counts.failures;
            self.arms.push(arm_status(arm.label.clone(), counts, submission.repeats, interval));
        }
    }

    /// Takes note that the tables are written.
    fn all_are_done(&mut self, submission: &Submission) {
        let done = |shard| {
            let state = ShardState::Done;
            ShardStatus {
                shard,
                state,
                trials: None,
                of: None,
                begun: true,
                reason: None,
                log: None,
            }
        };
        self.verdict = Verdict::Complete;
        self.queue = None;
        self.shards = (1..=submission.shards).map(done).collect();
    }

    /// Fills in the status of a tuning. Its shards have no trials of their own: each has a part of
    /// every round.
    fn look_at_the_tuning(
        &mut self,
        submission: &Submission,
        queue: &Tasks,
    ) -> Result<(), ResultsError> {
        let progress = submission.tuning_progress()?;
        self.trials = progress.trials;
        if progress.is_finished {
            self.all_are_done(submission);
            return Ok(());
        }
        self.stage = progress.experiment;
        let jobs = submission.jobs_of_the_round();
        let of_shard = |number| {
            let nothing = ShardProgress::default();
            let status = shard_status(submission, number, nothing, (&jobs, queue));
            ShardStatus { trials: None, of: None, ..status }
        };
        self.shards = (1..=submission.shards).map(of_shard).collect();
        self.look_at_the_queue(queue);
        Ok(())
    }

    /// Fills in the status of the shards as long as there are no tables.
    fn look(&mut self, submission: &Submission, queue: &Tasks) -> Result<(), ResultsError> {
        let mut counts = vec![TrialCounts::default(); submission.arms as usize];
        let mut labels: Vec<String> = Vec::new();
        let mut rule: Option<StoppingRule> = None;
        if let Some(results) = submission.rounds_before()? {
            labels = results.arms().iter().map(|arm| arm.label.clone()).collect();
            counts = results.summary()?.rows.iter().map(|row| row.figures.counts()).collect();
            rule = results.stopping_rule().cloned();
        }
        let jobs: Vec<(&Job, ShardSet)> = submission.jobs_of_the_round();
        let mut share = submission.first_share()?;
        for number in 1..=submission.shards {
            share.shard.number = number;
            let mut progress = submission.shard_progress(&share);
            for (sum, own) in counts.iter_mut().zip(&progress.counts) {
                *sum += *own;
            }
            if labels.is_empty() {
                labels = std::mem::take(&mut progress.labels);
            }
            self.shards.push(shard_status(submission, number, progress, (&jobs, queue)));
        }
        // An engine without a queue begins the other shards when those that run have ended.
        if submission.engine != Engine::Slurm && self.count(ShardState::Running) > 0 {
            self.verdict = Verdict::Underway;
            let waits =
                |shard: &&mut ShardStatus| shard.state == ShardState::Missing && !shard.begun;
            self.shards
                .iter_mut()
                .filter(waits)
                .for_each(|shard| shard.state = ShardState::Pending);
        }
        self.trials = counts.iter().map(|arm| arm.trials + arm.failures).sum();
        if let Some(rule) = &rule {
            self.interval = format!("{} {}", RateMethod::Sequence, percent(rule.confidence));
        }
        for (arm, counts) in labels.into_iter().zip(counts) {
            let interval = match &rule {
                None => wilson(counts.successes, counts.trials, CONFIDENCE),
                Some(rule) => rule.open_interval(counts),
            };
            self.arms.push(arm_status(arm, counts, submission.repeats, interval));
        }
        self.look_at_the_merge(submission, queue);
        self.look_at_the_queue(queue);
        Ok(())
    }

    fn look_at_the_queue(&mut self, queue: &Tasks) {
        // If the queue is unknown, tasks may run.
        if queue.in_the_queue() > 0 || self.queue.is_some() {
            self.verdict = Verdict::Underway;
        }
    }

    fn look_at_the_merge(&mut self, submission: &Submission, queue: &Tasks) {
        let merge = submission.jobs.last().and_then(|job| job.merge);
        let state = merge.and_then(|merge| queue.of_job(merge));
        self.merge = state.map(|state| state.to_string());
        if let (Some(merge), Some(TaskState::Failed(_))) = (merge, state) {
            let log = submission.logs().join(format!("{}-merge-{merge}.log", self.experiment));
            self.merge_log = Some(log).filter(|log| log.exists());
        }
    }

    pub(crate) fn count(&self, state: ShardState) -> usize {
        self.shards.iter().filter(|shard| shard.state == state).count()
    }

    /// Returns whether all shards are done.
    pub(crate) fn is_all_done(&self) -> bool {
        self.count(ShardState::Done) == self.shards.len()
    }

    /// Returns the numbers of the shards in a state.
    pub(crate) fn set(&self, state: ShardState) -> ShardSet {
        let of = self.shards.iter().filter(|shard| shard.state == state);
        of.map(|shard| shard.shard).collect()
    }

    fn next_command(&self, submission: &Submission) -> Result<String, ClusterError> {
        let results = typed(&submission.results())?;
        let all_done = self.is_all_done() && self.round.is_none();
        let merge = submission.merge_command()?.filter(|_| all_done);
        Ok(match (self.verdict, merge) {
            (Verdict::Complete, _) => format!("runner show {results}"),
            (Verdict::Underway, _) => format!("runner status {results} --watch"),
            (Verdict::Stopped, Some(merge)) => merge.join(" "),
            (Verdict::Stopped, None) => missing_command(submission)?,
        })
    }
}

/// Returns a path as the user would type it here.
fn typed(path: &Path) -> Result<String, ClusterError> {
    let here = std::env::current_dir().unwrap_or_default();
    match path.strip_prefix(&here) {
        Ok(below) if below.as_os_str().is_empty() => path_word(Path::new(".")),
        below => path_word(below.unwrap_or(path)),
    }
}

/// Returns the command that submits the shards with missing trials.
fn missing_command(submission: &Submission) -> Result<String, ClusterError> {
    let here = std::env::current_dir().unwrap_or_default();
    let missing = format!("runner submit {} --missing", submission.engine);
    let mut words = vec![missing, typed(&submission.config)?];
    if submission.out != here.join("results") {
        words.push(format!("--out {}", typed(&submission.out)?));
    }
    if !submission.arguments.is_empty() {
        words.push(quoted_words(&submission.arguments)?);
    }
    Ok(words.join(" "))
}

fn arm_status(arm: String, counts: TrialCounts, of: u64, interval: Option<Interval>) -> ArmStatus {
    let TrialCounts { successes, trials, failures } = counts;
    let interval = interval.filter(|_| trials > 0);
    ArmStatus {
        arm,
        trials,
        successes,
        failures,
        of,
        // Without a target there is neither an interval nor a rate.
        success_rate: interval.map(|_| successes as f64 / trials as f64),
        success_low: interval.map(|interval| interval.low),
        success_high: interval.map(|interval| interval.high),
    }
}

/// Returns the status of a shard. The disk decides whether it is done, the queue decides its state
/// otherwise.
fn shard_status(
    submission: &Submission,
    number: u64,
    progress: ShardProgress,
    (jobs, queue): (&[(&Job, ShardSet)], &Tasks),
) -> ShardStatus {
    let ShardProgress { trials, of, begun, ref damaged, .. } = progress;
    let task = submission.task_of(number, jobs);
    let found = task.and_then(|(job, task)| queue.of_array(job, task));
    let (state, reason) = match found {
        _ if progress.is_done => (ShardState::Done, None),
        Some(TaskState::Pending(reason)) => (ShardState::Pending, Some(reason.clone())),
        // In a task with several shards, the shards that have begun are running.
        Some(TaskState::Running) if submission.shards_per_task > 1 && !progress.begun => {
            (ShardState::Pending, None)
        }
        Some(TaskState::Running) => (ShardState::Running, None),
        Some(TaskState::Failed(word)) => (ShardState::Failed, Some(word.clone())),
        Some(TaskState::Completed) => (ShardState::Failed, None),
        None if progress.is_running => (ShardState::Running, None),
        None => (ShardState::Missing, None),
    };
    let ended = matches!(state, ShardState::Failed | ShardState::Missing);
    let reason = if ended { damaged.clone().or(reason) } else { reason };
    let log = task.filter(|_| ended).map(|(job, task)| {
        submission.logs().join(format!("{}-{job}_{task}.log", submission.experiment))
    });
    let log = log.filter(|log| log.exists());
    let (trials, of) = (Some(trials), Some(of));
    ShardStatus { shard: number, state, trials, of, begun, reason, log }
}

impl Submission {
    /// Returns the arrays of the current round with their shards, the last array first.
    fn jobs_of_the_round(&self) -> Vec<(&Job, ShardSet)> {
        let jobs = self.jobs.iter().rev();
        let own = jobs.filter(|job| job.array.is_some() && job.round == self.round);
        own.map(|job| (job, job.shards.parse().unwrap_or_default())).collect()
    }

    /// Returns the array and the task that ran a shard last.
    fn task_of(&self, shard: u64, jobs: &[(&Job, ShardSet)]) -> Option<(u64, u64)> {
        let (job, _) = jobs.iter().find(|(_, shards)| shards.contains(shard))?;
        Some((job.array?, (shard - 1) / self.shards_per_task + 1))
    }
}
