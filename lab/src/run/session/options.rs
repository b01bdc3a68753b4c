//! Options of a session, in addition to its plan.

use crate::plan::ArmPatterns;
use crate::plan::round::Share;
use crate::run::{Isolation, TimeLimit, default_jobs};
use crate::system::interrupt::Interrupt;
use std::path::{Path, PathBuf};

/// Options that decide where and how an experiment runs.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The folder that holds a results folder for each experiment.
    pub results: ResultsFolder,
    /// Part of the trials that is run, for a later merge; `None` if all are run.
    pub share: Option<Share>,
    /// Run only these arms; without patterns, all.
    pub arms: ArmPatterns,
    /// Whether trials run in threads or in processes.
    pub isolation: Isolation,
    /// Trials at a time, at least 1.
    pub jobs: usize,
    /// Interrupt that is raised to end the run early.
    pub interrupt: Interrupt,
    /// Moment from which on no round of trials begins.
    pub time_limit: TimeLimit,
    /// Whether to continue with trials that another build of the same plugin version made.
    pub accept_plugin_change: bool,
    /// Whether trials that failed, crashed or timed out in an earlier run are run again.
    pub retry_failed: bool,
    /// Whether the run goes on though every trial fails.
    pub keep_going: bool,
}

impl SessionOptions {
    /// Returns the options for all trials, in threads, one per core, with results below this
    /// folder. Call it before a plugin may have changed the working directory.
    #[must_use]
    pub fn new(results: &Path) -> Self {
        SessionOptions {
            results: ResultsFolder::new(results),
            share: None,
            arms: ArmPatterns::default(),
            isolation: Isolation::Threads,
            jobs: default_jobs(),
            interrupt: Interrupt::default(),
            time_limit: TimeLimit::default(),
            accept_plugin_change: false,
            retry_failed: false,
            keep_going: false,
        }
    }
}

/// A folder, and what to call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultsFolder {
    /// Absolute: plugins change the working directory.
    pub path: PathBuf,
    /// The folder, as the user named it.
    pub shown: PathBuf,
}

impl ResultsFolder {
    /// Returns a folder under this results directory.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        let path = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        ResultsFolder { path, shown: folder.to_owned() }
    }

    /// Returns a folder in this one, by its absolute path.
    #[must_use]
    pub fn holding(&self, path: &Path) -> Self {
        let below = path.strip_prefix(&self.path);
        let shown = below.map_or_else(|_| path.to_owned(), |name| self.shown.join(name));
        ResultsFolder { path: path.to_owned(), shown }
    }
}
