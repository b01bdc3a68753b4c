//! Ends of sessions.

use super::ResultsFolder;
use crate::analysis::SummaryTable;
use crate::sequential::SequentialState;

/// End of a session.
#[derive(Debug)]
pub enum Ended {
    /// The tables are written.
    Finished(Conclusion),
    /// All trials of the shard are done, and wait for the other shards.
    ShardDone {
        /// The shard's folder.
        folder: ResultsFolder,
        /// Trials of the shard.
        trials: u64,
    },
    /// All trials of the arms that were asked for are done; others are missing, so there are no
    /// tables yet.
    Partial {
        /// Folder of the finished trials.
        folder: ResultsFolder,
        /// Whether each arm was asked for, in plan order.
        chosen: Vec<bool>,
        /// Trials that are finished, of all arms.
        trials: u64,
    },
    /// Every trial failed, so the run stopped early; the trials are saved.
    AllFailed {
        /// Folder of the failed trials.
        folder: ResultsFolder,
        /// Number of failed trials.
        trials: u64,
    },
    /// Trials are missing; those that finished are saved, and the next session goes on from them.
    Interrupted {
        /// Folder of the finished trials.
        folder: ResultsFolder,
        /// Trials that are finished.
        trials: u64,
        /// Whether the time limit ended the session.
        is_time_up: bool,
    },
}

/// A finished experiment.
#[derive(Debug)]
pub struct Conclusion {
    /// Folder of the tables.
    pub folder: ResultsFolder,
    /// Contents of the summary table.
    pub summary: SummaryTable,
    /// Number of trials of each arm, and the decisions of the stopping rule.
    pub state: SequentialState,
    /// A warning if another build of a plugin made some of the trials.
    pub other_build: Option<String>,
}
