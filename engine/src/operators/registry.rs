//! Entries of the registry: an operator with its parameters, defaults, domain, source and
//! constructor. Each entry is declared in the file of its slot.

use super::domain::Domain;
use super::values::{Complaint, Context, Make, Values};
use crate::problem::parameter::Parameter;
use crate::problem::section::Section;
use std::fmt;

/// A slot of an operator set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// The kind of search.
    Algorithm,
    /// Conversion of fitness to weights for selection.
    Scaling,
    /// Choice of the individuals that become parents.
    Selection,
    /// Combination of two parents into two children.
    Crossover,
    /// Change of a child.
    Mutation,
    /// Choice of the next generation from parents and children.
    Replacement,
    /// Treatment of constraint violations when genomes are compared.
    Constraints,
}

impl Slot {
    /// Every slot, in documentation order.
    pub const ALL: [Slot; 7] = [
        Slot::Algorithm,
        Slot::Scaling,
        Slot::Selection,
        Slot::Crossover,
        Slot::Mutation,
        Slot::Replacement,
        Slot::Constraints,
    ];

    /// Returns the slot's key in a config.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Slot::Algorithm => "algorithm",
            Slot::Scaling => "scaling",
            Slot::Selection => "selection",
            Slot::Crossover => "crossover",
            Slot::Mutation => "mutation",
            Slot::Replacement => "replacement",
            Slot::Constraints => "constraints",
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// User-visible description of an operator.
#[derive(Debug)]
pub struct Operator {
    /// Name in configs, such as `one-point`.
    pub name: &'static str,
    /// Description in one sentence.
    pub summary: &'static str,
    /// Problems that the operator works on.
    pub domain: Domain,
    /// Parameters, in the order in which settings show them.
    pub parameters: &'static [Parameter],
    /// Author, year, and DOI if there is one; `-` if there is no source to cite.
    pub source: &'static str,
}

/// An operator and its constructor.
#[derive(Debug)]
pub struct Entry<M: 'static> {
    /// User-visible description of the operator.
    pub operator: Operator,
    /// Constructor; takes checked values.
    pub make: M,
}

impl<T> Entry<Make<T>> {
    /// Builds the operator and its settings. Derived values are filled in.
    ///
    /// # Errors
    /// Returns an error if the values break a rule, either alone or for this population and
    /// problem.
    pub fn build(
        &self,
        mut values: Values,
        context: Context<'_>,
    ) -> Result<(T, Section), Complaint> {
        let made = (self.make)(&mut values, context)?;
        let section = match context.operator {
            Some(operator) => values.section_of_plugin(operator),
            None => values.section(),
        };
        Ok((made, section))
    }
}

/// All operators of a slot.
#[derive(Debug)]
pub struct Family<M: 'static> {
    /// Slot that the operators fill.
    pub slot: Slot,
    /// Entries, in documentation order.
    pub entries: &'static [Entry<M>],
    /// Entry that represents operators of plugins, with the parameters that all operators of the
    /// slot share. `None` if plugins cannot provide operators for this slot.
    pub plugin: Option<Entry<M>>,
}

impl<M> Family<M> {
    /// Returns the operator with this name, or `None` if there is no such operator.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static Entry<M>> {
        self.entries.iter().find(|entry| entry.operator.name == name)
    }
}

/// Joins words into a list such as "a, b and c"; `last` is the word before the last item.
#[must_use]
pub fn listed(words: &[&str], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_string(),
        [most @ .., end] => format!("{} {last} {end}", most.join(", ")),
    }
}
