//! Quadratic assignment: give each facility a location, so that flows between facilities go short
//! ways. Matrices are those of a file in the format of QAPLIB (Burkard, Karisch and Rendl 1997,
//! doi:10.1023/A:1008293323270), or random ones.

mod matrices;
mod moves;
mod picture;
mod problem;
mod qaplib;

pub use problem::{Assignments, QuadraticAssignment};

runner_plugin::export!(QuadraticAssignment);
