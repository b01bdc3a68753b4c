//! The incumbent: the genome that a search goes on from, with the state that its plugin keeps to
//! evaluate moves, and a list of moves from it.

use super::population::Population;
use crate::operators::MoveList;
use crate::problem::moves::{Moves, State};
use crate::problem::{CallError, Gene, Problem};

/// Moves that are drawn ahead where each is compared with a whole evaluation.
const CHECKED_AHEAD: usize = 4;

/// Moves from the genome of a population's first row. The genome itself stays there.
pub(super) struct Incumbent<'arm, G> {
    problem: &'arm Problem,
    state: State,
    /// Whether the state is the genome's.
    is_built: bool,
    /// Moves from the genome.
    pub list: MoveList<G>,
    /// The fitness of the genome that each leads to, as far as they are evaluated.
    pub fitness: Vec<f64>,
}

impl<'arm, G: Gene> Incumbent<'arm, G> {
    /// None where moves of the problem are not to be evaluated.
    pub(super) fn of(problem: &'arm Problem) -> Option<Self> {
        problem.has_moves().then(|| Incumbent {
            problem,
            state: State::default(),
            is_built: false,
            list: MoveList::default(),
            fitness: Vec::new(),
        })
    }

    /// Another genome stands in the first row, and its moves are others.
    pub(super) fn forget(&mut self) {
        self.is_built = false;
        self.list.clear();
    }

    /// How many moves are worth drawing ahead, of at most so many: where each costs a whole
    /// evaluation, few.
    pub(super) fn ahead(&self, most: usize) -> usize {
        if self.problem.checks_moves() { most.min(CHECKED_AHEAD) } else { most }
    }

    /// Evaluates the first moves of the list, as many as there are up to `count`.
    ///
    /// # Errors
    /// If the plugin fails.
    #[inline]
    pub(super) fn evaluate(
        &mut self,
        current: &mut Population<G>,
        count: usize,
    ) -> Result<(), CallError> {
        if !self.is_built {
            self.problem.build_state(current.row(0), &mut self.state)?;
            self.is_built = true;
        }
        let moves = self.list.first(count);
        self.fitness.resize(moves.count(), 0.0);
        if self.fitness.is_empty() {
            return Ok(());
        }
        self.problem.evaluate_moves(current.row_mut(0), &mut self.state, &moves, &mut self.fitness)
    }

    /// All moves.
    #[inline]
    pub(super) fn moves(&self) -> Moves<'_, G> {
        self.list.all()
    }

    /// Makes a move of the list, which is empty then; the genome it leads to has this fitness.
    ///
    /// # Errors
    /// If the plugin fails.
    #[inline]
    pub(super) fn apply(
        &mut self,
        current: &mut Population<G>,
        number: usize,
        fitness: f64,
    ) -> Result<(), CallError> {
        let one = self.list.one(number);
        self.problem.apply_move(current.row_mut(0), &mut self.state, &one)?;
        current.fitness[0] = fitness;
        self.list.clear();
        Ok(())
    }
}
