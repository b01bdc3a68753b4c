//! Queue: the states that Slurm reports for the tasks of a submission.

use super::programs::{lines_of_accounting, lines_of_queue};
use crate::cluster::{ClusterError, ShardSet};
use std::collections::BTreeMap;
use std::fmt;

/// State of a task in Slurm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TaskState {
    /// The task waits, for this reason.
    Pending(String),
    Running,
    /// The task ended with exit code 0.
    Completed,
    /// The task ended otherwise, with Slurm's state: FAILED, TIMEOUT, NODE_FAIL, OUT_OF_MEMORY,
    /// CANCELLED.
    Failed(String),
}

impl TaskState {
    fn of(word: &str, reason: &str) -> Self {
        // The accounting has texts such as "CANCELLED by 1000".
        match word.split(' ').next().unwrap_or_default() {
            "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_FED" | "REQUEUE_HOLD"
            | "SPECIAL_EXIT" | "RESV_DEL_HOLD" => TaskState::Pending(reason.to_owned()),
            "RUNNING" | "COMPLETING" | "SUSPENDED" | "STOPPED" | "SIGNALING" | "RESIZING"
            | "STAGE_OUT" => TaskState::Running,
            "COMPLETED" => TaskState::Completed,
            other => TaskState::Failed(other.to_owned()),
        }
    }

    /// Returns whether the task waits or runs.
    pub(crate) fn is_in_the_queue(&self) -> bool {
        matches!(self, TaskState::Pending(_) | TaskState::Running)
    }
}

/// Formats the state for readers: "waits (Dependency)", "FAILED".
impl fmt::Display for TaskState {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskState::Pending(reason) if reason.is_empty() => out.write_str("waits"),
            TaskState::Pending(reason) => write!(out, "waits ({reason})"),
            TaskState::Running => out.write_str("runs"),
            TaskState::Completed => out.write_str("ended well"),
            TaskState::Failed(word) => write!(out, "failed ({word})"),
        }
    }
}

/// Task states by job number and array index; the index is `None` for a job without an array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tasks {
    states: BTreeMap<(u64, Option<u64>), TaskState>,
}

impl Tasks {
    pub(crate) fn of_array(&self, job: u64, task: u64) -> Option<&TaskState> {
        self.states.get(&(job, Some(task)))
    }

    pub(crate) fn of_job(&self, job: u64) -> Option<&TaskState> {
        self.states.get(&(job, None))
    }

    /// Returns the number of tasks that wait or run.
    pub(crate) fn in_the_queue(&self) -> usize {
        self.states.values().filter(|state| state.is_in_the_queue()).count()
    }

    /// Returns the jobs with tasks that wait or run.
    pub(crate) fn jobs_in_the_queue(&self) -> Vec<u64> {
        let waiting = self.states.iter().filter(|(_, state)| state.is_in_the_queue());
        let mut jobs: Vec<u64> = waiting.map(|((job, _), _)| *job).collect();
        jobs.dedup();
        jobs
    }

    /// Reads the output of `squeue -o '%F|%K|%T|%r'` and `sacct -o JobID,State`. The former takes
    /// precedence.
    fn read(queue: &[String], accounting: &[String]) -> Self {
        let mut tasks = Tasks::default();
        for line in accounting {
            let Some((job, state)) = line.split_once('|') else { continue };
            for key in keys(job) {
                tasks.states.insert(key, TaskState::of(state, ""));
            }
        }
        for line in queue {
            let mut parts = line.split('|');
            let (Some(job), Some(task), Some(state)) = (parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            let Ok(job) = job.trim().parse() else { continue };
            // The index is "N/A" for a job without an array.
            let key = (job, task.trim().parse().ok());
            tasks.states.insert(key, TaskState::of(state, parts.next().unwrap_or_default()));
        }
        tasks
    }
}

/// Parses "17", "17_3", or "17_[4-9%2]" for tasks that wait together.
fn keys(job: &str) -> Vec<(u64, Option<u64>)> {
    let (number, tasks) = job.split_once('_').map_or((job, None), |(job, all)| (job, Some(all)));
    let Ok(number) = number.parse() else { return Vec::new() };
    let Some(tasks) = tasks else { return vec![(number, None)] };
    let tasks = tasks.trim_matches(['[', ']']).split('%').next().unwrap_or_default();
    let tasks: ShardSet = tasks.parse().unwrap_or_default();
    tasks.iter().map(|task| (number, Some(task))).collect()
}

/// Returns the states of these jobs in Slurm.
pub(crate) fn tasks(jobs: &[u64]) -> Result<Tasks, ClusterError> {
    if jobs.is_empty() {
        return Ok(Tasks::default());
    }
    Ok(Tasks::read(&lines_of_queue(jobs)?, &lines_of_accounting(jobs)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_and_the_accounting_are_read() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let queue = "7|1|RUNNING|None\n7|2|PENDING|Resources\n8|N/A|PENDING|Dependency\n";
        let accounting = "7_[2-3%1]|PENDING\n7_4|CANCELLED by 0\n7_5|COMPLETED\n6|NODE_FAIL\nx";
        let tasks = Tasks::read(&lines(queue), &lines(accounting));
        assert_eq!(tasks.of_array(7, 1), Some(&TaskState::Running));
        assert_eq!(tasks.of_array(7, 2), Some(&TaskState::Pending("Resources".into())));
        assert_eq!(tasks.of_array(7, 3), Some(&TaskState::Pending(String::new())));
        assert_eq!(tasks.of_array(7, 4), Some(&TaskState::Failed("CANCELLED".into())));
        assert_eq!(tasks.of_array(7, 5), Some(&TaskState::Completed));
        assert_eq!(tasks.of_job(8), Some(&TaskState::Pending("Dependency".into())));
        assert_eq!(tasks.of_job(6), Some(&TaskState::Failed("NODE_FAIL".into())));
        assert_eq!((tasks.in_the_queue(), tasks.jobs_in_the_queue()), (4, vec![7, 8]));
    }
}
