//! Operators: scaling, selection, crossover, mutation, replacement as pure functions over slices,
//! and their registry.

pub mod algorithm;
pub mod build;
pub mod crossover;
mod domain;
pub mod mutation;
pub mod neighborhood;
mod order;
pub mod registry;
pub mod replacement;
pub mod scaling;
pub mod selection;
mod set;
pub mod values;

pub use algorithm::{Algorithm, AnnealingSettings, HillClimbingSettings, PivotingRule};
pub use crossover::{Crossover, CrossoverKind, Cut};
pub use domain::Domain;
pub use mutation::{Genes, Mutation, MutationKind};
pub use neighborhood::Neighborhood;
pub use order::Order;
pub use replacement::{Replacement, Ties};
pub use scaling::Scaling;
pub use selection::Selection;
pub use set::{Evolutionary, Mix, OperatorSet};
