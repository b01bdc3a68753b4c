//! Operators: scaling, selection, crossover, mutation, replacement as pure functions over slices, and their registry.

mod set;

pub use set::{
    Crossover, CrossoverKind, Cut, Genes, Mix, Mutation, MutationKind, OperatorSet, Replacement, Scaling, Selection,
    Setting,
};
