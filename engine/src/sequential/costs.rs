//! Costs of trials, by arm and trial number.

use crate::plan::Cost;
use crate::record::TrialRecord;

/// Cost of a trial, and the evaluations that it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialCost {
    /// Cost; `None` if the trial failed, so that its cost is unknown.
    pub cost: Option<f64>,
    /// Number of computed fitness values.
    pub evaluations: u64,
}

/// Costs of the trials of all arms so far.
#[derive(Clone, Debug)]
pub struct Costs {
    cost: Cost,
    /// Trials of each arm, by number; `None` if a trial has not ended.
    arms: Vec<Vec<Option<TrialCost>>>,
}

impl Costs {
    /// Creates an empty set of costs for `arms` arms.
    #[must_use]
    pub fn new(cost: Cost, arms: usize) -> Self {
        Costs { cost, arms: vec![Vec::new(); arms] }
    }

    /// Adds the cost of a trial. Trials may be added in any order.
    pub fn add(&mut self, record: &TrialRecord) {
        let cost = TrialCost { cost: self.cost.of(record), evaluations: record.evaluations };
        self.note(record.arm, record.trial, cost);
    }

    /// Records the cost of a trial.
    pub fn note(&mut self, arm: usize, trial: u64, cost: TrialCost) {
        let (trials, place) = (&mut self.arms[arm], trial as usize);
        if trials.len() <= place {
            trials.resize(place + 1, None);
        }
        trials[place] = Some(cost);
    }

    /// Returns the number of arms.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.arms.len()
    }

    /// Returns the cost of a trial; `None` if the trial has not ended.
    #[must_use]
    pub fn at(&self, arm: usize, trial: u64) -> Option<TrialCost> {
        *self.arms[arm].get(trial as usize)?
    }
}
