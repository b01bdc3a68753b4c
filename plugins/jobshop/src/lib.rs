//! Job shop scheduling: each job goes through all machines in an order of its own, and a machine
//! works on one job at a time. Fitness is the makespan, the time at which the last job is done.
//!
//! A genome is an order of operations (Bierwirth 1995, doi:10.1007/BF01719250).

mod format;
mod picture;
mod problem;
mod schedule;
mod shop;

pub use problem::{JobShop, Orders};

runner_plugin::export!(JobShop);
