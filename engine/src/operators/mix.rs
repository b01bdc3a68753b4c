//! Mixes: exactly one operation per step, drawn by shares.

use crate::problem::parameter::Value;
use crate::problem::section::{Key, Section};

/// Shares of the operations; they sum to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// Share of steps that copy a parent.
    pub clone: f64,
    /// Share of steps that cross two parents.
    pub crossover: f64,
    /// Share of steps that mutate a parent.
    pub mutate: f64,
}

impl Mix {
    /// Returns the shares as a section of settings.
    #[must_use]
    pub fn section(&self) -> Section {
        [("clone", self.clone), ("crossover", self.crossover), ("mutate", self.mutate)]
            .map(|(key, share)| (Key::from(key), Value::Real(share)))
            .into_iter()
            .collect()
    }
}
