//! Comparison of an arm with its baseline.

use crate::analysis::comparison::Criterion;
use crate::analysis::{Difference, Verdict};
use crate::plan::ArmId;

/// An arm compared with its baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaselineComparison {
    /// Arm that serves as the baseline.
    pub baseline: ArmId,
    /// Success rate minus the baseline's; `None` if either has no trials or success is not defined.
    pub difference: Option<Difference>,
    /// Verdict of the tests that `runner compare` makes; `None` without trials, with more trials
    /// than [`MOST_COMPARED`](crate::analysis::MOST_COMPARED), or if the table was written by an
    /// earlier version.
    pub verdict: Option<Verdict>,
    /// Criterion on which the verdict rests; `None` if no test finds a difference.
    pub(crate) criterion: Option<Criterion>,
}
