//! The noiseless functions of the black-box optimisation benchmark, BBOB: Hansen, Finck, Ros and
//! Auger (2009), "Real-parameter black-box optimization benchmarking 2009: Noiseless functions
//! definitions", INRIA research report RR-6829. [`functions`] has the definitions.

mod elementary;
pub mod functions;
mod instance;
mod lanes;
mod problem;
mod transformations;

pub use instance::Draws;
pub use lanes::Lanes;
pub use problem::Bbob;

runner_plugin::export!(Bbob);
