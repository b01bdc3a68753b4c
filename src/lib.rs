//! `runner`: experiments in evolutionary search, from TOML to Parquet. The command line, a page, a
//! cluster and a test drive the same library.
//!
//! An experiment from its text to its tables, with a plugin that is linked in; those that are files
//! are found by a catalogue with a [`SearchPath`](problem::SearchPath):
//!
//! ```
//! use runner::config::{Catalogue, Overrides, load_text};
//! use runner::problem::{Library, SearchPath};
//! use runner::run::{Ended, Event, SessionOptions, run_experiment};
//! use std::path::Path;
//!
//! let config = r#"
//!     repeats = 20
//!     problem = { plugin = "nqueens", n = 6 }
//!     operators = [{ population = 10, selection = "tournament", mutation = "reset" }]
//!     stop = { evaluations = 1000 }
//! "#;
//! let mut plugins = Catalogue::new(SearchPath::of(Vec::new()));
//! plugins.add(Library::linked::<nqueens::NQueens>("1")?);
//! let loaded = load_text(Path::new("six.toml"), config, &Overrides::default(), &mut plugins);
//! let plan = loaded.plans.first().ok_or("the config has no errors")?;
//!
//! let (folder, mut trials) = (tempfile::tempdir()?, 0);
//! let options = SessionOptions::new(folder.path());
//! let ended = run_experiment(plan, &options, &mut |event: &Event<'_>| {
//!     if let Event::Advanced { progress, .. } = event {
//!         trials = progress.trials;
//!     }
//! })?;
//! let Ended::Finished(conclusion) = ended else { return Err("it was interrupted".into()) };
//! assert_eq!((trials, conclusion.summary.rows[0].figures.trials), (20, 20));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! To run trials elsewhere, see [`Session`](run::Session); to run those of results again,
//! [`Replay`](run::Replay).
//!
//! The map of the crates: the rooms down to `certify` are the crate `runner_engine`, those down to
//! `tuning` are `runner_lab`, and both are shown here as this crate's own. `present` is the crate
//! `runner_present`; `live` and `serve` are `runner_page`. Data flows down this list, and never
//! up.
//!
//! | room | does |
//! |---|---|
//! | [`exit`] | exit codes |
//! | [`words`] | numbers, lists and near names in messages |
//! | [`system`] | signals, memory, streams, and the guard that watches the process plugins run in |
//! | [`stats`] | intervals, tests and quantiles: pure functions |
//! | [`random`] | the generator of random numbers, and draws from it |
//! | [`problem`] | plugins: found, loaded and checked; the safe handle of a problem |
//! | [`operators`] | the registry, and the operators as plain functions |
//! | [`record`] | what is kept of a trial |
//! | [`search`] | a trial: a problem, operators and a seed in, a record out |
//! | [`plan`] | arms, their settings, fingerprints and seeds; shards |
//! | [`sequential`] | repeats that end when a question is answered |
//! | [`tune`] | which settings a tuning tries next |
//! | [`certify`] | each operator against its source, by tests that could fail |
//! | [`parquet`] | tables in memory as named columns, and Parquet files of them |
//! | [`config`] | TOML to a plan, with every fault of every file shown at once |
//! | [`conformance`] | a problem against the rules of the plugin interface |
//! | [`analysis`] | summaries, comparisons, stopping rules: numbers with their method and level |
//! | [`results`] | records as tables on the disk, and back |
//! | [`run`] | an experiment from its plan to its tables, on all cores |
//! | [`tuning`] | a search for good settings, whose iterations are experiments |
//! | `present` | numbers as text, tables, charts, pages, and the formats of other tools |
//! | `cluster` | shards as tasks of a batch system: scripts, submissions, the queue |
//! | `live` | searches that are watched while they run, each in a process of its own |
//! | `serve` | the live page: what a browser asks for, and what it is sent |
//! | [`cli`] | the command line |

pub mod cli;
pub(crate) mod cluster;

pub use runner_lab::{analysis, config, conformance, parquet, results, run, tuning};
pub use runner_lab::{
    certify, exit, operators, plan, problem, random, record, search, sequential, stats, system,
    tune, words,
};
use runner_present as present;
