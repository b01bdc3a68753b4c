//! Statistics: pure functions over slices. Transcendental functions come from `libm`, so that every machine gives the
//! same bits.

mod difference;
mod ert;
mod normal;
mod quantile;
mod wilson;

pub use difference::rate_difference;
pub use ert::{BOOTSTRAP_RESAMPLES, Ert, ert, ert_interval};
pub use normal::{normal_cdf, normal_quantile};
pub use quantile::{mean, median, quantile};
pub use wilson::wilson;

/// A range between two bounds, both within it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}
