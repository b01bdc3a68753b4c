//! The solver of hill climbing: one genome that moves to better neighbours, and restarts at a local
//! optimum.

use super::{HillClimbing, PivotingRule};
use crate::operators::Neighborhood;
use crate::problem::{Gene, Problem};
use crate::random::draws::below;
use crate::record::Outcome;
use crate::search::call_seed;
use crate::search::executor::Solver;
use crate::search::incumbent::Incumbent;
use crate::search::least::least;
use crate::search::population::{Figures, Population, population_of};
use crate::search::trial_state::{Incomplete, TrialState};
use std::iter::once;

/// Bytes of neighbours that are evaluated at a time.
const BATCH: usize = 1 << 16;
/// Moves that are evaluated at a time: they and their fitness stay in the fast cache.
const MOVES: usize = 1 << 10;
/// Moves in random order that are drawn and evaluated ahead, at most.
const AHEAD: usize = 64;

/// Hill climbing on genes of kind `G`. A generation is one move, or the restart that follows where
/// none is accepted.
pub(crate) struct Climber<'arm, G: Gene> {
    problem: &'arm Problem,
    settings: HillClimbing,
    neighborhood: Neighborhood,
    current: Population<G>,
    /// Neighbours of the current genome: a batch of them, or one.
    neighbors: Population<G>,
    /// Where the plugin evaluates moves.
    incumbent: Option<Incumbent<'arm, G>>,
    /// Steepest: the numbers of the best neighbours. First improvement: the numbers of all, in the
    /// order of the last move.
    numbers: Vec<u32>,
    /// Steepest: fitness and violations of the best neighbours.
    figures: Vec<(f64, f64)>,
    /// First improvement by moves: where each number came from, and the numbers drawn by then.
    shuffled: Vec<(usize, u64)>,
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

impl<'arm, G: Gene> Climber<'arm, G> {
    /// # Panics
    /// If the problem has no neighbourhood: a caller's bug.
    pub(crate) fn new(problem: &'arm Problem, settings: HillClimbing) -> Self {
        let length = problem.description().genome_length;
        let neighborhood =
            Neighborhood::of(problem.description()).expect("the config checked the encoding");
        let incumbent = Incumbent::of(problem);
        let batch = match settings.pivoting_rule {
            PivotingRule::Steepest if incumbent.is_none() => {
                (BATCH / (length * G::KIND.size())).max(1)
            }
            _ => 1,
        };
        Climber {
            problem,
            settings,
            current: population_of(problem, 1),
            neighbors: population_of(problem, batch.min(neighborhood.count().max(1) as usize)),
            incumbent,
            neighborhood,
            numbers: Vec::new(),
            figures: Vec::new(),
            shuffled: Vec::new(),
            sideways: 0,
            stuck: false,
        }
    }

    /// Makes a random genome the current one.
    fn restart(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        self.problem.sample(&call_seed(&mut trial.random), 0, self.current.genes_mut())?;
        self.forget();
        trial.evaluate(&mut self.current)
    }

    /// Another genome is the current one.
    fn forget(&mut self) {
        self.incumbent.iter_mut().for_each(Incumbent::forget);
    }

    /// Evaluates all neighbours and moves to the best, of equals to a random one.
    fn move_to_best(&mut self, trial: &mut TrialState<'_, G>) -> Result<Move, Incomplete> {
        let (mut best, mut first) = ((f64::INFINITY, f64::INFINITY), 0);
        while first < self.neighborhood.count() {
            trial.check()?;
            let rows = self.fill_batch(first);
            trial.evaluate_rows(&mut self.neighbors, rows)?;
            for row in 0..rows {
                let key = trial.ranking.key(&self.neighbors, row);
                if key < best {
                    best = key;
                    self.numbers.clear();
                    self.figures.clear();
                }
                if key == best {
                    self.numbers.push(first as u32 + row as u32);
                    self.figures.push((self.neighbors.fitness[row], self.neighbors.violation(row)));
                }
            }
            first += rows as u64;
        }
        let moved = self.judge(best, trial);
        if moved != Move::Rejected {
            let chosen = below(&mut trial.random, self.numbers.len());
            self.neighborhood.apply(u64::from(self.numbers[chosen]), self.current.row_mut(0));
            let (fitness, violation) = self.figures[chosen];
            self.current.fitness[0] = fitness;
            self.current.violations.fill(violation);
        }
        Ok(moved)
    }

    /// Fills rows with the neighbours from number `first` on; returns how many.
    fn fill_batch(&mut self, first: u64) -> usize {
        let left = self.neighborhood.count() - first;
        let rows = left.min(self.neighbors.rows() as u64) as usize;
        for row in 0..rows {
            self.neighbors.copy_pairs(&self.current, once((row, 0)));
            self.neighborhood.apply(first + row as u64, self.neighbors.row_mut(row));
        }
        rows
    }

    /// As [`move_to_best`](Self::move_to_best), by the moves to the neighbours.
    fn move_to_best_by_moves(&mut self, trial: &mut TrialState<'_, G>) -> Result<Move, Incomplete> {
        let Climber { neighborhood, current, numbers, .. } = self;
        let incumbent = self.incumbent.as_mut().expect("asked for only where there is one");
        let (mut best, mut first) = (f64::INFINITY, 0);
        while first < neighborhood.count() {
            trial.check()?;
            incumbent.list.clear();
            neighborhood.list(first, MOVES, current.row(0), &mut incumbent.list);
            let all = incumbent.list.count();
            incumbent.evaluate(current, trial.budget())?;
            trial.count_moves(current.row(0), &incumbent.moves(), &incumbent.fitness)?;
            if incumbent.fitness.len() < all {
                return Err(Incomplete::Stopped);
            }
            let found = least(&incumbent.fitness);
            if found < best {
                best = found;
                numbers.clear();
            }
            if found == best {
                let equal = incumbent.fitness.iter().zip(first as u32..);
                numbers.extend(equal.filter(|(fitness, _)| **fitness == best).map(|one| one.1));
            }
            first += all as u64;
        }
        let moved = self.judge((0.0, best), trial);
        if moved != Move::Rejected {
            let chosen = below(&mut trial.random, self.numbers.len());
            self.make_move(self.numbers[chosen], best)?;
        }
        Ok(moved)
    }

    /// Moves to the neighbour of this number, which has this fitness.
    fn make_move(&mut self, number: u32, fitness: f64) -> Result<(), Incomplete> {
        let Climber { neighborhood, current, .. } = self;
        let incumbent = self.incumbent.as_mut().expect("asked for only where there is one");
        incumbent.list.clear();
        neighborhood.add(u64::from(number), current.row(0), &mut incumbent.list);
        Ok(incumbent.apply(current, 0, fitness)?)
    }

    /// As [`move_to_first`](Self::move_to_first), by the moves to the neighbours: some at a time,
    /// the more the longer none was accepted. What was drawn beyond the accepted one is taken back.
    fn move_to_first_by_moves(
        &mut self,
        trial: &mut TrialState<'_, G>,
    ) -> Result<Move, Incomplete> {
        let (mut place, mut ahead) = (0, 1);
        while place < self.numbers.len() {
            let mark = trial.random.mark();
            let evaluated = self.evaluate_ahead(trial, place, ahead);
            if evaluated.is_err() && ahead > 1 {
                // It may be a later move that fails, which may never come.
                self.take_back(place, 0);
                let start = self.shuffled[0].1;
                trial.random.go_to(&mark, start);
                ahead = 1;
                continue;
            }
            evaluated?;
            let count = self.shuffled.len() - 1;
            for step in 0..count {
                trial.check_periodically(place + step)?;
                let incumbent = self.incumbent.as_mut().expect("asked for only where there is one");
                let fitness = incumbent.fitness[step];
                trial.count_move(self.current.row(0), || incumbent.list.one(step), fitness)?;
                let moved = self.judge((0.0, fitness), trial);
                if moved != Move::Rejected {
                    self.take_back(place, step + 1);
                    trial.random.go_to(&mark, self.shuffled[step + 1].1);
                    self.make_move(self.numbers[place + step], fitness)?;
                    return Ok(moved);
                }
            }
            place += count;
            let incumbent = self.incumbent.as_mut().expect("asked for only where there is one");
            ahead = (2 * ahead).min(incumbent.ahead(AHEAD));
        }
        Ok(Move::Rejected)
    }

    /// Draws which neighbours come at the next places, and evaluates the moves to them.
    fn evaluate_ahead(
        &mut self,
        trial: &mut TrialState<'_, G>,
        place: usize,
        ahead: usize,
    ) -> Result<(), Incomplete> {
        let Climber { neighborhood, current, numbers, shuffled, .. } = self;
        let incumbent = self.incumbent.as_mut().expect("asked for only where there is one");
        incumbent.list.clear();
        shuffled.clear();
        shuffled.push((place, trial.random.drawn()));
        for place in place..numbers.len().min(place + ahead) {
            let other = place + below(&mut trial.random, numbers.len() - place);
            numbers.swap(place, other);
            shuffled.push((other, trial.random.drawn()));
            neighborhood.add(u64::from(numbers[place]), current.row(0), &mut incumbent.list);
        }
        Ok(incumbent.evaluate(current, usize::MAX)?)
    }

    /// Undoes what was shuffled from `place` on, but for the first `kept`.
    fn take_back(&mut self, place: usize, kept: usize) {
        for (step, (other, _)) in self.shuffled[1..].iter().enumerate().skip(kept).rev() {
            self.numbers.swap(place + step, *other);
        }
    }

    /// Evaluates neighbours in random order and moves to the first that is accepted.
    fn move_to_first(&mut self, trial: &mut TrialState<'_, G>) -> Result<Move, Incomplete> {
        for place in 0..self.numbers.len() {
            trial.check_periodically(place)?;
            let other = place + below(&mut trial.random, self.numbers.len() - place);
            self.numbers.swap(place, other);
            self.neighbors.copy_pairs(&self.current, once((0, 0)));
            self.neighborhood.apply(u64::from(self.numbers[place]), self.neighbors.row_mut(0));
            trial.evaluate(&mut self.neighbors)?;
            let moved = self.judge(trial.ranking.key(&self.neighbors, 0), trial);
            if moved != Move::Rejected {
                std::mem::swap(&mut self.current, &mut self.neighbors);
                return Ok(moved);
            }
        }
        Ok(Move::Rejected)
    }

    /// Returns what a move to a neighbour with this key would be.
    #[inline]
    fn judge(&self, key: (f64, f64), trial: &TrialState<'_, G>) -> Move {
        let accept_equal = self.sideways < self.settings.sideways;
        let current = trial.ranking.key(&self.current, 0);
        if key < current {
            Move::ToBetter
        } else if key == current && accept_equal {
            Move::ToEqual
        } else {
            Move::Rejected
        }
    }
}

impl<G: Gene> Solver for Climber<'_, G> {
    type Gene = G;

    fn init(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        if self.settings.pivoting_rule == PivotingRule::FirstImprovement {
            // Each move shuffles anew; beginning in order makes a trial depend on its seed alone.
            self.numbers.clear();
            self.numbers.extend(0..self.neighborhood.count() as u32);
        }
        self.sideways = 0;
        self.stuck = false;
        self.forget();
        trial.begin(&mut self.current)
    }

    fn next_generation(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        // Problems with constraints have no moves.
        let by_moves = self.incumbent.is_some();
        let moved = match self.settings.pivoting_rule {
            PivotingRule::Steepest if by_moves => self.move_to_best_by_moves(trial)?,
            PivotingRule::Steepest => self.move_to_best(trial)?,
            PivotingRule::FirstImprovement if by_moves => self.move_to_first_by_moves(trial)?,
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
