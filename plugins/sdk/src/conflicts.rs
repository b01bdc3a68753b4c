//! Conflicts: which genes a search that repairs a genome should change.

use crate::RowRng;
use crate::move_calls::{self, CountFn};
use crate::moves::Incremental;
use crate::problem::Problem;

/// A problem that reads the conflicts of a gene from its state, without a pass over the genome.
pub trait Conflicting: Incremental {
    /// Writes the number of conflicts of the gene at each position: 0 if it takes part in none.
    /// Conflicts are between genes, and mutual.
    fn conflicts(
        &self,
        genome: &[Self::Gene],
        state: &[Self::Number],
        positions: &[u32],
        conflicts: &mut [u32],
    );
}

/// Problem, generator, genome.
pub type Construct<P> = fn(&P, &mut RowRng, &mut [<P as Problem>::Gene]);

/// The calls of a problem that says which genes are in conflict. Fitness, or the violation of a
/// problem with constraints, should count the conflicts: a search that repairs a gene gives it the
/// value with the best genome.
#[derive(Debug)]
pub struct ConflictCalls<P: Problem> {
    pub(crate) count: CountFn<P>,
    pub(crate) construct: Option<Construct<P>>,
}

impl<P: Problem> Clone for ConflictCalls<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Problem> Copy for ConflictCalls<P> {}

impl<P: Problem> ConflictCalls<P> {
    /// Adds a call that fills a genome gene by gene: each gets the value that is in
    /// conflict with the fewest genes before it, ties broken at random.
    #[must_use]
    pub const fn constructing(self, construct: Construct<P>) -> Self {
        ConflictCalls { count: self.count, construct: Some(construct) }
    }
}

impl<P: Conflicting> ConflictCalls<P> {
    /// Calls of a problem that reads conflicts from its state. It also needs
    /// [`MOVES`](Problem::MOVES).
    #[must_use]
    pub const fn of_state() -> Self {
        ConflictCalls { count: move_calls::count::<P>, construct: None }
    }
}

/// A problem without moves that counts the conflicts of a gene in the whole genome.
pub trait ConflictingGenome: Problem {
    /// Writes the number of conflicts of the gene at each position, as
    /// [`Conflicting::conflicts`] does.
    fn conflicts(&self, genome: &[Self::Gene], positions: &[u32], conflicts: &mut [u32]);
}

impl<P: ConflictingGenome> ConflictCalls<P> {
    /// Calls of a problem that counts conflicts in the whole genome.
    #[must_use]
    pub const fn of_genome() -> Self {
        ConflictCalls {
            count: |problem, genome, _, positions, conflicts| {
                problem.conflicts(genome, positions, conflicts);
            },
            construct: None,
        }
    }
}
