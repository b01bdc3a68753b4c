//! Sources of neighbours that a search may move to.

use super::population::Population;
use super::ranking::Ranking;
use super::snapshot::Snapshot;
use crate::operators::{MoveList, MoveMutation};
use crate::problem::{CallError, Gene};
use crate::random::draws::Random;

/// Mutants, one per turn, that stay drawn when one is accepted.
pub(super) struct KeptMutants<'source> {
    pub mutation: &'source MoveMutation,
    /// Count of numbers that are drawn before each, whatever they are.
    pub passed: usize,
}

/// Source of a turn's proposals: neighbours of the current genome. Both forms, moves and rows, draw
/// the same random numbers.
pub(super) trait Propose<G: Gene> {
    /// Adds the proposals of a turn to the list.
    fn moves(&mut self, current: &Population<G>, random: &mut Random, list: &mut MoveList<G>);

    /// Turns copies of the current genome into the proposals of a turn.
    fn rows(
        &mut self,
        current: &Population<G>,
        proposals: &mut Population<G>,
        ranking: &mut Ranking,
        random: &mut Random,
    ) -> Result<(), CallError>;

    /// Draws the random number that a search draws when it rejects all proposals of a turn. Returns
    /// it, or 0 if the search draws none.
    #[inline]
    fn reject(&mut self, _: &mut Random) -> f64 {
        0.0
    }

    /// Returns the number of turns that can still be drawn.
    #[inline]
    fn left(&self) -> usize {
        usize::MAX
    }

    /// Writes or reads what the next turn depends on. No turn is drawn ahead.
    fn save_or_restore(&mut self, _: &mut Snapshot<'_>) {}

    /// Returns the mutants of a source whose turns stay drawn when one is accepted: neither
    /// acceptance nor rejection draws a number, and mutants depend on the genome only by bits,
    /// which they invert.
    #[inline]
    fn kept(&self) -> Option<KeptMutants<'_>> {
        None
    }

    /// Undoes the last turns, which were drawn ahead.
    #[inline]
    fn take_back(&mut self, _turns: usize) {}
}
