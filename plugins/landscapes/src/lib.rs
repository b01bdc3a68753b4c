//! Landscapes on bits whose difficulty is a parameter: NK landscapes and the W-model.

mod moves;
mod nk;
mod picture;
mod problem;
mod w_model;

pub use problem::{Landscape, Landscapes};

runner_plugin::export!(Landscapes);
