//! The engine of `runner`: runs one trial of an evolutionary search, and computes statistics over
//! many trials. No module here reads a config or writes a table. The engine therefore builds
//! without the libraries for those tasks.
//!
//! The crate `runner` contains the rest, re-exports these modules, and maps all of them. Data flows
//! down this list, and never up.
//!
//! | module | content |
//! |---|---|
//! | [`exit`] | exit codes |
//! | [`words`] | numbers, lists and near names in messages |
//! | [`system`] | signals, memory, streams, and the guard of the process that runs plugins |
//! | [`stats`] | intervals, tests and quantiles as pure functions |
//! | [`random`] | the random number generator, and draws from it |
//! | [`problem`] | discovery, loading and checks of plugins; the safe handle of a problem |
//! | [`operators`] | the registry, and the operators as plain functions |
//! | [`record`] | records of finished trials |
//! | [`search`] | one trial: takes a problem, operators and a seed, and returns the result |
//! | [`plan`] | arms, their settings, fingerprints and seeds; shards |
//! | [`sequential`] | repeats that end once a question is answered |
//! | [`tune`] | the next settings of a tuning |
//! | [`certify`] | tests of each operator against its source, which a wrong operator would fail |

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
#[cfg(test)]
mod test_size;
pub mod tune;
pub mod words;
