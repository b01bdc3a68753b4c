//! Watchers: observers that see a trial generation by generation while it runs, and may delay it.

use super::births::Birth;
use crate::problem::Genome;
use crate::record::{OperatorCounts, TraceRow};

/// A completed generation.
pub struct Generation<'trial> {
    /// Number of the generation; 0 is the initial population.
    pub number: u64,
    /// Number of evaluations so far.
    pub evaluations: u64,
    /// Whether no generation follows this one.
    pub last: bool,
    /// Lowest fitness so far; with constraints, the fitness of the best genome.
    pub best_so_far: f64,
    /// Violation of the best genome so far; 0 without constraints.
    pub best_violation: f64,
    /// Mean distance of all pairs of individuals; `None` unless a stop rule asks for it.
    pub diversity: Option<f64>,
    /// Fitness, one value per row.
    pub fitness: &'trial [f64],
    /// Violations, one value per row; empty if the problem has no constraints.
    pub violations: &'trial [f64],
    /// Its children by operators; `None` if they are not counted. Without a trace that counts them,
    /// most algorithms with children count them for a watcher all the same.
    pub operators: Option<OperatorCounts>,
    pub(super) births: &'trial dyn Fn() -> Vec<Birth>,
    pub(super) row: &'trial dyn Fn() -> TraceRow,
    pub(super) genes: &'trial dyn Fn() -> Genome,
    pub(super) best: &'trial dyn Fn() -> Genome,
}

impl Generation<'_> {
    /// Returns the row that a trace of generations has for it.
    #[must_use]
    pub fn row(&self) -> TraceRow {
        (self.row)()
    }

    /// Copies some of its children with their parents; none of the initial population, and none
    /// where the algorithm notes none.
    #[must_use]
    pub fn births(&self) -> Vec<Birth> {
        (self.births)()
    }

    /// Copies the genes of all rows, row after row.
    #[must_use]
    pub fn genes(&self) -> Genome {
        (self.genes)()
    }

    /// Copies the best genome so far.
    #[must_use]
    pub fn best(&self) -> Genome {
        (self.best)()
    }
}

/// Observer of a trial. It has no effect on the trial's result.
pub trait Watcher {
    /// Receives a completed generation; the trial waits until the call returns.
    fn generation(&mut self, generation: &Generation<'_>);
}
