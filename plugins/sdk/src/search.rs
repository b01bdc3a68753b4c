//! User-defined algorithms: whole searches, which ask for genomes and are told their fitness.

use crate::abi::{self, runner_operator};
use crate::operator::{DeclaredOperator, Operator, Population};
use crate::search_calls as calls;
use crate::{Gene, RowRng};

/// An operator that is a whole search. The host begins a search for every trial, and for every
/// restart. It asks the search for genomes, evaluates them, and tells it their fitness, until a
/// stop rule of the experiment ends the trial.
pub trait AlgorithmOperator: Operator {
    /// State of one search on genes of kind `G`.
    type Search<G: Gene>: AskTell<G> + 'static;

    /// Begins a search. Its random numbers come from `rng` alone.
    ///
    /// # Errors
    /// A message for the user if it cannot be done: the trial then ends as failed.
    fn begin<G: Gene>(&self, rng: RowRng) -> Result<Self::Search<G>, String>;
}

/// A search that is asked for genomes and told their fitness in turn.
pub trait AskTell<G: Gene> {
    /// Adds the genomes to evaluate next, one or more in the first ask. If it adds none, the search
    /// has ended.
    ///
    /// # Errors
    /// As [`begin`](AlgorithmOperator::begin).
    fn ask(&mut self, batch: &mut Batch<'_, G>) -> Result<(), String>;

    /// Takes the fitness of all genomes of the last ask, row by row. It is not called if the budget
    /// ends within them.
    ///
    /// # Errors
    /// As [`begin`](AlgorithmOperator::begin).
    fn tell(&mut self, genomes: &[G], population: Population<'_>) -> Result<(), String>;

    /// Returns all that later genomes of the search depend on, random numbers included, so that a
    /// killed trial can continue; `None` if it must start again. It is called between a
    /// tell and the next ask. With the feature `serde`, [`RowRng`] can be part of a structure that
    /// `serde` writes and reads.
    fn state(&self) -> Option<Vec<u8>> {
        None
    }

    /// Continues the search that returned this state. It is called right after
    /// [`begin`](AlgorithmOperator::begin) with the same generator.
    ///
    /// # Errors
    /// Returns a message for the user if the state cannot be read; the trial then starts again.
    fn restore(&mut self, state: &[u8]) -> Result<(), String> {
        Err(format!("it has no `restore` for a state of {} bytes", state.len()))
    }
}

/// Genomes that a search asks for.
#[derive(Debug)]
pub struct Batch<'a, G> {
    pub(crate) genes: &'a mut [G],
    pub(crate) length: usize,
    pub(crate) rows: usize,
}

impl<G: Gene> Batch<'_, G> {
    /// Returns the maximum number of genomes per ask.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.genes.len() / self.length
    }

    /// Adds a genome and returns it, to be written whole.
    ///
    /// # Panics
    /// If the batch is full.
    pub fn add(&mut self) -> &mut [G] {
        assert!(self.rows < self.capacity(), "at most {} genomes in an ask", self.capacity());
        let row = self.rows * self.length..(self.rows + 1) * self.length;
        self.rows += 1;
        &mut self.genes[row]
    }
}

impl DeclaredOperator {
    /// An algorithm.
    #[must_use]
    pub const fn algorithm<O: AlgorithmOperator>() -> Self {
        let operator = Self::declared::<O>(abi::RUNNER_ALGORITHM);
        DeclaredOperator(runner_operator {
            begin: Some(calls::begin::<O>),
            ask: Some(calls::ask),
            tell: Some(calls::tell),
            end: Some(calls::end),
            state: Some(calls::state),
            restore: Some(calls::restore),
            ..operator
        })
    }
}
