//! Maximum cut: divide the vertices of a graph into two sides, so that the edges between them weigh
//! as much as possible. Graphs are those of a file in the format of the Gset (Helmberg and Rendl
//! 2000, doi:10.1137/S1052623497328987), or random ones.

mod format;
mod graph;
mod moves;
mod picture;
mod problem;

pub use problem::{Cuts, MaxCut};

runner_plugin::export!(MaxCut);
