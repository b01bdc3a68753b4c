//! Analysis: figures of trials, with their method and level.

mod baseline;
pub(crate) mod by_trial;
pub mod comparison;
mod condition;
mod difference;
mod gated_trials;
mod interval;
pub mod ranking;
mod standings;
pub mod suite;
mod summary;
mod times;
mod verdict;

pub use baseline::BaselineComparison;
pub use condition::{Condition, Figure, Judgement, Operator};
pub use difference::{
    Counts, Difference, DifferenceMethod, confidence, rates_apart, rates_apart_at,
};
pub use gated_trials::{GatedTrials, Measured};
pub use interval::CONFIDENCE;
pub use interval::{RateInterval, RateMethod};
pub use standings::Standings;
pub(crate) use summary::{ArmAccumulator, ArmTotals};
pub use summary::{
    ArmSummary, Feasibility, MOST_COMPARED, Quartiles, Spread, SummaryRow, SummaryTable,
};
pub use times::ArmTimes;
pub use verdict::Verdict;
