//! Axes: the swept keys of a config with their values, and the rules that say which values meet.

use super::node::Node;
use super::source::Origin;

/// Swept keys and rules of a config.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    /// One axis per key, with the values that all sweeps give it.
    pub axes: Vec<Axis>,
    /// One entry per sweep.
    pub tables: Vec<Table>,
    /// Samples of their combinations, in words.
    pub samples: Vec<String>,
}

/// One table [sweep].
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// Places of axes, with those of the values that this sweep gives them.
    pub axes: Vec<(usize, Vec<usize>)>,
    /// Axes whose values go together: the first with the first, and so on. Each may repeat values.
    pub together: Vec<Vec<usize>>,
    pub except: Vec<Exception>,
}

/// A rule that leaves combinations out: those that have, of each of these axes, one of these
/// values.
#[derive(Clone, Debug)]
pub(super) struct Exception(pub Vec<(usize, Vec<usize>)>);

impl Exception {
    /// Returns whether a combination is left out.
    pub(super) fn holds(&self, combination: &[usize]) -> bool {
        self.0.iter().all(|(axis, values)| values.contains(&combination[*axis]))
    }
}

/// One swept key.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// The key as in the file, such as `operators.selection.size` or `operators.NAME.population`.
    pub key: String,
    /// The key without an operator set's name.
    pub path: String,
    /// Operator set that alone has the key; `None` if all sets have it.
    pub set: Option<String>,
    pub origin: Origin,
    /// Values, at least one, all different.
    pub values: Vec<Node>,
}

impl Axis {
    /// Returns the table that the key is in: `problem`, `operators` or `stop`.
    pub(super) fn table(&self) -> &str {
        self.path.split('.').next().unwrap_or_default()
    }

    /// Returns whether an operator set of this name has it.
    pub(super) fn is_of(&self, set: &str) -> bool {
        self.set.as_deref().is_none_or(|own| own == set)
    }

    /// Returns the path below that table.
    pub(super) fn path(&self) -> Vec<&str> {
        self.path.split('.').skip(1).collect()
    }
}
