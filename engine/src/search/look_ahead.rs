//! Look-ahead: proposals that are drawn and evaluated before the search asks for them, as long as
//! none is accepted.
//!
//! A search draws a proposal, evaluates it, decides, and goes on. A call of the plugin costs more
//! than what it does for one move; so the next proposals are drawn and evaluated too, on the guess
//! that this one is rejected. The guess is checked: the generator must stand where it stood when a
//! proposal was drawn ahead, from the same genome. Otherwise it is drawn again. So what a search
//! sees is the same, number by number, whatever was guessed.

use super::incumbent::Incumbent;
use super::population::Population;
use super::propose::Propose;
use crate::problem::moves::Moves;
use crate::problem::{CallError, Gene, Problem};
use crate::random::draws::Random;
use std::ops::Range;

/// Maximum number of turns that are drawn at once.
pub(super) const MOST: usize = 32;
/// Numbers that a turn may draw before the next one needs a block of numbers of its own. A guess:
/// going back a block costs time, and nothing else.
const ROOM: usize = 4;

/// Proposals of some turns, `width` each.
pub(super) struct LookAhead<'arm, G> {
    pub(super) incumbent: Incumbent<'arm, G>,
    /// Proposals per turn.
    width: usize,
    /// Count of random numbers before and after each turn.
    drawn: Vec<Range<u64>>,
    /// Turns that have begun.
    begun: usize,
    /// Turns since a proposal was accepted.
    since: f64,
    /// Recent average number of turns from one accepted proposal to the next.
    usual: f64,
}

impl<'arm, G: Gene> LookAhead<'arm, G> {
    /// `None` where moves of the problem are not to be evaluated.
    pub(super) fn of(problem: &'arm Problem, width: usize) -> Option<Self> {
        let incumbent = Incumbent::of(problem)?;
        Some(LookAhead { incumbent, width, drawn: Vec::new(), begun: 0, since: 0.0, usual: 0.0 })
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
        source: &mut impl Propose<G>,
    ) -> Result<(), CallError> {
        match self.drawn.get(self.begun) {
            Some(turn) if turn.start == random.drawn() => {}
            _ => {
                source.take_back(self.drawn.len() - self.begun);
                self.draw(current, random, source)?;
            }
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
        source: &mut impl Propose<G>,
    ) -> Result<(), CallError> {
        let (mark, start) = (random.mark(), random.drawn());
        self.draw_turns(self.ahead(), current, random, source);
        random.go_to(&mark, start);
        let evaluated = self.incumbent.evaluate(current, usize::MAX);
        if evaluated.is_err() && self.drawn.len() > 1 {
            // It may be a later turn that fails, which may never come.
            source.take_back(self.drawn.len());
            self.draw_turns(1, current, random, source);
            random.go_to(&mark, start);
            return self.incumbent.evaluate(current, usize::MAX);
        }
        evaluated
    }

    fn draw_turns(
        &mut self,
        turns: usize,
        current: &Population<G>,
        random: &mut Random,
        source: &mut impl Propose<G>,
    ) {
        self.incumbent.list.clear();
        self.drawn.clear();
        self.begun = 0;
        for turn in 0..turns.min(source.left()) {
            if turn > 0 {
                source.reject(random);
                if random.made() < ROOM {
                    break;
                }
            }
            let start = random.drawn();
            source.moves(current, random, &mut self.incumbent.list);
            self.drawn.push(start..random.drawn());
        }
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
        source: &mut impl Propose<G>,
    ) -> Result<(), CallError> {
        let number = (self.begun - 1) * self.width + number;
        if self.incumbent.list.is_idle(number, current.row(0)) {
            return Ok(());
        }
        let fitness = self.incumbent.fitness[number];
        self.incumbent.apply(current, number, fitness)?;
        // What was drawn ahead leads elsewhere from here.
        source.take_back(self.drawn.len() - self.begun);
        self.drawn.clear();
        self.begun = 0;
        self.usual += (self.since - self.usual) / 8.0;
        self.since = 0.0;
        Ok(())
    }
}
