//! Proposals: neighbours of the incumbent that are drawn and evaluated ahead, as long as none is
//! accepted.
//!
//! A search draws a proposal, evaluates it, decides, and goes on. A call of the plugin costs more
//! than what it does for one move; so the next proposals are drawn and evaluated too, on the guess
//! that this one is rejected. The guess is checked: the generator must stand where it stood when a
//! proposal was drawn ahead, from the same genome. Otherwise it is drawn again. So what a search
//! sees is the same, number by number, whatever was guessed.

use super::incumbent::Incumbent;
use super::population::Population;
use crate::operators::MoveList;
use crate::problem::moves::Moves;
use crate::problem::{CallError, Gene, Problem};
use crate::random::draws::Random;
use std::ops::Range;

/// Turns that are drawn ahead, at most.
const MOST: usize = 32;
/// Numbers that a turn may draw before the next one needs a block of numbers of its own. A guess:
/// going back a block costs time, and nothing else.
const ROOM: usize = 4;

/// What draws the proposals of a turn.
pub(super) trait Draw<G> {
    /// Adds a turn's proposals to the list.
    ///
    /// # Errors
    /// If a plugin fails.
    fn draw(
        &mut self,
        current: &Population<G>,
        random: &mut Random,
        list: &mut MoveList<G>,
    ) -> Result<(), CallError>;

    /// Draws what the search draws after a turn whose proposals are all rejected.
    fn reject(&mut self, random: &mut Random);
}

/// Proposals of some turns, each of as many.
pub(super) struct Proposals<'arm, G> {
    incumbent: Incumbent<'arm, G>,
    /// Proposals of a turn.
    width: usize,
    /// How many numbers were drawn before each turn, and after.
    drawn: Vec<Range<u64>>,
    /// Turns that have begun.
    begun: usize,
    /// Turns since a proposal was accepted.
    since: f64,
    /// How many there were lately from one that was accepted to the next.
    usual: f64,
}

impl<'arm, G: Gene> Proposals<'arm, G> {
    /// None where moves of the problem are not to be evaluated.
    pub(super) fn of(problem: &'arm Problem, width: usize) -> Option<Self> {
        let incumbent = Incumbent::of(problem)?;
        Some(Proposals { incumbent, width, drawn: Vec::new(), begun: 0, since: 0.0, usual: 0.0 })
    }

    /// Another genome is the current one.
    pub(super) fn forget(&mut self) {
        self.incumbent.forget();
        self.drawn.clear();
        (self.begun, self.since, self.usual) = (0, 0.0, 0.0);
    }

    /// Turns to draw at once: to draw one for nothing costs as much as a call saves, within a
    /// factor of two, and of so many until one is accepted half of the last batch is for nothing.
    fn ahead(&self) -> usize {
        let turns = (2.0 * self.usual.max(self.since)).sqrt() as usize;
        turns.min(self.incumbent.ahead(MOST) / self.width).max(1)
    }

    /// Begins a turn: its proposals are drawn and evaluated.
    ///
    /// # Errors
    /// If a plugin fails.
    #[inline]
    pub(super) fn begin(
        &mut self,
        current: &mut Population<G>,
        random: &mut Random,
        draw: &mut impl Draw<G>,
    ) -> Result<(), CallError> {
        match self.drawn.get(self.begun) {
            Some(turn) if turn.start == random.drawn() => {}
            _ => self.draw(current, random, draw)?,
        }
        let end = self.drawn[self.begun].end;
        self.begun += 1;
        self.since += 1.0;
        // Numbers of later turns were drawn after it, if any.
        random.forward(end);
        Ok(())
    }

    /// Draws and evaluates this turn's proposals, and some of the next.
    fn draw(
        &mut self,
        current: &mut Population<G>,
        random: &mut Random,
        draw: &mut impl Draw<G>,
    ) -> Result<(), CallError> {
        let (mark, start) = (random.mark(), random.drawn());
        let mut drawn = self.draw_turns(self.ahead(), current, random, draw);
        random.go_to(&mark, start);
        if drawn.is_ok() {
            drawn = self.incumbent.evaluate(current, usize::MAX);
        }
        if drawn.is_err() && self.drawn.len() > 1 {
            // It may be a later turn that fails, which may never come.
            self.draw_turns(1, current, random, draw)?;
            random.go_to(&mark, start);
            return self.incumbent.evaluate(current, usize::MAX);
        }
        drawn
    }

    fn draw_turns(
        &mut self,
        turns: usize,
        current: &Population<G>,
        random: &mut Random,
        draw: &mut impl Draw<G>,
    ) -> Result<(), CallError> {
        self.incumbent.list.clear();
        self.drawn.clear();
        self.begun = 0;
        for turn in 0..turns {
            if turn > 0 {
                draw.reject(random);
                if random.made() < ROOM {
                    break;
                }
            }
            let start = random.drawn();
            draw.draw(current, random, &mut self.incumbent.list)?;
            self.drawn.push(start..random.drawn());
        }
        Ok(())
    }

    /// The fitness of this turn's proposals.
    #[inline]
    pub(super) fn fitness(&self) -> &[f64] {
        &self.incumbent.fitness[(self.begun - 1) * self.width..][..self.width]
    }

    /// The proposals of this turn.
    #[inline]
    pub(super) fn moves(&self) -> Moves<'_, G> {
        let first = (self.begun - 1) * self.width;
        self.incumbent.list.range(first..first + self.width)
    }

    /// Makes a proposal of this turn the current genome.
    ///
    /// # Errors
    /// If the plugin fails.
    #[inline]
    pub(super) fn accept(
        &mut self,
        current: &mut Population<G>,
        number: usize,
    ) -> Result<(), CallError> {
        let number = (self.begun - 1) * self.width + number;
        if self.incumbent.list.is_idle(number, current.row(0)) {
            return Ok(());
        }
        let fitness = self.incumbent.fitness[number];
        self.incumbent.apply(current, number, fitness)?;
        // What was drawn ahead leads elsewhere from here.
        self.drawn.clear();
        self.usual += (self.since - self.usual) / 8.0;
        self.since = 0.0;
        Ok(())
    }
}
