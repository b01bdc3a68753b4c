//! The travelling salesman: the shortest round trip through all cities. Cities are those of a file
//! in the format of TSPLIB (Reinelt 1991, doi:10.1287/ijoc.3.4.376), or random ones.

mod distances;
mod edits;
mod metric;
mod moves;
mod picture;
mod problem;
mod tsplib;

pub use problem::{Tours, TravellingSalesman};

runner_plugin::export!(TravellingSalesman);
