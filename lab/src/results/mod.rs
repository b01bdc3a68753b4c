//! Results: records to Parquet and back; summary, provenance.

mod contradiction;
mod error;
pub mod import;
mod read;
mod results_hash;
mod rows;
mod samples;
pub mod schema;
mod shard_state;
mod shards;
pub mod storage;
mod times;
mod trajectory;
mod trial_errors;

// Used by the tests of this package and others. As a feature it would make `cargo test --release`
// build the package, and all that depend on it, a second time.
#[doc(hidden)]
pub mod fixtures;
#[cfg(test)]
mod tests;

pub use contradiction::Contradiction;
pub use error::ResultsError;
pub use read::Results;
pub use results_hash::is_results_hash;
pub use rows::Rows;
pub use samples::{
    FitnessWithin, Reached, add_fitness_within, empty_samples, planned_samples, samples, samples_at,
};
pub use schema::row::{GenerationRow, TimingRow};
pub(crate) use shard_state::shard_is_done;
pub use shard_state::{ShardState, is_being_run, is_shard_running, is_shard_sound, shard_state};
pub use shards::{Merged, MergedForm, merge_shards, take_in_round};
pub(crate) use storage::atomic::remove_shared_folder;
pub use storage::checkpoint::CheckpointFolder;
pub(crate) use storage::checkpoint::Identity;
pub(crate) use storage::claim::Claim;
pub(crate) use storage::entry::Batch;
pub use storage::finished::Finished;
pub(crate) use storage::folder::SETTINGS_TABLE;
pub use storage::folder::is_tuning_folder;
pub use storage::folder::refuse_pieces;
pub(crate) use storage::judge::FailedTrials;
pub use storage::kept_file::KeptFile;
pub use storage::provenance::{Imported, OperatorPlugin, Provenance, Run};
pub use storage::round_file::RoundFile;
pub(crate) use storage::snapshot::StoredSnapshot;
pub use storage::start_file::FirstGenomes;
pub use storage::store::{Opened, Store};
pub use storage::suite_version::SuiteVersion;
pub use times::{Stopwatch, times};
pub use trajectory::{FirstTrials, Step, Trajectories, Trajectory, TrajectoryTables, trajectories};
pub use trial_errors::{TrialError, TrialErrors, trial_errors};
