//! Entries of the registry: an operator with its parameters, defaults, domain, source and
//! constructor. Each entry is declared in the file of its slot.

use super::operator::{Operator, Slot};
use super::values::{Complaint, Context, Make, Values};
use crate::problem::section::Section;

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
        Ok((made, values.section_in(context)))
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
