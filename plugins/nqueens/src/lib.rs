//! The n queens problem: n queens on a board of n x n squares, one per column, none attacking
//! another.

mod clashes;
#[cfg(target_arch = "x86_64")]
mod eights;
mod greedy;
mod moves;
mod picture;
mod queens;

pub use queens::{Counting, Encoding, NQueens, Queens};

runner_plugin::export!(NQueens);
