//! The registry: the algorithms, and the operators of every slot. Its entries define the options of
//! a config, the output of `runner operators`, and the settings in the tables.

use super::algorithms::ALGORITHMS;
use crate::operators::CONSTRAINTS;
use crate::operators::crossover::CROSSOVERS;
use crate::operators::mutation::MUTATIONS;
use crate::operators::operator::{Operator, Slot};
use crate::operators::registry::Family;
use crate::operators::replacement::REPLACEMENTS;
use crate::operators::scaling::SCALINGS;
use crate::operators::selection::SELECTIONS;
use crate::problem::parameter::Parameter;

/// Returns the operators of a slot, in the order of the documentation.
#[must_use]
pub fn operators(slot: Slot) -> Vec<&'static Operator> {
    fn of<M>(family: &Family<M>) -> Vec<&'static Operator> {
        family.entries.iter().map(|entry| &entry.operator).collect()
    }
    match slot {
        Slot::Algorithm => of(&ALGORITHMS),
        Slot::Scaling => of(&SCALINGS),
        Slot::Selection => of(&SELECTIONS),
        Slot::Crossover => of(&CROSSOVERS),
        Slot::Mutation => of(&MUTATIONS),
        Slot::Replacement => of(&REPLACEMENTS),
        Slot::Constraints => of(&CONSTRAINTS),
    }
}

/// Returns the parameters that a plugin's operator has in addition to its own. `None` if no plugin
/// can have an operator for this slot.
#[must_use]
pub fn plugin_parameters(slot: Slot) -> Option<&'static [Parameter]> {
    fn of<M>(family: &'static Family<M>) -> Option<&'static [Parameter]> {
        family.plugin.as_ref().map(|entry| entry.operator.parameters)
    }
    match slot {
        Slot::Selection => of(&SELECTIONS),
        Slot::Crossover => of(&CROSSOVERS),
        Slot::Mutation => of(&MUTATIONS),
        Slot::Algorithm => of(&ALGORITHMS),
        Slot::Scaling | Slot::Replacement | Slot::Constraints => None,
    }
}

/// Returns the operators of all slots.
pub fn all() -> impl Iterator<Item = (Slot, &'static Operator)> {
    Slot::ALL
        .into_iter()
        .flat_map(|slot| operators(slot).into_iter().map(move |operator| (slot, operator)))
}

/// Returns the operator with this name; `None` if there is none.
#[must_use]
pub fn find(slot: Slot, name: &str) -> Option<&'static Operator> {
    operators(slot).into_iter().find(|operator| operator.name == name)
}
