//! Operators: scaling, selection, crossover, mutation, replacement as pure functions over slices, and their registry.

mod build;
pub mod crossover;
pub mod mutation;
pub mod random;
pub mod registry;
pub mod replacement;
pub mod scaling;
pub mod selection;
mod set;
mod settle;

pub use build::{build_crossover, build_mutation, build_replacement, build_scaling, build_selection, check_pair};
pub use set::{
    Crossover, CrossoverKind, Cut, Genes, Mix, Mutation, MutationKind, OperatorSet, Replacement, Scaling, Selection,
    Setting,
};
pub use settle::{Complaint, Context};
