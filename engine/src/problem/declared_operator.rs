//! Declarations of operators by their plugins.

use super::description::Encoding;
use crate::problem::parameter::Parameter;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Slot of an operator set that an operator fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OperatorKind {
    /// Chooses parents.
    Selection,
    /// Creates a child from two parents.
    Crossover,
    /// Changes a genome.
    Mutation,
    /// Searches: asks for genomes and is told their fitness.
    Algorithm,
}

impl OperatorKind {
    /// All kinds, in the order of the header.
    pub(crate) const ALL: [OperatorKind; 4] = [
        OperatorKind::Selection,
        OperatorKind::Crossover,
        OperatorKind::Mutation,
        OperatorKind::Algorithm,
    ];

    /// Returns the key in an operator set.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            OperatorKind::Selection => "selection",
            OperatorKind::Crossover => "crossover",
            OperatorKind::Mutation => "mutation",
            OperatorKind::Algorithm => "algorithm",
        }
    }

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

impl fmt::Display for OperatorKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
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
