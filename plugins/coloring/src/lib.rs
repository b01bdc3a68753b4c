//! Graph colouring: give each vertex a colour, so that no edge has the same colour at both ends,
//! with as few colours as possible. Fitness counts the colours, the violation the edges whose ends
//! have the same colour.
//!
//! The graphs are those of the DIMACS challenge (Johnson and Trick 1996,
//! doi:10.1090/dimacs/026) that follow from a definition: queen graphs and Mycielski graphs.

mod graph;
mod picture;
mod problem;

pub use problem::Coloring;

runner_plugin::export!(Coloring);
