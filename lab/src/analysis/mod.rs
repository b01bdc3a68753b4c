//! Analysis: figures of trials, with their method and level.

mod baseline;
pub(crate) mod by_trial;
pub mod comparison;
mod condition;
mod gated_trials;
mod interval;
pub mod ranking;
mod summary;
mod times;

pub use baseline::{
    BaselineComparison, Counts, Difference, DifferenceMethod, Verdict, rates_apart,
};
pub use baseline::{confidence, rates_apart_at};
pub use condition::{Condition, Figure, Judgement, Operator};
pub use gated_trials::{GatedTrials, Measured};
pub use interval::CONFIDENCE;
pub use interval::{RateInterval, RateMethod};
pub(crate) use summary::{ArmAccumulator, ArmTotals};
pub use summary::{
    ArmSummary, Feasibility, MOST_COMPARED, Quartiles, Spread, SummaryRow, SummaryTable,
};
pub use times::ArmTimes;
