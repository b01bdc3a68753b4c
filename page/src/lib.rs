//! The live page of `runner`: searches that are watched while they run, and results in a browser.
//!
//! | module | content |
//! |---|---|
//! | [`live`] | searches that are watched while they run, each in a process of its own |
//! | [`serve`] | the page itself: what a browser asks for, and what it is sent |
#![cfg(unix)]

pub mod live;
pub mod serve;

use runner_lab::{
    analysis, config, plan, problem, record, results, run, search, sequential, stats, system,
};
use runner_present as present;
