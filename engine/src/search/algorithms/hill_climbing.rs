//! Hill climbing: one genome that moves to better neighbours, and restarts at a local optimum.
//!
//! Russell and Norvig (2021), Artificial Intelligence: A Modern Approach, section 4.1; Aarts and
//! Lenstra (2003), Local Search in Combinatorial Optimization, doi:10.2307/j.ctv346t9c.

use super::settings::{HillClimbing, PivotingRule};
use crate::problem::{Gene, Problem};
use crate::random::draws::below;
use crate::record::Outcome;
use crate::search::executor::Search;
use crate::search::halt::Halt;
use crate::search::local::Local;
use crate::search::neighbors::Listed;
use crate::search::population::Population;
use crate::search::snapshot::Snapshot;
use crate::search::trial::Trial;

/// State of hill climbing on genes of kind `G`. A generation is one move, or the restart at a local
/// optimum.
pub(crate) struct Climb<'arm, G: Gene> {
    settings: HillClimbing,
    local: Local<'arm, G, Listed>,
    /// Number of consecutive moves to neighbours of equal fitness.
    sideways: u64,
    /// Whether the trial has ended in a local optimum.
    is_stuck: bool,
}

impl<'arm, G: Gene> Climb<'arm, G> {
    /// # Panics
    /// If the problem has no neighbourhood, which is a bug of the caller.
    pub(crate) fn new(problem: &'arm Problem, settings: HillClimbing) -> Self {
        let one_by_one = settings.pivoting_rule == PivotingRule::FirstImprovement;
        let local = Local::listed(problem, settings.neighbors, one_by_one);
        Climb { settings, local, sideways: 0, is_stuck: false }
    }

    /// Moves to the best neighbour, or among equals to a random one, if it is accepted. Returns how
    /// much worse it is.
    fn move_to_best(&mut self, trial: &mut Trial<'_, G>) -> Result<f64, Halt> {
        let (worse, ties) = self.local.best_neighbors(trial)?;
        if self.accepts(worse) {
            self.local.go_to(below(&mut trial.random, ties))?;
        }
        Ok(worse)
    }

    /// Moves to the first neighbour that is accepted, in random order. Returns how much worse it
    /// is, or infinity if none is accepted.
    fn move_to_first(&mut self, trial: &mut Trial<'_, G>) -> Result<f64, Halt> {
        self.local.source.order.shuffle();
        for _ in 0..self.local.source.neighborhood.count() as usize {
            trial.clock.evaluated(1)?;
            let worse = self.local.propose(trial)?;
            if self.accepts(worse) {
                self.local.accept(0)?;
                return Ok(worse);
            }
        }
        Ok(f64::INFINITY)
    }

    #[inline]
    fn accepts(&self, worse: f64) -> bool {
        worse < 0.0 || worse == 0.0 && self.sideways < self.settings.sideways
    }
}

impl<G: Gene> Search for Climb<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        if self.settings.pivoting_rule == PivotingRule::FirstImprovement {
            self.local.source.order.put_in_order();
        }
        self.sideways = 0;
        self.is_stuck = false;
        self.local.start(trial)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let worse = match self.settings.pivoting_rule {
            PivotingRule::Steepest => self.move_to_best(trial)?,
            PivotingRule::FirstImprovement => self.move_to_first(trial)?,
        };
        let has_moved = self.accepts(worse);
        self.sideways = if has_moved && worse == 0.0 { self.sideways + 1 } else { 0 };
        // A trial that ends here anyway is not restarted.
        if has_moved || trial.limit_reached().is_some() {
            return Ok(());
        }
        self.is_stuck = !self.settings.restarts;
        if self.is_stuck { Err(Halt::Stopped) } else { self.local.restart(trial) }
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.sideways);
        snapshot.save_or_restore(&mut self.is_stuck);
        self.local.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<G> {
        self.local.current()
    }

    fn ended(&self) -> Option<Outcome> {
        self.is_stuck.then_some(Outcome::Stagnated)
    }
}
