//! Orders: messages from a page to its process.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Message to a process: one task, then commands to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    Begin(Box<Setting>, Task),
    /// There is memory for this number of trials at once.
    Go(usize),
    Pause,
    Resume,
    /// One generation, then a pause.
    Step,
    Pace(Pace),
}

/// Speed of a watched trial.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pace {
    /// Generations per second; `None` for full speed.
    pub generations: Option<f64>,
}

/// Experiment and folders of a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Setting {
    /// The experiment file's text, and where it would be.
    pub text: String,
    pub path: PathBuf,
    /// Folders in which plugins are searched.
    pub folders: Vec<PathBuf>,
    /// Folder whose files of data the text may name; `None` if it may name none.
    pub data: Option<PathBuf>,
}

/// Task of a process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Task {
    /// The text is checked.
    Check,
    /// This trial of an arm, given by its place in the plan.
    Watch { arm: usize, trial: u64, pace: Pace, paused: bool },
    /// Runs this number of trials of each arm.
    Repeat { trials: u64 },
    /// A trial of these results, run again. The text is not looked at.
    Replay { folder: PathBuf, arm: String, trial: u64, trust: bool },
    /// Reads these results. The text is ignored.
    Read { folder: PathBuf, reading: Reading, trust: bool },
    /// Reads a line of each of these experiments, and sends one after the other.
    Lines { folders: Vec<PathBuf> },
    /// Compares and ranks the arms of these experiments.
    Together { folders: Vec<PathBuf> },
}

/// Part of results that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Reading {
    /// The arms and their figures, as JSON.
    Summary,
    /// The comparison of the arms, as `runner compare` makes it, as JSON.
    Comparison,
    /// Pictures, each with its name.
    Plots,
    /// The page that `runner report` writes.
    Report,
}
