//! Domains: the problems that an operator works on.

use crate::problem::{Description, Encoding};

/// The problems that an operator works on.
#[derive(Clone, Copy, Debug)]
pub enum Domain {
    /// Problems of any encoding.
    Any,
    /// Problems of these encodings.
    Encodings(&'static [Encoding]),
    /// Problems whose genes may change places. These have any encoding but mixed and opaque, and
    /// the same bounds for all genes.
    Rearranged,
    /// Problems that pass a test. On failure, the test returns the reason as a sentence without a
    /// full stop.
    Where(fn(&Description) -> Result<(), String>),
    /// Problems whose plugin provides the operator.
    Plugin,
}

/// Encodings whose genes may take any value within bounds, independently of the other genes.
pub(super) const PLACED: Domain =
    Domain::Encodings(&[Encoding::Integer, Encoding::Bits, Encoding::Real, Encoding::Mixed]);

impl Domain {
    /// Returns the encodings of the domain's problems; other conditions may also apply.
    #[must_use]
    pub fn encodings(self) -> &'static [Encoding] {
        match self {
            Domain::Encodings(encodings) => encodings,
            Domain::Rearranged => {
                &[Encoding::Integer, Encoding::Permutation, Encoding::Bits, Encoding::Real]
            }
            Domain::Any | Domain::Where(_) | Domain::Plugin => &Encoding::ALL,
        }
    }
}
