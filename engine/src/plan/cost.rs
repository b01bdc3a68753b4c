//! Costs of trials, by which settings are compared.

use super::settings::Stop;
use crate::record::TrialRecord;
use serde::{Deserialize, Serialize};

/// Cost of a trial; lower is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Cost {
    /// Evaluations to the first success.
    Evaluations {
        /// Cost of a trial without success.
        unsuccessful: u64,
    },
    /// Fitness of the best feasible genome; infinite if there is none.
    Fitness,
}

/// Cost of an unsuccessful trial, in budgets.
const PENALTY: u64 = 10;

/// Reason why trials have no cost by evaluations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoCost {
    /// Key of `[stop]` that is missing.
    pub missing: &'static str,
    /// Description of the fault.
    pub message: &'static str,
    /// Rule that is broken.
    pub rule: String,
}

impl Cost {
    /// Returns the cost by evaluations of trials with these stop rules.
    ///
    /// # Errors
    /// Returns an error if the rules have no budget of evaluations, or no target.
    pub fn evaluations(stop: &Stop) -> Result<Self, NoCost> {
        let Some(budget) = stop.evaluations else {
            return Err(NoCost {
                missing: "evaluations",
                message: "the cost is evaluations, and there is no `stop.evaluations`",
                rule: format!("an unsuccessful trial counts as {PENALTY} times that number"),
            });
        };
        if stop.target.is_none() {
            return Err(NoCost {
                missing: "fitness",
                message: "the cost is evaluations to a success, and no trial can succeed",
                rule: "the problem has no ideal fitness, and [stop] no fitness".to_owned(),
            });
        }
        Ok(Cost::Evaluations { unsuccessful: budget.saturating_mul(PENALTY) })
    }

    /// Returns the cost of a trial; `None` if the trial failed, so that its cost is unknown.
    #[must_use]
    pub fn of(self, record: &TrialRecord) -> Option<f64> {
        if record.outcome.is_failure() {
            return None;
        }
        Some(match self {
            Cost::Evaluations { unsuccessful } => {
                record.evaluations_to_success.unwrap_or(unsuccessful) as f64
            }
            Cost::Fitness => record.feasible_fitness().unwrap_or(f64::INFINITY),
        })
    }
}

/// Maximum cost of a race, of all its trials together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Number of trials.
    Trials(u64),
    /// Number of computed fitness values.
    Evaluations(u64),
}

/// Race of settings by cost. The arms of a setting, one per instance of the problem, are next to
/// each other in the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CostRace {
    /// Cost by which the settings are compared.
    pub cost: Cost,
    /// Number of arms per setting, at least 1.
    pub instances: usize,
    /// Number of settings at which the race ends, at least 1.
    pub leave: usize,
    /// Maximum cost of the race; `None` if only the number of trials per arm ends it.
    pub limit: Option<Limit>,
}
