//! Results: records to Parquet and back; summary, provenance.

mod error;
mod read;
mod samples;
pub(crate) mod schema;
mod shards;
pub(crate) mod storage;
mod trajectory;
mod trial_errors;

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod tests;

pub use error::ResultsError;
pub use read::Results;
pub use samples::samples;
pub use schema::columns::{Column, SWEPT_DOC, Table};
pub use schema::row::{GenerationRow, TimingRow};
pub use shards::{Merged, merge_shards};
pub use storage::finished::Finished;
pub use storage::output_folder;
pub use storage::provenance::{Provenance, RUN_FILE, Run};
pub use storage::store::{Opened, Store};
pub use trajectory::{Step, Trajectories, Trajectory, trajectories};
pub use trial_errors::{TrialError, TrialErrors, trial_errors};
