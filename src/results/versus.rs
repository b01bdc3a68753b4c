//! An arm against its baseline: is it better than luck?

use super::summary::{ArmSummary, CONFIDENCE};
use crate::fingerprint::ArmId;
use crate::stats::{Interval, rate_difference};
use std::fmt;

/// What an interval of a difference says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All of it lies above 0.
    Better,
    /// All of it lies below 0.
    Worse,
    /// 0 is in it.
    Unclear,
}

impl Verdict {
    /// The verdict on an interval.
    #[must_use]
    pub fn of(interval: Interval) -> Self {
        if interval.low > 0.0 {
            Verdict::Better
        } else if interval.high < 0.0 {
            Verdict::Worse
        } else {
            Verdict::Unclear
        }
    }

    /// The word in the tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Unclear => "cannot tell",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.word())
    }
}

/// An arm's success rate minus its baseline's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Versus {
    pub baseline: ArmId,
    /// None while either has no trials.
    pub difference: Option<Difference>,
}

/// A difference of two rates with its 95 % interval (Newcombe).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    pub value: f64,
    pub interval: Interval,
}

impl Difference {
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::of(self.interval)
    }
}

impl Versus {
    pub(crate) fn new(arm: &ArmSummary, id: ArmId, baseline: &ArmSummary) -> Self {
        let (first, second) = ((arm.successes, arm.trials), (baseline.successes, baseline.trials));
        let difference = rate_difference(first, second, CONFIDENCE);
        Versus { baseline: id, difference: difference.map(|(value, interval)| Difference { value, interval }) }
    }
}
