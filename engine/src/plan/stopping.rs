//! Stopping rules, which end the trials of an experiment before its `repeats` are run.

use super::cost::CostRace;
use serde::{Deserialize, Serialize};

/// Rule that ends the trials of an experiment early.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoppingRule {
    /// Criterion that must be met before the trials end.
    #[serde(rename = "question")]
    pub criterion: StoppingCriterion,
    /// Confidence level of the answer, for any number of interim looks; with a number of
    /// successes, of the intervals.
    pub confidence: f64,
}

/// Question that the trials must answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum StoppingCriterion {
    /// Precision: the interval of each arm's success rate must be no wider than twice `half_width`.
    Precision {
        /// Half the width of the interval, between 0 and 0.5.
        half_width: f64,
    },
    /// Number of successes: each arm runs until it has `wanted` successes, or `most` trials.
    Successes {
        /// Number of successes, at least 1.
        wanted: u64,
        /// Maximum number of trials, at least `wanted`.
        most: u64,
    },
    /// Decision on which of two arms, by index, has the higher success rate.
    Decision {
        /// Index of the first arm.
        first: usize,
        /// Index of the second arm.
        second: usize,
    },
    /// Decision on which arm of a race has the highest success rate.
    Best {
        /// Race of each arm, by index. Arms with the same problem and `[stop]` race each other.
        races: Vec<usize>,
    },
    /// Decision on which settings have the lowest cost.
    Cheapest(CostRace),
}

impl StoppingRule {
    /// Returns this rule with the indices that arms have among the chosen ones. `chosen` states for
    /// each arm whether it is chosen. An arm that is not chosen gets an index beyond all of them.
    #[must_use]
    pub fn among(self, chosen: &[bool]) -> Self {
        let place = |arm: usize| match chosen[arm] {
            true => chosen[..arm].iter().filter(|chosen| **chosen).count(),
            false => usize::MAX,
        };
        let criterion = match self.criterion {
            StoppingCriterion::Decision { first, second } => {
                StoppingCriterion::Decision { first: place(first), second: place(second) }
            }
            StoppingCriterion::Best { races } => {
                let of_chosen = races.into_iter().zip(chosen).filter(|(_, chosen)| **chosen);
                StoppingCriterion::Best { races: of_chosen.map(|(race, _)| race).collect() }
            }
            // A race by cost is only looked at as a whole: a part of it is a list of arms.
            of_any @ (StoppingCriterion::Precision { .. }
            | StoppingCriterion::Successes { .. }
            | StoppingCriterion::Cheapest(_)) => of_any,
        };
        StoppingRule { criterion, ..self }
    }
}
