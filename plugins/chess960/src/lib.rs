//! Chess960: back ranks with the king between the rooks and the bishops on different colours, and
//! the search for the classical one among them.

mod breed;
mod number;
mod picture;
mod problem;
mod rank;

pub use problem::{Chess960, Invalid, Placement};

runner_plugin::export!(Chess960);
