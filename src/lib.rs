//! The map of the crate. Data flows down this list; nothing points back up it.
//!
//! | room | does |
//! |---|---|
//! | [`exit`] | exit codes |
//! | [`system`] | signals, memory, streams, and the guard that watches the process plugins run in |
//! | [`stats`] | intervals, tests and quantiles: pure functions |
//! | [`random`] | the generator of random numbers, and draws from it |
//! | [`problem`] | plugins: found, loaded and checked; the safe handle of a problem |
//! | [`operators`] | the registry, and the operators as plain functions |
//! | [`record`] | what is kept of a trial |
//! | [`plan`] | arms, their settings, fingerprints and seeds; shards |
//! | [`config`] | TOML to a plan, with every fault of every file shown at once |
//! | [`search`] | a trial: a problem, operators and a seed in, a record out |
//! | [`certify`] | each operator against its source, by tests that could fail |
//! | [`analysis`] | summaries, comparisons, stopping rules: numbers with their method and level |
//! | [`results`] | records as tables on the disk, and back |
//! | [`run`] | an experiment from its plan to its tables, on all cores |
//! | [`present`] | numbers as text, tables, charts, pages, and the formats of other tools |
//! | [`cli`] | the command line |

pub mod analysis;
pub mod certify;
pub mod cli;
pub mod config;
pub mod exit;
pub mod operators;
pub mod plan;
pub mod present;
pub mod problem;
pub mod random;
pub mod record;
pub mod results;
pub mod run;
pub mod search;
pub mod stats;
pub mod system;
