//! The rule that ends the trials of an experiment before its `repeats` are run.

use serde::{Deserialize, Serialize};

/// What is to be known before trials end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoppingRule {
    /// What is to be known before trials end.
    #[serde(rename = "question")]
    pub criterion: Criterion,
    /// Of the answer, however often one looked.
    pub confidence: f64,
}

/// What the trials are to decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Criterion {
    /// Each arm's success rate: its interval is to be no wider than twice this.
    Precision {
        /// Half the width of the interval, between 0 and 0.5.
        half_width: f64,
    },
    /// Which of two arms, by their places, has the higher success rate.
    Decision {
        /// Index of the one arm.
        first: usize,
        /// Index of the other arm.
        second: usize,
    },
    /// Which arm of a race has the highest success rate.
    Best {
        /// The race of each arm, by its place: arms of one problem and `[stop]` race each other.
        races: Vec<usize>,
    },
}

impl StoppingRule {
    /// The same rule among some arms, by their places there; `chosen` says of each arm whether it
    /// is one of them. An arm that is none has a place beyond them.
    #[must_use]
    pub fn among(self, chosen: &[bool]) -> Self {
        let place = |arm: usize| match chosen[arm] {
            true => chosen[..arm].iter().filter(|chosen| **chosen).count(),
            false => usize::MAX,
        };
        let criterion = match self.criterion {
            Criterion::Decision { first, second } => {
                Criterion::Decision { first: place(first), second: place(second) }
            }
            Criterion::Best { races } => {
                let of_chosen = races.into_iter().zip(chosen).filter(|(_, chosen)| **chosen);
                Criterion::Best { races: of_chosen.map(|(race, _)| race).collect() }
            }
            precision @ Criterion::Precision { .. } => precision,
        };
        StoppingRule { criterion, ..self }
    }
}
