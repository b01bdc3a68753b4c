//! Kinds of moves that rearrange a permutation.

use std::borrow::Cow;

/// Kind of move from a permutation to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rearrangement {
    /// Two genes change places.
    Swap,
    /// A segment is reversed; on a tour, this is the 2-opt move (Croes 1958,
    /// doi:10.1287/opre.6.6.791).
    Reversal,
    /// One gene moves to another place; on a tour, this is the or-opt move of one city (Or 1976).
    Insertion,
}

impl Rearrangement {
    /// Names in configs, in the order of [`ALL`](Self::ALL).
    pub(crate) const NAMES: &'static [Cow<'static, str>] =
        &[Cow::Borrowed("swap"), Cow::Borrowed("reversal"), Cow::Borrowed("insertion")];
    /// All kinds.
    pub(crate) const ALL: [Rearrangement; 3] =
        [Rearrangement::Swap, Rearrangement::Reversal, Rearrangement::Insertion];

    /// Returns the kind with this name in configs.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let place = Self::NAMES.iter().position(|one| one == name)?;
        Some(Self::ALL[place])
    }
}
