//! Intervals with their method and level.

use std::fmt;

/// Default level of the intervals in the summary.
pub const CONFIDENCE: f64 = 0.95;

/// Method of a success rate's interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateMethod {
    /// Wilson (1927), for a fixed number of trials.
    Wilson,
    /// Valid at every number of trials at once, for trials that ended by their outcomes.
    Sequence,
    /// Exact, for trials that ended by their number of successes (Haldane 1945).
    InverseSampling,
    /// The rate itself: all trials of the arm are the same.
    Exact,
}

/// Interval of a success rate, with its method and its level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateInterval {
    /// The lower bound, between 0 and 1.
    pub low: f64,
    /// The upper bound, between 0 and 1.
    pub high: f64,
    /// Method of the interval.
    pub method: RateMethod,
    /// Probability that the interval contains the rate, such as 0.95.
    pub confidence: f64,
}

impl RateMethod {
    /// Every method, in the order of the documentation.
    pub const ALL: [RateMethod; 4] =
        [RateMethod::Wilson, RateMethod::Sequence, RateMethod::InverseSampling, RateMethod::Exact];

    /// Returns whether outcomes ended the trials.
    #[must_use]
    pub fn is_sequential(self) -> bool {
        matches!(self, RateMethod::Sequence | RateMethod::InverseSampling)
    }

    /// Returns the name in the tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            RateMethod::Wilson => "wilson",
            RateMethod::Sequence => "confidence-sequence",
            RateMethod::InverseSampling => "inverse-sampling",
            RateMethod::Exact => "exact",
        }
    }

    /// Returns the method with this name in the tables.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.as_str() == text)
    }
}

/// Writes the name for readers: "Wilson", "confidence sequence".
impl fmt::Display for RateMethod {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            RateMethod::Wilson => "Wilson",
            RateMethod::Sequence => "confidence sequence",
            RateMethod::InverseSampling => "inverse sampling",
            RateMethod::Exact => "exact",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_found_by_their_names() {
        for method in RateMethod::ALL {
            assert_eq!(RateMethod::parse(method.as_str()), Some(method));
        }
        assert_eq!(RateMethod::parse("normal"), None);
    }
}
