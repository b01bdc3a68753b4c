//! The incumbent: the current genome of a search. The module keeps the plugin's state for
//! evaluating moves, and a list of moves from the genome.

use super::logged::SharedLog;
use super::population::Population;
use crate::operators::MoveList;
use crate::problem::moves::{Moves, State};
use crate::problem::{CallError, Gene, Problem};
use std::ops::Range;

/// Number of moves drawn ahead if each is compared with an evaluation of the whole genome.
const CHECKED_AHEAD: usize = 4;

/// Moves from the genome in a population's first row. The genome itself stays there.
pub(super) struct Incumbent<'arm, G> {
    problem: &'arm Problem,
    state: State,
    /// Whether the state belongs to the current genome.
    is_built: bool,
    /// Whether the state belongs to the current genome and no log is kept, so that moves can be
    /// evaluated with no further question.
    is_ready: bool,
    /// Log of the trial's evaluations; `None` if there is none.
    log: Option<SharedLog>,
    /// Moves from the genome.
    pub list: MoveList<G>,
    /// Fitness of the genome that each move leads to, as far as the moves are evaluated.
    pub fitness: Vec<f64>,
}

impl<'arm, G: Gene> Incumbent<'arm, G> {
    /// Creates an incumbent. Returns `None` if moves of the problem are not evaluated.
    pub(super) fn of(problem: &'arm Problem) -> Option<Self> {
        problem.has_moves().then(|| Incumbent {
            problem,
            state: State::default(),
            is_built: false,
            is_ready: false,
            log: None,
            list: MoveList::default(),
            fitness: Vec::new(),
        })
    }

    /// Clears the state and the moves, because the first row contains another genome.
    pub(super) fn forget(&mut self) {
        (self.is_built, self.is_ready) = (false, false);
        self.list.clear();
    }

    /// Logs evaluations from now on; not, if `log` is `None`. What is known of the current genome
    /// must have been [forgotten](Self::forget).
    pub(super) fn use_log(&mut self, log: Option<SharedLog>) {
        self.log = log;
    }

    /// Returns the number of moves that are worth drawing ahead, at most `most`. It is small if
    /// each move costs an evaluation of the whole genome.
    pub(super) fn ahead(&self, most: usize) -> usize {
        if self.problem.checks_moves() { most.min(CHECKED_AHEAD) } else { most }
    }

    /// Builds the state of the current genome, unless it is built. Returns it.
    #[inline]
    pub(super) fn state(&mut self, current: &Population<G>) -> Result<&mut State, CallError> {
        if !self.is_ready {
            self.build(current)?;
        }
        Ok(&mut self.state)
    }

    #[cold]
    fn build(&mut self, current: &Population<G>) -> Result<(), CallError> {
        if !self.is_built {
            self.problem.build_state(current.row(0), &mut self.state)?;
            self.is_built = true;
        }
        self.is_ready = self.log.is_none();
        Ok(())
    }

    /// Evaluates the first `count` moves of the list, or all moves if there are fewer.
    #[inline]
    pub(super) fn evaluate(
        &mut self,
        current: &mut Population<G>,
        count: usize,
    ) -> Result<(), CallError> {
        self.evaluate_range(current, 0..count.min(self.list.count()))
    }

    /// Evaluates a range of the list's moves. The fitness of the first is at index 0.
    #[inline(always)]
    pub(super) fn evaluate_range(
        &mut self,
        current: &mut Population<G>,
        range: Range<usize>,
    ) -> Result<(), CallError> {
        if !self.is_ready {
            return self.evaluate_first(current, range);
        }
        self.evaluate_ready(current, range)
    }

    #[inline]
    fn evaluate_ready(
        &mut self,
        current: &mut Population<G>,
        range: Range<usize>,
    ) -> Result<(), CallError> {
        let moves = self.list.part(range);
        if self.fitness.len() != moves.count() {
            self.fitness.resize(moves.count(), 0.0);
        }
        if self.fitness.is_empty() {
            return Ok(());
        }
        self.problem.evaluate_moves(current.row_mut(0), &mut self.state, &moves, &mut self.fitness)
    }

    /// Evaluates moves where the state is to be built first, or a log is kept.
    #[cold]
    fn evaluate_first(
        &mut self,
        current: &mut Population<G>,
        range: Range<usize>,
    ) -> Result<(), CallError> {
        self.build(current)?;
        let Some(log) = self.log.clone() else { return self.evaluate_ready(current, range) };
        let Incumbent { problem, state, list, fitness, .. } = self;
        fitness.resize(range.len(), 0.0);
        let all = list.clone();
        let moves = all.range(range.clone());
        let evaluated =
            log.evaluate_moves(current.row_mut(0), &moves, fitness, |genome, from, rest| {
                let rest_of_range = range.start + from..range.end;
                problem.evaluate_moves(genome, state, &list.part(rest_of_range), rest)
            });
        evaluated.unwrap_or_else(|| {
            // The log was given up.
            self.log = None;
            self.is_ready = true;
            self.evaluate_ready(current, range)
        })
    }

    /// Returns all moves.
    #[inline]
    pub(super) fn moves(&self) -> Moves<'_, G> {
        self.list.all()
    }

    /// Makes a move of the list, and clears the list. `fitness` is that of the resulting genome.
    #[inline]
    pub(super) fn apply(
        &mut self,
        current: &mut Population<G>,
        number: usize,
        fitness: f64,
    ) -> Result<(), CallError> {
        self.make(current, number, fitness)?;
        self.list.clear();
        Ok(())
    }

    /// Makes a move of the list like [`apply`](Self::apply), and keeps the list.
    #[inline]
    pub(super) fn make(
        &mut self,
        current: &mut Population<G>,
        number: usize,
        fitness: f64,
    ) -> Result<(), CallError> {
        let one = self.list.one(number);
        self.problem.apply_move(current.row_mut(0), &mut self.state, &one)?;
        current.fitness[0] = fitness;
        Ok(())
    }
}
