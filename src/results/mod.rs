//! Results: records to Parquet and back; summary, provenance.

mod columns;
mod error;
mod file;
mod finished;
mod folder;
mod interval;
mod journal;
mod label;
mod layout;
mod merge;
pub mod outlet;
mod plan_file;
mod provenance;
mod read;
mod reader;
mod regular;
mod roll;
mod row;
mod seal;
mod shards;
mod store;
mod summary;
mod triage;
mod versus;

#[cfg(test)]
mod tests;

pub use columns::{Column, SWEPT_DOC, Table};
pub use error::ResultsError;
pub use finished::Finished;
pub use interval::{RateInterval, RateMethod, percent};
pub(crate) use layout::swept_text;
pub use layout::{ArmRow, BestType, Layout};
pub use provenance::{PluginFile, Provenance, RUN_FILE, Run};
pub use read::Results;
pub use row::{GenerationRow, TimingRow};
pub use shards::{Merged, merge_shards};
pub use store::{Opened, Store};
pub use summary::{ArmSummary, CONFIDENCE, Quartiles, Spread, SummaryRow, SummaryTable};
pub use versus::{
    Counts, Difference, DifferenceMethod, Verdict, Versus, confidence, extremes, rates_apart,
};
