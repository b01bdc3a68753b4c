//! The operators of plugins that an operator set uses.

use crate::problem::PluginOperator;
use std::sync::Arc;

/// Operators of plugins other than the problem's, by their slots. Those that the algorithm names as
/// `Plugin` are here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PluginOperators {
    /// Chooses parents.
    pub selection: Option<Arc<PluginOperator>>,
    /// Makes children.
    pub crossover: Option<Arc<PluginOperator>>,
    /// Changes genomes.
    pub mutation: Option<Arc<PluginOperator>>,
}
