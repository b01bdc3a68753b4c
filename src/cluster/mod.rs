//! Clusters: shards of an experiment as tasks of a batch system, their scripts, and their status.
//! Batch systems schedule; the runner writes scripts, submits them and reads the queue.

mod error;
pub(crate) mod hyperqueue;
pub(crate) mod kubernetes;
pub(crate) mod parallel;
pub(crate) mod print;
mod progress;
mod script;
mod shard_set;
pub(crate) mod slurm;
mod status;
mod status_text;
mod submission;
mod tuning_progress;

pub(crate) use error::ClusterError;
pub(crate) use progress::digest_of_arms;
pub(crate) use script::{ScriptFile, quoted};
pub(crate) use shard_set::ShardSet;
pub(crate) use status::{Status, Verdict};
pub(crate) use status_text::text as status_text;
pub(crate) use submission::{Engine, Job, Submission};
