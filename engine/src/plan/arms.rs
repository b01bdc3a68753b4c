//! The arms of a plan. There is at least one, so that a plan which runs nothing cannot be made.

use super::Arm;
use std::ops::{Deref, DerefMut};

/// The arms of a plan: at least one.
#[derive(Debug)]
pub struct Arms(Vec<Arm>);

impl Arms {
    /// Creates the arms of a plan; `None` if there are no arms.
    #[must_use]
    pub fn new(arms: Vec<Arm>) -> Option<Self> {
        (!arms.is_empty()).then_some(Arms(arms))
    }
}

impl Deref for Arms {
    type Target = [Arm];

    fn deref(&self) -> &[Arm] {
        &self.0
    }
}

impl DerefMut for Arms {
    fn deref_mut(&mut self) -> &mut [Arm] {
        &mut self.0
    }
}

impl<'arms> IntoIterator for &'arms Arms {
    type Item = &'arms Arm;
    type IntoIter = std::slice::Iter<'arms, Arm>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
