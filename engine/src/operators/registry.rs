//! Entries of the registry: an operator with its parameters, defaults, domain, source and
//! constructor. Each is declared in the file of its slot.

use super::domain::Domain;
use super::values::{Complaint, Context, Make, Values};
use crate::problem::parameter::Parameter;
use crate::problem::section::Section;
use std::fmt;

/// A place in an operator set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// What kind of search it is.
    Algorithm,
    /// Fitness to weights for selection.
    Scaling,
    /// Which individuals become parents.
    Selection,
    /// Two parents to two children.
    Crossover,
    /// A child to a changed child.
    Mutation,
    /// Which of parents and children make up the next generation.
    Replacement,
    /// What violations mean beside fitness.
    Constraints,
}

impl Slot {
    /// Every slot, in the order of the documentation.
    pub const ALL: [Slot; 7] = [
        Slot::Algorithm,
        Slot::Scaling,
        Slot::Selection,
        Slot::Crossover,
        Slot::Mutation,
        Slot::Replacement,
        Slot::Constraints,
    ];

    /// The key in a config.
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

/// What users are told of an operator.
#[derive(Debug)]
pub struct Operator {
    /// Its name in configs, such as `one-point`.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The problems that it works on.
    pub domain: Domain,
    /// In the order in which settings show them.
    pub parameters: &'static [Parameter],
    /// Author, year, and DOI where there is one; `-` where there is nothing to cite.
    pub source: &'static str,
}

/// An operator and its constructor.
#[derive(Debug)]
pub struct Entry<M: 'static> {
    /// What users are told of it.
    pub operator: Operator,
    /// Makes it from checked values.
    pub make: M,
}

impl<T> Entry<Make<T>> {
    /// The operator and its settings, values that follow from the rest worked out.
    ///
    /// # Errors
    /// A rule that the values break, alone or for this population and problem.
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

/// The operators that a slot may hold, in the order of the documentation.
#[derive(Debug)]
pub struct Family<M: 'static> {
    /// The slot.
    pub slot: Slot,
    /// In the order of the documentation.
    pub entries: &'static [Entry<M>],
    /// Stands for the operators of plugins, with the parameters that all of the slot have; none:
    /// plugins have none for this slot.
    pub plugin: Option<Entry<M>>,
}

impl<M> Family<M> {
    /// The operator of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static Entry<M>> {
        self.entries.iter().find(|entry| entry.operator.name == name)
    }
}

/// "a, b and c".
#[must_use]
pub fn listed(words: &[&str], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_string(),
        [most @ .., end] => format!("{} {last} {end}", most.join(", ")),
    }
}
