//! Searches of plugins' algorithms: the safe handle of a search that an algorithm began.

use super::answer;
use super::host::{Rows, SearchInstance};
use super::{CallError, Description, Gene};
use bytemuck::cast_slice_mut;

/// Maximum number of genomes in an ask.
const MOST_ROWS: usize = 1 << 14;
/// Maximum bytes of genes in an ask, unless a single genome has more.
const MOST_BYTES: usize = 1 << 24;

/// Search of a plugin's algorithm, for one trial or one run of it. It is asked and told in turn.
/// Every genome is checked.
pub struct PluginSearch<'a> {
    /// Names of the plugin and of the algorithm.
    names: (&'a str, &'a str),
    problem: &'a Description,
    search: Box<dyn SearchInstance + 'a>,
    /// Bytes of the last ask's genomes.
    asked: Vec<u8>,
    /// Whether the next ask is the first.
    is_first: bool,
}

impl<'a> PluginSearch<'a> {
    pub(super) fn new(
        names: (&'a str, &'a str),
        problem: &'a Description,
        search: Box<dyn SearchInstance + 'a>,
    ) -> Self {
        PluginSearch { names, problem, search, asked: Vec::new(), is_first: true }
    }

    #[cold]
    fn error(&self, call: &'static str, message: &str) -> CallError {
        CallError::of_operator(self.names, call, message)
    }

    /// Returns the maximum number of genomes in an ask, for genomes of `row` bytes.
    fn capacity(row: usize) -> usize {
        (MOST_BYTES / row.max(1)).clamp(1, MOST_ROWS)
    }

    /// Asks for the next genomes and returns their number. 0 means that the search has come to its
    /// end.
    ///
    /// # Errors
    /// Returns an error if the plugin fails, asks for too many genomes, or for none in its first
    /// ask.
    pub fn ask(&mut self) -> Result<usize, CallError> {
        let row = self.problem.genome_length * self.problem.gene.size();
        self.asked.clear();
        let asked = self.search.ask(PluginSearch::capacity(row), &mut self.asked);
        asked.map_err(|message| self.error("ask", &message))?;
        if self.asked.is_empty() && self.is_first {
            return Err(self.error("ask", "the first ask gave no genome"));
        }
        self.is_first = false;
        Ok(self.asked.len() / row)
    }

    /// Writes the genomes of the last ask.
    ///
    /// # Errors
    /// Returns an error if genes violate the encoding.
    ///
    /// # Panics
    /// Panics if `genes` is not as long as the genomes. This is a bug in the caller.
    pub fn genomes<G: Gene>(&self, genes: &mut [G]) -> Result<(), CallError> {
        cast_slice_mut(genes).copy_from_slice(&self.asked);
        answer::check_genes(self.problem, genes).map_err(|message| self.error("ask", &message))
    }

    /// Tells the search the fitness of the genomes of the last ask. `violations` is present if the
    /// problem has constraints.
    ///
    /// # Errors
    /// Returns an error if the plugin fails.
    pub fn tell<G: Gene>(
        &mut self,
        genomes: &[G],
        fitness: &[f64],
        violations: Option<&[f64]>,
    ) -> Result<(), CallError> {
        let told = self.search.tell(Rows::of(genomes), fitness, violations);
        told.map_err(|message| self.error("tell", &message))
    }

    /// Returns all that later asks depend on, between a tell and the next ask; `None` if the search
    /// has no state that could be written.
    ///
    /// # Errors
    /// Returns an error if the plugin fails.
    pub fn state(&mut self) -> Result<Option<Vec<u8>>, CallError> {
        let state = self.search.state();
        state.map_err(|message| self.error("state", &message))
    }

    /// Gives this search, which has just begun, the state of a search that began with the same
    /// seed.
    ///
    /// # Errors
    /// Returns an error if the plugin fails.
    pub fn restore(&mut self, state: &[u8]) -> Result<(), CallError> {
        let restored = self.search.restore(state);
        restored.map_err(|message| self.error("restore", &message))?;
        self.is_first = false;
        Ok(())
    }
}
