//! Declarations of operators by their plugins.

use super::description::Encoding;
use crate::named;
use crate::problem::parameter::Parameter;
use serde::{Deserialize, Serialize};

named! {
    /// Slot of an operator set that an operator fills.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum OperatorKind {
        /// Chooses parents.
        Selection = "selection",
        /// Creates a child from two parents.
        Crossover = "crossover",
        /// Changes a genome.
        Mutation = "mutation",
        /// Searches: asks for genomes and is told their fitness.
        Algorithm = "algorithm",
    }
}

impl OperatorKind {
    /// Returns the name of the operator's call in the header. An algorithm has several; this is
    /// the one that gives its genomes.
    pub(crate) fn call(self) -> &'static str {
        match self {
            OperatorKind::Selection => "select",
            OperatorKind::Crossover => "crossover",
            OperatorKind::Mutation => "mutate",
            OperatorKind::Algorithm => "ask",
        }
    }
}

/// Keys next to an operator's name in a config. They are reserved: operators' parameters must not
/// use them.
pub(crate) const RESERVED: [&str; 7] =
    ["plugin", "interpreter", "operator", "version", "kind", "rate", "children"];

/// Checked declaration of an operator by its plugin.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeclaredOperator {
    /// Slot that the operator fills.
    pub kind: OperatorKind,
    /// Name in configs.
    pub name: String,
    /// Description in one sentence.
    pub summary: String,
    /// Author, year and DOI of the source; may be empty.
    pub source: String,
    /// Encodings that the operator supports; empty for all encodings.
    pub encodings: Vec<Encoding>,
    /// Parameters that users may set, in the operator's order.
    pub parameters: Vec<Parameter>,
}

impl DeclaredOperator {
    /// Checks that no other operator has the same kind and name.
    pub(super) fn check_new(&self, others: &[DeclaredOperator]) -> Result<(), String> {
        let DeclaredOperator { kind, name, .. } = self;
        match others.iter().any(|other| other.kind == *kind && other.name == *name) {
            true => Err(format!("it declares the {kind} `{name}` twice")),
            false => Ok(()),
        }
    }

    /// Returns the encodings that the operator supports.
    #[must_use]
    pub fn encodings(&self) -> &[Encoding] {
        if self.encodings.is_empty() { &Encoding::ALL } else { &self.encodings }
    }
}
