//! Analysis: what trials say, as numbers with their method and level.

mod baseline;
pub(crate) mod comparison;
mod interval;
pub mod race;
pub(crate) mod ranking;
pub mod stopping;
mod summary;

pub(crate) use baseline::confidence;
pub use baseline::{
    BaselineComparison, Counts, Difference, DifferenceMethod, Verdict, rates_apart,
};
pub use interval::{RateInterval, RateMethod};
pub(crate) use summary::{ArmAccumulator, ArmTotals, CONFIDENCE};
pub use summary::{ArmSummary, Quartiles, Spread, SummaryRow, SummaryTable};
