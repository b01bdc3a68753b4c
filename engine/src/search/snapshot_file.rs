//! File with the last snapshot of a trial.
//!
//! A trial whose evaluations are too fast for a [log](super::evaluation_log) goes on from a
//! snapshot: population, generator, counters, trace and all else that its next generation depends
//! on.

use std::time::Duration;

/// Number of evaluations between two looks at the clock.
const EVALUATIONS: u64 = 1_024;

/// File with the last snapshot of one trial.
pub trait SnapshotFile {
    /// Returns the snapshot from which the trial goes on; `None` if it begins anew.
    fn snapshot(&mut self) -> Option<Vec<u8>>;

    /// Returns the time that the trial took before it was interrupted.
    fn spent(&self) -> Duration;

    /// Returns whether a snapshot is due.
    fn is_due(&self) -> bool;

    /// Returns whether a trial that is interrupted now leaves a snapshot.
    fn is_worth_saving(&self) -> bool;

    /// Replaces the snapshot. `evaluations` is the number of evaluations up to it.
    fn write(&mut self, evaluations: u64, snapshot: &[u8]);

    /// Returns the number of evaluations after which it is asked again whether a snapshot is due.
    fn evaluations(&self) -> u64 {
        EVALUATIONS
    }
}
