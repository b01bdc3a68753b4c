//! Slurm: a job array for the shards, a merge job, and the queue.

mod programs;
mod queue;
mod scripts;

pub(crate) use programs::{SbatchArguments, cancel, largest_array, sbatch};
pub(crate) use queue::{TaskState, Tasks, tasks};
pub(crate) use scripts::{ARRAY_SCRIPT, after_the_array, scripts};
