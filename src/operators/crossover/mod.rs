//! Crossovers: two parents in, two children out. The parents are rows of equal length; every gene
//! of the children is written. With the parents exchanged, and the same random numbers, the
//! children are exchanged.

mod cut;
mod permutation;
mod real;

pub use cut::{cuts, one_point, one_point_words, two_point, uniform};
pub use permutation::{Scratch, cycle, order, pmx};
pub use real::{blend, sbx};
