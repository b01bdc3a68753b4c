//! Hill climbing: one genome that moves to better neighbours, and restarts at a local optimum.

use super::call_seed;
use super::executor::Solver;
use super::population::{Figures, Population, population_of};
use super::trial_state::{Incomplete, TrialState};
use crate::operators::{Constraints, HillClimbingSettings, Neighborhood, PivotingRule};
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
    constraints: Option<Constraints>,
    neighborhood: Neighborhood,
    current: Population<G>,
    /// Neighbours of the current genome: a batch of them, or one.
    neighbors: Population<G>,
    /// Steepest: the numbers of the best neighbours. First improvement: the numbers of all, in the
    /// order of the last move.
    numbers: Vec<u32>,
    /// Steepest, with constraints: fitness and violations of the best neighbours.
    figures: Vec<(f64, f64)>,
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

/// What a climb goes by: fitness, or with constraints the cost that they make of it.
trait Cost: Copy + PartialOrd {
    const CONSTRAINED: bool;
    const GREATEST: Self;

    /// That of a row.
    fn of<G: Gene>(rows: &Population<G>, row: usize, constraints: Option<Constraints>) -> Self;

    /// Notes the figures of a genome that has this cost; with constraints they are given.
    fn settle<G: Gene>(self, current: &mut Population<G>, figures: Option<&(f64, f64)>);
}

impl Cost for f64 {
    const CONSTRAINED: bool = false;
    const GREATEST: Self = f64::INFINITY;

    #[inline]
    fn of<G: Gene>(rows: &Population<G>, row: usize, _: Option<Constraints>) -> Self {
        rows.fitness[row]
    }

    #[inline]
    fn settle<G: Gene>(self, current: &mut Population<G>, _: Option<&(f64, f64)>) {
        current.fitness[0] = self;
    }
}

impl Cost for (f64, f64) {
    const CONSTRAINED: bool = true;
    const GREATEST: Self = (f64::INFINITY, f64::INFINITY);

    fn of<G: Gene>(rows: &Population<G>, row: usize, constraints: Option<Constraints>) -> Self {
        let constraints = constraints.expect("asked for only where there are some");
        constraints.cost(rows.fitness[row], rows.violations[row])
    }

    fn settle<G: Gene>(self, current: &mut Population<G>, figures: Option<&(f64, f64)>) {
        let (fitness, violation) = figures.expect("as many as best neighbours");
        current.fitness[0] = *fitness;
        current.violations[0] = *violation;
    }
}

impl<'arm, G: Gene> HillClimbing<'arm, G> {
    /// # Panics
    /// If the problem has no neighbourhood: a caller's bug.
    pub(super) fn new(
        problem: &'arm Problem,
        settings: HillClimbingSettings,
        constraints: Option<Constraints>,
    ) -> Self {
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
            constraints,
            current: population_of(problem, 1),
            neighbors: population_of(problem, batch.min(neighborhood.count().max(1) as usize)),
            neighborhood,
            numbers: Vec::new(),
            figures: Vec::new(),
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
    fn move_to_best<C: Cost>(&mut self, trial: &mut TrialState<'_, G>) -> Result<Move, Incomplete> {
        let (mut best, mut first) = (C::GREATEST, 0);
        while first < self.neighborhood.count() {
            trial.check()?;
            let rows = self.fill_batch(first);
            trial.evaluate_rows(&mut self.neighbors, rows)?;
            for row in 0..rows {
                let cost = C::of(&self.neighbors, row, self.constraints);
                if cost < best {
                    best = cost;
                    self.numbers.clear();
                    self.figures.clear();
                }
                if cost == best {
                    self.numbers.push(first as u32 + row as u32);
                    if C::CONSTRAINED {
                        let Population { fitness, violations, .. } = &self.neighbors;
                        self.figures.push((fitness[row], violations[row]));
                    }
                }
            }
            first += rows as u64;
        }
        let moved = self.judge(best);
        if moved != Move::Rejected {
            let chosen = below(&mut trial.random, self.numbers.len());
            self.neighborhood.apply(u64::from(self.numbers[chosen]), self.current.row_mut(0));
            best.settle(&mut self.current, self.figures.get(chosen));
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
    fn move_to_first<C: Cost>(
        &mut self,
        trial: &mut TrialState<'_, G>,
    ) -> Result<Move, Incomplete> {
        for place in 0..self.numbers.len() {
            trial.check_periodically(place)?;
            let other = place + below(&mut trial.random, self.numbers.len() - place);
            self.numbers.swap(place, other);
            self.neighbors.copy_row(0, &self.current, 0);
            self.neighborhood.apply(u64::from(self.numbers[place]), self.neighbors.row_mut(0));
            trial.evaluate(&mut self.neighbors)?;
            let moved = self.judge(C::of(&self.neighbors, 0, self.constraints));
            if moved != Move::Rejected {
                std::mem::swap(&mut self.current, &mut self.neighbors);
                return Ok(moved);
            }
        }
        Ok(Move::Rejected)
    }

    /// Which move one to a neighbour of this cost would be.
    fn judge<C: Cost>(&self, cost: C) -> Move {
        let accept_equal = self.sideways < self.settings.sideways;
        let current = C::of(&self.current, 0, self.constraints);
        if cost < current {
            Move::ToBetter
        } else if cost == current && accept_equal {
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
        let moved = match (self.settings.pivoting_rule, self.constraints) {
            (PivotingRule::Steepest, None) => self.move_to_best::<f64>(trial)?,
            (PivotingRule::Steepest, Some(_)) => self.move_to_best::<(f64, f64)>(trial)?,
            (PivotingRule::FirstImprovement, None) => self.move_to_first::<f64>(trial)?,
            (PivotingRule::FirstImprovement, Some(_)) => self.move_to_first::<(f64, f64)>(trial)?,
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

    fn figures(&self) -> Figures<'_> {
        self.current.figures(1)
    }

    fn genes(&self) -> &[G] {
        self.current.genes()
    }

    fn terminate(&self) -> Option<Outcome> {
        self.stuck.then_some(Outcome::Stagnated)
    }
}
