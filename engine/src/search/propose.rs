//! What draws the neighbours that a search moves to.

use super::population::Population;
use super::ranking::Ranking;
use crate::operators::MoveList;
use crate::problem::{CallError, Gene};
use crate::random::draws::Random;

/// Draws the proposals of a turn: neighbours of the current genome. Both forms draw the same
/// random numbers.
pub(super) trait Propose<G: Gene> {
    /// Adds the proposals of a turn to the list.
    fn moves(&mut self, current: &Population<G>, random: &mut Random, list: &mut MoveList<G>);

    /// Turns copies of the current genome into the proposals of a turn.
    ///
    /// # Errors
    /// Those of a plugin's mutation.
    fn rows(
        &mut self,
        current: &Population<G>,
        proposals: &mut Population<G>,
        ranking: &mut Ranking,
        random: &mut Random,
    ) -> Result<(), CallError>;

    /// Draws what the search draws after a turn whose proposals are all rejected.
    #[inline]
    fn reject(&mut self, _: &mut Random) {}

    /// Returns the number of turns that can still be drawn.
    #[inline]
    fn left(&self) -> usize {
        usize::MAX
    }

    /// Takes back the last turns, which were drawn ahead.
    #[inline]
    fn take_back(&mut self, _turns: usize) {}
}
