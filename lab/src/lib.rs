//! The laboratory of `runner`: takes an experiment from its TOML text to its tables. No module here
//! prints, draws or serves.
//!
//! Data flows down this list, and never up. The crate re-exports the modules of `runner_engine`.
//!
//! | module | content |
//! |---|---|
//! | [`parquet`] | tables in memory as named columns, and Parquet files of them |
//! | [`config`] | TOML to a plan, with every fault of every file shown at once |
//! | [`conformance`] | checks of a problem against the rules of the plugin interface |
//! | [`analysis`] | summaries, comparisons, stopping rules: numbers with their method and level |
//! | [`results`] | records as tables on the disk, and back |
//! | [`run`] | an experiment from its plan to its tables, on all cores |
//! | [`tuning`] | a search for good settings, whose iterations are experiments |

pub mod analysis;
pub mod config;
pub mod conformance;
pub mod parquet;
pub mod results;
pub mod run;
#[cfg(test)]
mod test_size;
pub mod tuning;

pub use runner_engine::{
    certify, exit, operators, plan, problem, random, record, search, sequential, stats, system,
    tune, words,
};
