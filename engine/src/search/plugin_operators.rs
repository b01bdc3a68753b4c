//! Operators of plugins that an operator set uses.

use crate::problem::PluginOperator;
use std::sync::Arc;

/// Operators of plugins other than the problem's, one per slot. The algorithm refers to them as
/// `Plugin`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PluginOperators {
    /// Selection of parents.
    pub selection: Option<Arc<PluginOperator>>,
    /// Crossover of parents into children.
    pub crossover: Option<Arc<PluginOperator>>,
    /// Mutation of genomes.
    pub mutation: Option<Arc<PluginOperator>>,
    /// Whole search.
    pub algorithm: Option<Arc<PluginOperator>>,
}
