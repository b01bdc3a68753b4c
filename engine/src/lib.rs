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
//!
//! The statistics need no experiment of this program. Here they compare two searches by their
//! evaluations until success:
//!
//! ```
//! use runner_engine::stats::{Frequencies, ert, mann_whitney, wilson};
//!
//! // Five of six runs of the first search succeeded; the sixth ended after 1,000 evaluations.
//! let first = [120, 180, 95, 240, 130];
//! let second = [310, 420, 280, 505, 390, 275];
//!
//! let interval = wilson(5, 6, 0.95).ok_or("no runs")?;
//! assert!(interval.low < 5.0 / 6.0 && 5.0 / 6.0 < interval.high);
//! assert_eq!(ert(&first, &[1_000]), Some((120 + 180 + 95 + 240 + 130 + 1_000) as f64 / 5.0));
//!
//! let frequencies =
//!     |sample: &[u64]| sample.iter().map(|one| *one as f64).collect::<Frequencies>();
//! let test = mann_whitney(&frequencies(&first), &frequencies(&second)).ok_or("no runs")?;
//! // All of the 462 ways to choose 5 of 11 runs are equally likely if there is no difference.
//! assert!((test.p - 2.0 / 462.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
