//! Test functions of real numbers, each with its least value at 0. [`functions`] has formulas,
//! domains, optima and sources.

pub mod functions;
mod picture;
mod problem;

pub use problem::Continuous;

runner_plugin::export!(Continuous);
