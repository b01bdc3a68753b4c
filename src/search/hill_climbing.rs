//! Hill climbing: one genome that moves to better neighbours, and restarts at a local optimum.

use super::call_seed;
use super::executor::Solver;
use super::population::Population;
use super::trial_state::{Incomplete, TrialState};
use crate::operators::{HillClimbingSettings, Neighborhood, PivotingRule};
use crate::problem::{Gene, Problem};
use crate::random::draws::below;
use crate::record::Outcome;

/// Bytes of neighbours that are evaluated at a time.
const BATCH: usize = 1 << 16;

/// Hill climbing on genes of kind `G`. A generation is one move, or the restart that follows where
/// none is accepted.
pub(super) struct HillClimbing<'arm, G: Gene> {
    problem: &'arm Problem,
    settings: HillClimbingSettings,
    neighborhood: Neighborhood,
    current: Population<G>,
    /// Neighbours of the current genome: a batch of them, or one.
    neighbors: Population<G>,
    /// Steepest: the numbers of the best neighbours. First improvement: the numbers of all, in the
    /// order of the last move.
    numbers: Vec<u32>,
    /// Moves in a row to neighbours of equal fitness.
    sideways: u64,
    /// Whether the trial is at its end, in a local optimum.
    stuck: bool,
}

/// What hill climbing did with the neighbours of a genome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    ToBetter,
    ToEqual,
    /// No neighbour is accepted: a local optimum.
    Rejected,
}

impl<'arm, G: Gene> HillClimbing<'arm, G> {
    /// # Panics
    /// If the problem has no neighbourhood: a caller's bug.
    pub(super) fn new(problem: &'arm Problem, settings: HillClimbingSettings) -> Self {
        let length = problem.description().genome_length;
        let neighborhood =
            Neighborhood::of(problem.description()).expect("the config checked the encoding");
        let batch = match settings.pivoting_rule {
            PivotingRule::Steepest => (BATCH / (length * G::KIND.size())).max(1),
            PivotingRule::FirstImprovement => 1,
        };
        HillClimbing {
            problem,
            settings,
            current: Population::new(1, length),
            neighbors: Population::new(batch.min(neighborhood.count().max(1) as usize), length),
            neighborhood,
            numbers: Vec::new(),
            sideways: 0,
            stuck: false,
        }
    }

    /// Makes a random genome the current one.
    fn restart(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        self.problem.sample(&call_seed(&mut trial.random), 0, self.current.genes_mut())?;
        trial.evaluate(&mut self.current)
    }

    /// Evaluates all neighbours and moves to the best, of equals to a random one.
    fn move_to_best(&mut self, trial: &mut TrialState<'_, G>) -> Result<Move, Incomplete> {
        let (mut best, mut first) = (f64::INFINITY, 0);
        while first < self.neighborhood.count() {
            trial.check()?;
            let rows = self.fill_batch(first);
            trial.evaluate_rows(&mut self.neighbors, rows)?;
            for (row, fitness) in self.neighbors.fitness[..rows].iter().enumerate() {
                if *fitness < best {
                    best = *fitness;
                    self.numbers.clear();
                }
                if *fitness == best {
                    self.numbers.push(first as u32 + row as u32);
                }
            }
            first += rows as u64;
        }
        let moved = self.judge(best);
        if moved != Move::Rejected {
            let number = self.numbers[below(&mut trial.random, self.numbers.len())];
            self.neighborhood.apply(u64::from(number), self.current.row_mut(0));
            self.current.fitness[0] = best;
        }
        Ok(moved)
    }

    /// Fills rows with the neighbours from number `first` on; returns how many.
    fn fill_batch(&mut self, first: u64) -> usize {
        let left = self.neighborhood.count() - first;
        let rows = left.min(self.neighbors.rows() as u64) as usize;
        for row in 0..rows {
            self.neighbors.copy_row(row, &self.current, 0);
            self.neighborhood.apply(first + row as u64, self.neighbors.row_mut(row));
        }
        rows
    }

    /// Evaluates neighbours in random order and moves to the first that is accepted.
    fn move_to_first(&mut self, trial: &mut TrialState<'_, G>) -> Result<Move, Incomplete> {
        for place in 0..self.numbers.len() {
            trial.check_periodically(place)?;
            let other = place + below(&mut trial.random, self.numbers.len() - place);
            self.numbers.swap(place, other);
            self.neighbors.copy_row(0, &self.current, 0);
            self.neighborhood.apply(u64::from(self.numbers[place]), self.neighbors.row_mut(0));
            trial.evaluate(&mut self.neighbors)?;
            let moved = self.judge(self.neighbors.fitness[0]);
            if moved != Move::Rejected {
                std::mem::swap(&mut self.current, &mut self.neighbors);
                return Ok(moved);
            }
        }
        Ok(Move::Rejected)
    }

    /// Which move one to a neighbour of this fitness would be.
    fn judge(&self, fitness: f64) -> Move {
        let accept_equal = self.sideways < self.settings.sideways;
        let current = self.current.fitness[0];
        if fitness < current {
            Move::ToBetter
        } else if fitness == current && accept_equal {
            Move::ToEqual
        } else {
            Move::Rejected
        }
    }
}

impl<G: Gene> Solver for HillClimbing<'_, G> {
    type Gene = G;

    fn init(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        if self.settings.pivoting_rule == PivotingRule::FirstImprovement {
            // Each move shuffles anew; beginning in order makes a trial depend on its seed alone.
            self.numbers.clear();
            self.numbers.extend(0..self.neighborhood.count() as u32);
        }
        self.sideways = 0;
        self.stuck = false;
        trial.begin(&mut self.current)
    }

    fn next_generation(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        let moved = match self.settings.pivoting_rule {
            PivotingRule::Steepest => self.move_to_best(trial)?,
            PivotingRule::FirstImprovement => self.move_to_first(trial)?,
        };
        self.sideways = if moved == Move::ToEqual { self.sideways + 1 } else { 0 };
        // A trial that ends here anyway is not restarted.
        if moved != Move::Rejected || trial.limit_reached().is_some() {
            return Ok(());
        }
        self.stuck = !self.settings.restarts;
        if self.stuck {
            return Err(Incomplete::Stopped);
        }
        self.restart(trial)
    }

    fn fitness(&self) -> &[f64] {
        &self.current.fitness
    }

    fn terminate(&self) -> Option<Outcome> {
        self.stuck.then_some(Outcome::Stagnated)
    }
}
