//! Knapsack: choose items of the greatest profit whose weight is within a capacity. A violation is
//! the weight beyond it. Items are those of a file, or of Pisinger's classes (2005),
//! doi:10.1016/j.cor.2004.03.002.

mod class;
mod format;
mod items;
mod picture;
mod problem;

pub use problem::{Knapsack, Knapsacks};

runner_plugin::export!(Knapsacks);
