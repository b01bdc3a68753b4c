//! The map of the crate. Data flows down this list; nothing points back up it.
//!
//! TOML files become a [`config`], a config a checked [`experiment`], an experiment a [`plan`] of arms with their
//! [`problem`]s; a [`search`] makes a trial [`record`] out of a problem, an operator set and a [`seed`]; [`run`] does so on all
//! cores; [`results`] keeps the records as tables, and [`report`] shows them. [`progress`] shows the events on the way.

pub mod exit;
pub mod interrupt;
pub mod nearest;
pub mod parameter;
pub mod problem;
pub mod operators;
pub mod experiment;
pub mod config;
pub mod fingerprint;
pub mod plan;
pub mod seed;
pub mod record;
pub mod search;
pub mod run;
pub mod stats;
pub mod results;
pub mod report;
pub mod cli;
pub mod progress;
pub mod commands;
