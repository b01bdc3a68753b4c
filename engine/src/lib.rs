//! The engine of `runner`: one trial of an evolutionary search, and the numbers that are made of
//! many. Nothing here reads a config or writes a table, so it builds without the libraries that do,
//! beside them.
//!
//! The crate `runner` has the rest, shows these modules as its own, and has the map of all of them.
//! Data flows down this list; nothing points back up it.
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
//! | [`search`] | a trial: a problem, operators and a seed in, a record out |
//! | [`plan`] | arms, their settings, fingerprints and seeds; shards |
//! | [`sequential`] | repeats that end when a question is answered |
//! | [`certify`] | each operator against its source, by tests that could fail |

pub mod certify;
pub mod exit;
pub mod operators;
pub mod plan;
pub mod problem;
pub mod random;
pub mod record;
pub mod search;
pub mod sequential;
pub mod stats;
pub mod system;
