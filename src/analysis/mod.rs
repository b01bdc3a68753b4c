//! Analysis: what trials say, as numbers with their method and level.

mod baseline;
pub(crate) mod comparison;
mod interval;
pub mod stopping;
mod summary;

pub use baseline::{
    BaselineComparison, Counts, Difference, DifferenceMethod, Verdict, confidence, extremes,
    rates_apart,
};
pub use interval::{RateInterval, RateMethod};
pub use summary::{
    ArmAccumulator, ArmSummary, ArmTotals, CONFIDENCE, Quartiles, Spread, SummaryRow, SummaryTable,
};
