//! The n queens problem: n queens on a board of n x n squares, one per column, none attacking
//! another.

mod board;
mod clashes;
#[cfg(target_arch = "x86_64")]
mod eights;
mod genomes;
mod given;
mod greedy;
mod moves;
mod picture;
mod puzzle;
mod queens;

pub use board::{Board, Whole};
pub use queens::{Counting, Encoding, NQueens, Queens};

runner_plugin::export!(NQueens);
