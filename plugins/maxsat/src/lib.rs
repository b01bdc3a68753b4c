//! Maximum satisfiability: set variables so that as few clauses as possible are unsatisfied.
//! Clauses are those of a file in the format of DIMACS, weighted or not, or random ones.

mod dimacs;
mod formula;
mod moves;
mod picture;
mod problem;

pub use problem::{Assignments, MaxSat};

runner_plugin::export!(MaxSat);
