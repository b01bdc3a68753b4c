//! Operators: scaling, selection, crossover, mutation, replacement as pure functions over slices, and their registry.

pub mod build;
pub mod crossover;
pub mod mutation;
pub mod random;
pub mod registry;
pub mod replacement;
pub mod scaling;
pub mod selection;
mod set;

pub use set::{
    Crossover, CrossoverKind, Cut, Genes, Mix, Mutation, MutationKind, OperatorSet, Replacement, Scaling, Selection,
    Setting,
};
