//! The pseudo-Boolean problems of the suite PBO of IOHprofiler, in its instances 1 to 100.
//!
//! Source: Doerr, Ye, Horesh, Wang, Shir and Bäck (2020), "Benchmarking discrete optimization
//! heuristics with IOHprofiler", doi:10.1016/j.asoc.2019.106027. The suite maximises; fitness here
//! is the greatest value less a genome's, so that 0 is solved, or, where the greatest value is
//! unknown (LABS, NK landscapes), the negative value. Instances beyond the first scale both.
//!
//! Beside the suite there is Jump: Droste, Jansen and Wegener (2002),
//! doi:10.1016/S0304-3975(01)00182-7.

mod graph;
mod landscape;
mod lattice;
mod layer;
mod moves;
mod picture;
mod problem;
mod random;
mod transformation;
mod transformed;

pub use problem::Pbo;
pub use transformed::Transformed;

runner_plugin::export!(Pbo);
