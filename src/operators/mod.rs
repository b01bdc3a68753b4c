//! Operators: scaling, selection, crossover, mutation, replacement as pure functions over slices,
//! and their registry.

pub mod algorithm;
pub(crate) mod build;
mod constraints;
pub(crate) mod crossover;
mod domain;
mod move_list;
pub(crate) mod mutation;
pub(crate) mod neighborhood;
mod order;
pub mod registry;
pub mod replacement;
pub(crate) mod scaling;
pub(crate) mod selection;
mod set;
pub(crate) mod values;

pub use algorithm::{Algorithm, AnnealingSettings, HillClimbingSettings, PivotingRule};
pub(crate) use constraints::CONSTRAINTS;
pub use constraints::Constraints;
pub use crossover::{Crossover, CrossoverKind, Cut};
pub use domain::Domain;
pub(crate) use move_list::MoveList;
pub(crate) use mutation::MoveMutation;
pub use mutation::{Genes, Mutation, MutationKind};
pub(crate) use neighborhood::Neighborhood;
pub use order::Order;
pub use replacement::{Replacement, Ties};
pub use scaling::Scaling;
pub use selection::Selection;
pub use set::{Evolutionary, Mix, OperatorSet, PluginOperators};
