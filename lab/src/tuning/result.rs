//! Results of a tuning.

use super::finalist::Finalist;
use crate::problem::parameter::Value;
use crate::run::ResultsFolder;

/// Reason why a setting went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Left by the last iteration, and compared on the test instances.
    Survived,
    /// Dropped out of the race of an iteration.
    DroppedOut {
        /// Number of the iteration.
        iteration: u32,
        /// Number of trials per instance after which it dropped out.
        after: u64,
        /// Setting with the most evidence of being cheaper.
        by: usize,
    },
    /// Left by the race of an iteration, but not among the best that the next one takes.
    Outranked {
        /// Number of the iteration.
        iteration: u32,
    },
}

/// Setting that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingResult {
    /// Number of the setting; 0 is the one of the file.
    pub number: usize,
    /// Number of the iteration that drew it.
    pub iteration: u32,
    /// Number of the setting around which it was drawn; `None` if it was drawn anywhere.
    pub parent: Option<usize>,
    /// Value of each tuned key; `None` if the setting does not have the key. The setting of the
    /// file has the values that the file gives, and no values here.
    pub values: Vec<Option<Value>>,
    /// Number of trials in the iterations, without those that failed.
    pub trials: u64,
    /// Number of its trials in the iterations that failed.
    pub failures: u64,
    /// Mean cost of the trials that did not fail; `None` if there are none.
    pub mean_cost: Option<f64>,
    /// Reason why it went no further.
    pub end: End,
}

/// Result of a finished tuning.
#[derive(Clone, Debug)]
pub struct TuningResult {
    /// Folder of the tuning.
    pub folder: ResultsFolder,
    /// Tuned keys, in the order of the file.
    pub keys: Vec<String>,
    /// All settings that were tried, by their numbers.
    pub settings: Vec<SettingResult>,
    /// Number of iterations.
    pub iterations: usize,
    /// Numbers of the iterations that restarted around survivors that agreed.
    pub restarts: Vec<u32>,
    /// Number of trials in all iterations.
    pub trials: u64,
    /// Number of evaluations in all iterations.
    pub evaluations: u64,
    /// Number of trials, and of their evaluations, in the comparison at the end.
    pub compared: [u64; 2],
    /// Number of trials that the limit of seconds ended, those at the end too.
    pub timed_out: u64,
    /// Survivors and the setting of the file on the test instances, the best first.
    pub finalists: Vec<Finalist>,
    /// Lines of TOML of each finalist; empty for the setting of the file.
    pub lines: Vec<Vec<String>>,
    /// Confidence of each race.
    pub confidence: f64,
}

impl TuningResult {
    /// Returns the number of failed trials, in iterations and at the end. They have no cost.
    #[must_use]
    pub fn failures(&self) -> u64 {
        let in_iterations = self.settings.iter().map(|one| one.failures);
        in_iterations.chain(self.finalists.iter().map(|one| one.failures)).sum()
    }

    /// Returns whether the comparison left one setting.
    #[must_use]
    pub fn has_best(&self) -> bool {
        self.finalists.iter().filter(|one| one.dropped.is_none()).count() == 1
    }
}
