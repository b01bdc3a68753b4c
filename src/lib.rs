//! The map of the crate. Data flows down this list; nothing points back up it.
//!
//! TOML files become a [`config`], a config a checked [`experiment`], an experiment a [`plan`] of
//! arms with their [`problem`]s; a [`search`] makes a trial [`record`] out of a problem, an
//! operator set and a [`seed`]; [`run`] does so on all cores, until a question is answered where
//! [`enough`] is asked; [`results`] keeps the records as tables, and [`report`] shows them.
//! [`stats`] and [`comparison`] make answers of them, [`picture`] and [`page`] show those, with
//! short [`names`], [`export`] writes them for other tools. [`progress`] shows the events on the
//! way, and [`output`] alone prints. [`guard`] sees to it that no plugin ends the program without a
//! word. Beside it, [`certify`] tests what the search is made of.

#[macro_use]
pub mod output;

pub mod certify;
pub mod cli;
pub mod commands;
pub mod comparison;
pub mod config;
pub mod enough;
pub mod exit;
pub mod experiment;
pub mod export;
pub mod fingerprint;
pub mod guard;
pub mod interrupt;
pub mod memory;
pub mod names;
pub mod nearest;
pub mod operators;
pub mod page;
pub mod parameter;
pub mod picture;
pub mod plan;
pub mod problem;
pub mod progress;
pub mod record;
pub mod report;
pub mod results;
pub mod run;
pub mod search;
pub mod seed;
pub mod shard;
pub mod stats;
