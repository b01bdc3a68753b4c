//! Local search state: one genome and its neighbours, for searches that move from genome to genome.

use super::call_seed;
use super::halt::Halt;
use super::look_ahead::{LookAhead, Preview};
use super::population::{Population, population_of};
use super::propose::Propose;
use super::ranking::Ranking;
use super::snapshot::Snapshot;
use super::trial::Trial;
use crate::problem::{CallError, Gene, Problem};
use std::mem::swap;

/// Current genome of a search, and the proposals of a turn. `P` draws the proposals.
pub(super) struct Local<'arm, G: Gene, P> {
    problem: &'arm Problem,
    pub source: P,
    pub(super) current: Population<G>,
    pub(super) neighbors: Neighbors<'arm, G>,
}

/// Evaluation method of neighbours. It is chosen once per arm, and does not affect results.
pub(super) enum Neighbors<'arm, G> {
    /// Neighbours are evaluated as whole genomes.
    Rows(Population<G>),
    /// Neighbours are evaluated incrementally, as moves from the current genome.
    Moves(LookAhead<'arm, G>),
}

impl<'arm, G: Gene, P: Propose<G>> Local<'arm, G, P> {
    /// Creates the state with `width` proposals per turn. `by_moves` is true if the source can give
    /// proposals as moves.
    pub(super) fn new(problem: &'arm Problem, source: P, width: usize, by_moves: bool) -> Self {
        let ahead = if by_moves { LookAhead::of(problem, width) } else { None };
        let rows = || Neighbors::Rows(population_of(problem, width));
        Local {
            problem,
            source,
            current: population_of(problem, 1),
            neighbors: ahead.map_or_else(rows, Neighbors::Moves),
        }
    }

    /// Returns the current genome as a population of one.
    pub(super) fn current(&self) -> &Population<G> {
        &self.current
    }

    /// Begins a trial: creates and evaluates its first genome.
    pub(super) fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.forget();
        self.use_log(trial);
        trial.begin(&mut self.current)
    }

    /// Begins a trial like [`start`](Self::start). The plugin constructs the first genome.
    pub(super) fn construct(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.forget();
        self.use_log(trial);
        trial.begin_by(&mut self.current, Problem::construct)
    }

    /// Writes the conflicts of the current genome's genes at these positions.
    pub(super) fn conflicts(
        &mut self,
        positions: &[u32],
        numbers: &mut [u32],
    ) -> Result<(), CallError> {
        let state = match &mut self.neighbors {
            Neighbors::Rows(_) => None,
            Neighbors::Moves(ahead) => Some(&*ahead.incumbent.state(&self.current)?),
        };
        self.problem.conflicts(self.current.row(0), state, positions, numbers)
    }

    /// Replaces the current genome by a random one.
    pub(super) fn restart(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.problem.sample(&call_seed(&mut trial.random), 0, self.current.genes_mut())?;
        self.forget();
        trial.evaluate(&mut self.current)
    }

    /// Replaces the current genome by an evaluated one.
    pub(super) fn replace(&mut self, genome: &Population<G>) {
        self.current.copy_pairs(genome, std::iter::once((0, 0)));
        self.forget();
    }

    /// Logs the evaluations of moves, if the trial has a log.
    fn use_log(&mut self, trial: &Trial<'_, G>) {
        if let Neighbors::Moves(ahead) = &mut self.neighbors {
            ahead.incumbent.use_log(trial.log());
        }
    }

    /// Forgets what is known of the current genome's neighbours.
    pub(super) fn forget(&mut self) {
        if let Neighbors::Moves(ahead) = &mut self.neighbors {
            ahead.forget();
        }
    }

    /// Writes or reads the current genome and the source of proposals.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        if let Neighbors::Moves(ahead) = &mut self.neighbors {
            ahead.give_up(&mut self.source);
        }
        self.current.save_or_restore(snapshot);
        self.source.save_or_restore(snapshot);
        if snapshot.is_read() {
            self.forget();
        }
    }

    /// Draws and evaluates the proposals of a turn.
    #[inline]
    pub(super) fn propose_all(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let Local { source, current, neighbors, .. } = self;
        match neighbors {
            Neighbors::Rows(rows) => {
                trial.reevaluate(current, 1)?;
                rows.copy_pairs(current, (0..rows.rows()).map(|row| (row, 0)));
                source.rows(current, rows, &mut trial.ranking, &mut trial.random)?;
                trial.evaluate(rows)
            }
            Neighbors::Moves(ahead) => {
                ahead.begin(current, &mut trial.random, source)?;
                match ahead.fitness() {
                    [one] => trial.count_move(current.row(0), || ahead.moves(), *one),
                    all => trial.count_moves(current.row(0), &ahead.moves(), all),
                }
            }
        }
    }

    /// Returns whether enough turns in a row are rejected for [`pass`](Self::pass) to be worth a
    /// call.
    #[inline]
    pub(super) fn is_quiet(&self) -> bool {
        matches!(&self.neighbors, Neighbors::Moves(ahead) if ahead.is_quiet())
    }

    /// Counts at most `most` turns as rejected, until `rejects` is false for a proposal. It
    /// must be false for better proposals than the current genome. Turns count as evaluations.
    /// Returns their number: 0 if neighbours are evaluated as whole genomes, or often accepted.
    #[inline]
    pub(super) fn pass(
        &mut self,
        trial: &mut Trial<'_, G>,
        most: usize,
        mut rejects: impl FnMut(Preview<'_, G>) -> bool,
    ) -> usize {
        let Local { source, current, neighbors: Neighbors::Moves(ahead), .. } = self else {
            return 0;
        };
        if !ahead.is_quiet() {
            return 0;
        }
        let most = most.min(trial.budget()).min(trial.unlooked());
        let mut passed = 0;
        // An error is reported by the turn itself.
        while passed < most && ahead.know_next(current, &mut trial.random, source).is_ok() {
            passed += ahead.pass(current, most - passed, &mut trial.random, &mut rejects);
            if ahead.has_next() || trial.clock.check().is_err() {
                break;
            }
        }
        trial.count_rejected(passed);
        passed
    }

    /// Draws and evaluates the only proposal of a turn. Returns how much worse it is than the
    /// current genome.
    #[inline]
    pub(super) fn propose(&mut self, trial: &mut Trial<'_, G>) -> Result<f64, Halt> {
        self.propose_all(trial)?;
        Ok(match &self.neighbors {
            Neighbors::Rows(rows) => {
                trial.ranking.worsening(rows.figures_of(0), self.current.figures_of(0))
            }
            Neighbors::Moves(ahead) => ahead.fitness()[0] - self.current.fitness[0],
        })
    }

    /// Returns the fitness and the violation of the only proposal of a turn.
    #[inline]
    pub(super) fn proposed(&self) -> (f64, f64) {
        match &self.neighbors {
            Neighbors::Rows(rows) => rows.figures_of(0),
            Neighbors::Moves(ahead) => (ahead.fitness()[0], 0.0),
        }
    }

    /// Returns the scores of the current genome and of the turn's proposals; lower is better.
    #[inline]
    pub(super) fn scores<'turn>(
        &'turn self,
        ranking: &'turn mut Ranking,
    ) -> (&'turn [f64], &'turn [f64]) {
        match &self.neighbors {
            Neighbors::Rows(rows) => ranking.scores_of_both(&self.current, rows),
            Neighbors::Moves(ahead) => (&self.current.fitness, ahead.fitness()),
        }
    }

    /// Makes a proposal of the turn the current genome.
    #[inline]
    pub(super) fn accept(&mut self, number: usize) -> Result<(), CallError> {
        match &mut self.neighbors {
            Neighbors::Rows(rows) if rows.rows() == 1 => swap(&mut self.current, rows),
            Neighbors::Rows(rows) => self.current.copy_pairs(rows, std::iter::once((0, number))),
            Neighbors::Moves(ahead) => {
                ahead.accept(&mut self.current, number, &mut self.source)?;
            }
        }
        Ok(())
    }
}
