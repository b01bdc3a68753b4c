//! The names that most algorithms use.

pub(super) use crate::operators::domain::Domain;
pub(super) use crate::operators::operator::{Operator, Slot};
pub(super) use crate::operators::registry::Entry;
pub(super) use crate::problem::parameter::{Fallback, Kind, Parameter};
pub(super) use crate::problem::{Description, Encoding, Gene, Problem};
pub(super) use crate::search::algorithm::{Algorithm, PopulationKey, Recipe};
pub(super) use crate::search::arm::Arm;
pub(super) use crate::search::executor::{Search, TrialExecutor, executor_of};
pub(super) use crate::search::footprint::Footprint;
pub(super) use crate::search::halt::Halt;
pub(super) use crate::search::population::{Population, population_of};
pub(super) use crate::search::snapshot::Snapshot;
pub(super) use crate::search::trial::Trial;
pub(super) use std::sync::Arc;
