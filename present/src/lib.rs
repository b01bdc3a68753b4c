//! The presentation of `runner`: writes an experiment's output for readers and other programs, as
//! reports, terminal tables, charts, pages, and the formats of other tools. No module runs a trial.

pub mod answer;
pub mod arms;
pub mod chart;
pub mod comparison;
pub mod excerpt;
pub mod export;
pub mod format;
pub mod html;
mod lists;
pub mod memory;
pub mod names;
pub mod pack;
pub mod pairs;
pub mod ranking;
pub mod references;
pub mod remarks;
pub mod report;
pub mod suite;
pub mod summary;
pub mod terminal;
pub mod times;
pub mod tuned;

use runner_lab::{
    analysis, certify, config, conformance, operators, parquet, plan, problem, record, results,
    run, search, sequential, stats, system, tune, tuning, words,
};
