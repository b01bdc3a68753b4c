//! Operators: scaling, selection, crossover, mutation, replacement as pure functions over slices,
//! and their registry.

pub mod build;
pub mod crossover;
pub mod mutation;
pub mod neighborhood;
mod order;
pub mod registry;
pub mod replacement;
pub mod scaling;
pub mod selection;
mod set;

pub use neighborhood::Neighborhood;
pub use order::Order;
pub use set::{
    Algorithm, AnnealingSettings, Crossover, CrossoverKind, Cut, Evolutionary, Genes,
    HillClimbingSettings, Mix, Mutation, MutationKind, OperatorSet, PivotingRule, Replacement,
    Scaling, Selection, Setting, Ties,
};
