//! Operators: scaling, selection, crossover, mutation and replacement as pure functions over
//! slices. Each operator has a registry entry.

pub mod build;
mod constraints;
pub mod crossover;
pub mod domain;
pub(crate) mod kernels;
mod mix;
mod move_list;
pub mod mutation;
pub(crate) mod neighborhood;
pub mod operator;
mod order;
mod rearrangement;
pub mod registry;
pub mod replacement;
pub mod scaling;
pub mod schedule;
pub mod selection;
pub mod values;

pub use constraints::CONSTRAINTS;
pub use constraints::Constraints;
pub use crossover::{Crossover, CrossoverKind, Cut};
pub use domain::Domain;
pub use mix::Mix;
pub use move_list::MoveList;
pub use mutation::{Genes, Mutation, MutationKind, PowerLaw, SelfAdaptation};
pub(crate) use mutation::{MoveMutation, RowMutation};
pub(crate) use neighborhood::{Neighborhood, Scope};
pub use order::Order;
pub use rearrangement::Rearrangement;
pub use replacement::{Replacement, Ties};
pub use scaling::Scaling;
pub use schedule::{Course, Schedule, Schedules, Unit};
pub use selection::Selection;
