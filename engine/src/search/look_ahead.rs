//! Look-ahead: proposals that are drawn and evaluated before the search asks for them, as long as
//! none is accepted.
//!
//! A search draws a proposal, evaluates it, decides, and continues. A call of the plugin costs more
//! than the plugin's work for one move. The look-ahead therefore draws and evaluates the next
//! proposals too, assuming that this one is rejected.
//!
//! The assumption is checked. A proposal is used only if it was drawn from the same genome and the
//! same state of the generator. Otherwise it is drawn again. A search therefore sees the same
//! proposals, number by number, whatever was assumed. Proposals that depend on the genome only by
//! the values that they invert are not drawn again when one of them is accepted, but evaluated.

use super::incumbent::Incumbent;
use super::population::Population;
use super::propose::{KeptMutants, Propose};
use crate::operators::MoveList;
use crate::problem::moves::Moves;
use crate::problem::{CallError, Gene, Problem};
use crate::random::draws::Random;
use crate::random::generator::Made;
use std::ops::Range;

/// Maximum number of turns that are drawn at once.
pub(super) const MOST: usize = 32;
/// Maximum number of turns that are drawn at once if they stay drawn when one is accepted.
const MOST_KEPT: usize = 64;
/// Factor of the turns evaluated at once if they stay drawn, since none is then drawn in vain.
const KEPT_AHEAD: usize = 2;
/// Count of numbers that a turn may draw before the next turn needs a new block of numbers. This is
/// a guess: returning to an earlier block costs time, and nothing else.
const ROOM: usize = 4;

/// Number of turns in a row from which passing them together saves more than asking for it costs.
const QUIET: f64 = 2.0;

/// Turn that is drawn ahead. Its places count the random numbers drawn so far.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// Place before its proposals.
    start: u64,
    /// Place after its proposals.
    end: u64,
    /// Place after its rejection, where the next turn starts.
    rejected: u64,
    /// Number that its rejection draws, if it draws one.
    chance: f64,
}

/// Proposal that is evaluated before its turn.
pub(super) struct Preview<'turn, G> {
    /// Amount by which it is worse than the current genome.
    pub worse: f64,
    /// Number that its rejection draws, if it draws one.
    pub chance: f64,
    number: usize,
    genome: &'turn [G],
    list: &'turn MoveList<G>,
}

impl<G: Gene> Preview<'_, G> {
    /// Returns whether it is the current genome itself.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        self.worse == 0.0 && self.list.is_idle(self.number, self.genome)
    }
}

/// Proposals of some turns, `width` each.
pub(super) struct LookAhead<'arm, G> {
    pub(super) incumbent: Incumbent<'arm, G>,
    /// Proposals per turn.
    width: usize,
    /// Turns that are drawn.
    drawn: Vec<Turn>,
    /// Turns that have begun.
    begun: usize,
    /// Turns whose proposals are evaluated. The next is one of them, or none is.
    known: Range<usize>,
    /// Number of turns since a proposal was accepted.
    since: f64,
    /// Recent average number of turns from one accepted proposal to the next.
    usual: f64,
}

impl<'arm, G: Gene> LookAhead<'arm, G> {
    /// Creates a look-ahead with `width` proposals per turn. Returns `None` if moves of the problem
    /// are not evaluated.
    pub(super) fn of(problem: &'arm Problem, width: usize) -> Option<Self> {
        let incumbent = Incumbent::of(problem)?;
        let (drawn, begun, known) = (Vec::new(), 0, 0..0);
        Some(LookAhead { incumbent, width, drawn, begun, known, since: 0.0, usual: 0.0 })
    }

    /// Clears all proposals, because another genome is the current one.
    pub(super) fn forget(&mut self) {
        self.incumbent.forget();
        self.clear();
        (self.since, self.usual) = (0.0, 0.0);
    }

    /// Forgets the turns that are drawn.
    fn clear(&mut self) {
        self.drawn.clear();
        (self.begun, self.known) = (0, 0..0);
    }

    /// Returns the number of turns to draw and evaluate at once. One turn in vain costs as much as
    /// a call saves, within a factor of two. On average, half of the last batch before an
    /// acceptance is in vain.
    fn ahead(&self) -> usize {
        let turns = (2.0 * self.usual.max(self.since)).sqrt() as usize;
        turns.min(self.incumbent.ahead(MOST) / self.width).max(1)
    }

    /// Begins a turn. Draws and evaluates its proposals, unless they were drawn ahead.
    #[inline]
    pub(super) fn begin(
        &mut self,
        current: &mut Population<G>,
        random: &mut Random,
        source: &mut impl Propose<G>,
    ) -> Result<(), CallError> {
        self.know_next(current, random, source)?;
        let end = self.drawn[self.begun].end;
        self.begun += 1;
        self.since += 1.0;
        // Skips the numbers of this turn, which are already drawn.
        random.forward(end);
        Ok(())
    }

    /// Draws and evaluates the proposals of the next turn, unless they were drawn ahead.
    #[inline]
    pub(super) fn know_next(
        &mut self,
        current: &mut Population<G>,
        random: &mut Random,
        source: &mut impl Propose<G>,
    ) -> Result<(), CallError> {
        if self.drawn.get(self.begun).is_none_or(|turn| turn.start != random.drawn()) {
            source.take_back(self.drawn.len() - self.begun);
            self.draw(current, random, source);
        } else if self.known.contains(&self.begun) {
            return Ok(());
        }
        self.evaluate_next(current, source)
    }

    /// Evaluates the proposals of the next turns.
    fn evaluate_next(
        &mut self,
        current: &mut Population<G>,
        source: &mut impl Propose<G>,
    ) -> Result<(), CallError> {
        let mut end = self.drawn.len();
        if source.kept().is_some() {
            end = end.min(self.begun + KEPT_AHEAD * self.ahead());
            self.incumbent.list.invert(self.begun..end, current.row(0));
        }
        let mut evaluated = self.evaluate_to(end, current);
        if evaluated.is_err() && end > self.begun + 1 {
            // The error may come from a later turn, which may never be reached.
            evaluated = self.evaluate_to(self.begun + 1, current);
        }
        if evaluated.is_err() {
            self.give_up(source);
        }
        evaluated
    }

    /// Evaluates the proposals of the turns from the next to before `end`.
    #[inline(always)]
    fn evaluate_to(&mut self, end: usize, current: &mut Population<G>) -> Result<(), CallError> {
        self.known = self.begun..end;
        self.incumbent.evaluate_range(current, self.begun * self.width..end * self.width)
    }

    /// Gives up the turns that are drawn and have not begun.
    pub(super) fn give_up(&mut self, source: &mut impl Propose<G>) {
        source.take_back(self.drawn.len() - self.begun);
        self.clear();
    }

    /// Returns whether enough turns in a row are rejected that it pays to pass them together.
    #[inline]
    pub(super) fn is_quiet(&self) -> bool {
        self.usual.max(self.since) >= QUIET
    }

    /// Returns whether a turn is evaluated that has not begun.
    #[inline]
    pub(super) fn has_next(&self) -> bool {
        self.begun < self.known.end
    }

    /// Takes the next turns as rejected, at most `most`, until `rejects` is false of a proposal.
    /// The next turn must be [known](Self::know_next). Returns the number of turns.
    #[inline]
    pub(super) fn pass(
        &mut self,
        current: &Population<G>,
        most: usize,
        random: &mut Random,
        mut rejects: impl FnMut(Preview<'_, G>) -> bool,
    ) -> usize {
        debug_assert_eq!(self.width, 1, "a caller's bug: one proposal a turn");
        let (old, genome, list) = (current.fitness[0], current.row(0), &self.incumbent.list);
        let begun = self.begun;
        let fitness = &self.incumbent.fitness[begun - self.known.start..];
        let turns = self.drawn[begun..].iter().zip(fitness).take(most).enumerate();
        let passed = turns.take_while(|(passed, (turn, new))| {
            let (worse, chance) = (**new - old, turn.chance);
            rejects(Preview { worse, chance, number: begun + passed, genome, list })
        });
        let passed = passed.count();
        if passed > 0 {
            self.begun += passed;
            self.since += passed as f64;
            random.forward(self.drawn[self.begun - 1].rejected);
        }
        passed
    }

    /// Draws the proposals of this turn and of some later turns.
    fn draw(&mut self, current: &Population<G>, random: &mut Random, source: &mut impl Propose<G>) {
        self.incumbent.list.clear();
        self.clear();
        if let Some(mutants) = source.kept() {
            self.draw_kept(&mutants, current.length(), random);
            if !self.drawn.is_empty() {
                return;
            }
            self.incumbent.list.clear();
        }
        let is_kept = source.kept().is_some();
        // The turns after this one are drawn from the next block.
        let turns = if is_kept { 1 } else { self.ahead().min(source.left()) };
        let (mark, first) = (random.mark(), random.drawn());
        let mut start = first;
        for turn in 0..turns {
            if turn > 0 && random.made() < ROOM {
                break;
            }
            let list = &mut self.incumbent.list;
            match if is_kept { source.kept() } else { None } {
                Some(KeptMutants { mutation, passed }) => {
                    random.pass(passed);
                    mutation.add_flips(current.length(), random, list);
                }
                None => source.moves(current, random, list),
            }
            let end = random.drawn();
            let chance = source.reject(random);
            let rejected = random.drawn();
            self.drawn.push(Turn { start, end, rejected, chance });
            start = rejected;
        }
        random.go_to(&mark, first);
    }

    /// Draws turns from the numbers that are made, as far as they suffice.
    #[inline(never)]
    fn draw_kept(&mut self, mutants: &KeptMutants<'_>, length: usize, random: &mut Random) {
        let KeptMutants { mutation, passed } = *mutants;
        let first = random.drawn();
        let mut start = first;
        let mut made = Made::new(random.ahead());
        for _ in 0..self.incumbent.ahead(MOST_KEPT) {
            made.pass(passed);
            mutation.add_flips(length, &mut made, &mut self.incumbent.list);
            if made.is_beyond() {
                break;
            }
            let end = first + made.drawn() as u64;
            self.drawn.push(Turn { start, end, rejected: end, chance: 0.0 });
            start = end;
        }
    }

    /// Returns the fitness of this turn's proposals.
    #[inline]
    pub(super) fn fitness(&self) -> &[f64] {
        &self.incumbent.fitness[(self.begun - 1 - self.known.start) * self.width..][..self.width]
    }

    /// Returns the proposals of this turn.
    #[inline]
    pub(super) fn moves(&self) -> Moves<'_, G> {
        let first = (self.begun - 1) * self.width;
        self.incumbent.list.range(first..first + self.width)
    }

    /// Makes a proposal of this turn the current genome.
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
        let fitness = self.incumbent.fitness[number - self.known.start * self.width];
        self.incumbent.make(current, number, fitness)?;
        // Proposals that were drawn ahead do not start from the new genome.
        if source.kept().is_some() {
            self.known = 0..0;
        } else {
            self.give_up(source);
        }
        self.usual += (self.since - self.usual) / 8.0;
        self.since = 0.0;
        Ok(())
    }
}
