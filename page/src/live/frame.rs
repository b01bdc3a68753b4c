//! Frames: snapshots of a watched search for its page.

use super::series::Point;
use super::strip::Strip;
use crate::run::MemoryNeed;
use serde::{Deserialize, Serialize};

/// Message of a process. The names are those of the page's messages too.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Frame {
    /// A trial that is watched.
    Trial(Box<TrialFrame>),
    /// Trials that are repeated.
    Repeats(Box<Repeats>),
    /// A trial of results, run again.
    Replayed(Box<Replayed>),
    /// Outcome of a check.
    Checked(Box<Checked>),
    /// Texts that were read of results, each with its name.
    Texts(Vec<(String, String)>),
    /// Memory of its trials, and the number that run at once if there is room. The process waits
    /// until it is told to go.
    Needs(MemoryNeed, usize),
    /// The task cannot be done, for this reason.
    Unable(String),
}

/// Whether a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    Running,
    Paused,
    Ended,
}

/// A watched trial after one of its generations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TrialFrame {
    pub state: State,
    /// Label of the arm.
    pub arm: String,
    pub trial: u64,
    /// As a text: not every reader of JSON has all integers of 64 bits.
    pub seed: String,
    /// The generation that is shown.
    pub now: Point,
    /// Violation of the best genome so far, and the share of individuals that are feasible; none
    /// without constraints.
    pub violation: Option<(f64, f64)>,
    /// Individuals in the population.
    pub population: usize,
    pub strip: Strip,
    /// Picture of the best genome so far.
    pub board: Option<Board>,
    /// The best individuals of this generation, where it is shown long enough.
    pub boards: Vec<Portrait>,
    /// Some children of this generation, where it is shown long enough and the algorithm breeds.
    pub births: Vec<ShownBirth>,
    /// Points since the frame before.
    pub convergence: Convergence,
    /// Ending of the trial.
    pub ending: Option<Ending>,
}

/// Generations that are new to the reader.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Convergence {
    /// Whether the points replace all that were sent before.
    pub replaces: bool,
    pub points: Vec<Point>,
}

/// A genome for readers; `None` for a format that the plugin lacks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Board {
    pub svg: Option<String>,
    /// Several lines.
    pub text: Option<String>,
    /// One line; the genes, where the plugin has none.
    pub line: String,
}

/// An individual, as small as a stamp.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Portrait {
    /// Picture; none where the plugin draws none.
    pub svg: Option<String>,
    /// Beginning of its line, where there is no picture.
    pub line: String,
    pub fitness: f64,
}

/// A child of the generation that is shown, with its parents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ShownBirth {
    /// One of a copy, two of a crossover.
    pub parents: Vec<Relative>,
    /// Number of genes before the cut, which come from the first parent; none without a cut.
    pub cut: Option<usize>,
    /// The child before its mutation; none if no gene changed.
    pub bred: Option<Relative>,
    /// Whether the child was chosen for mutation.
    pub mutates: bool,
    pub born: Relative,
    /// Place of the first gene that is shown, from 0 on.
    pub from: usize,
    /// Genes of a genome.
    pub length: usize,
}

/// A parent or a child.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Relative {
    /// Picture; none where the plugin draws none.
    pub svg: Option<String>,
    /// Genes that are shown.
    pub genes: Vec<f64>,
    /// None where it is not known.
    pub fitness: Option<f64>,
}

/// The end of a trial, as the trials table has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ending {
    /// As in the tables.
    pub outcome: String,
    /// Outcome as a sentence.
    pub words: String,
    pub success: bool,
    pub best_fitness: Option<f64>,
    /// Violation of the best genome; none without constraints.
    pub violation: Option<f64>,
    pub generations: u64,
    pub evaluations: u64,
    pub evaluations_to_success: Option<u64>,
    pub valid: Option<bool>,
    pub error: Option<String>,
    /// Wall time of the trial, pauses included.
    pub seconds: f64,
}

/// Repeated trials so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Repeats {
    pub state: State,
    /// Number of trials planned per arm.
    pub target: u64,
    pub arms: Vec<RepeatsOfArm>,
    /// The verdicts of `runner compare`, once all trials are there.
    pub verdicts: Vec<ArmVerdict>,
    /// Reason why the verdicts may not be those of `runner compare`, if there is one.
    pub note: Option<String>,
}

/// Verdict of `runner compare` on two arms.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ArmVerdict {
    pub first: String,
    pub second: String,
    pub words: String,
}

/// Repeated trials of an arm.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RepeatsOfArm {
    pub label: String,
    /// Whether a trial can succeed: whether there is a target.
    pub defines_success: bool,
    /// Trials that did not fail.
    pub trials: u64,
    pub successes: u64,
    pub failures: u64,
    /// The first error.
    pub error: Option<String>,
    /// Interval of the success rate, which holds at every look with probability 0.95; `None`
    /// without trials, and where success is not defined.
    pub interval: Option<(f64, f64)>,
    /// Evaluations to success in ascending order: all, or as many evenly by rank. The k-th of m
    /// is about the quantile k / m of the successes.
    pub run_lengths: Vec<u64>,
    /// The most evaluations that a trial spent.
    pub longest: u64,
    /// Final fitness in ascending order: for each bin its least value, that of the next, and the
    /// number of trials between them. If there are few values, each has its own bin.
    pub histogram: Vec<(f64, f64, u64)>,
}

/// A trial of results, run again, improvement by improvement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Replayed {
    pub arm: String,
    pub trial: u64,
    /// As a text: not every reader of JSON has all integers of 64 bits.
    pub seed: String,
    pub ending: Ending,
    /// Whether it equals the trial in the tables; `None` if they lack it.
    pub same: Option<bool>,
    /// Number of improvements; the steps are all of them, or an even sample.
    pub improvements: usize,
    pub steps: Vec<ReplayedStep>,
    /// Every generation, or some evenly.
    pub points: Vec<Point>,
}

/// An improvement of a replayed trial.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ReplayedStep {
    pub generation: u64,
    pub evaluations: u64,
    pub fitness: f64,
    pub violation: Option<f64>,
    pub board: Board,
}

/// Outcome of a check of an experiment's text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Checked {
    /// The text as JSON; none if it is no TOML.
    pub config: Option<String>,
    /// Keys of each sweep, in the order of the text.
    pub sweep: Vec<Vec<String>>,
    pub diagnostics: Vec<Fault>,
    /// Plan of the text; `None` if anything is wrong.
    pub plan: Option<Planned>,
}

/// One thing that is wrong with an experiment's text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fault {
    /// Whether it keeps the experiment from running.
    pub is_error: bool,
    /// Key that causes the fault.
    pub path: Option<String>,
    pub line: Option<usize>,
    pub message: String,
    pub label: String,
    pub rule: Option<String>,
    pub help: Option<String>,
}

/// Plan of an experiment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Planned {
    pub name: String,
    /// As a text: not every reader of JSON has all integers of 64 bits.
    pub seed: String,
    pub repeats: u64,
    pub problem: String,
    /// The first of them.
    pub arms: Vec<PlannedArm>,
    /// Number of all of them.
    pub count: usize,
}

/// An arm of such an experiment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PlannedArm {
    pub label: String,
    pub id: String,
    pub encoding: String,
    pub genome_length: usize,
    /// Place of the first arm that searches the same problem.
    pub problem: usize,
    pub ideal: Option<f64>,
    pub target: Option<f64>,
    pub constrained: bool,
    pub generations: Option<u64>,
    pub evaluations: Option<u64>,
}
