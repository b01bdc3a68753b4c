//! Results of a tuning.

use super::record::TuningRecord;
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
    /// All settings that were tried, by their numbers.
    pub settings: Vec<SettingResult>,
    /// Space, budget, totals, and the comparison at the end.
    pub record: TuningRecord,
}
