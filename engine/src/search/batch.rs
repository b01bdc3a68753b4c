//! Batches: rows that are evaluated together.

use super::population::Population;
use crate::problem::{CallError, Gene, Problem};
use std::mem::take;
use std::ops::Range;

/// Rows to evaluate, and the destination of their fitness and violations.
pub(super) struct Batch<'rows, G> {
    pub genes: &'rows [G],
    pub fitness: &'rows mut [f64],
    /// Empty if the problem has no constraints.
    pub violations: &'rows mut [f64],
    /// Seed of the noise and number of the first row's evaluation; `None` if the fitness is to have
    /// no noise.
    draws: Option<(&'rows [u8; 32], u64)>,
}

impl<'rows, G: Gene> Batch<'rows, G> {
    /// Returns the first rows of a population.
    #[inline]
    pub(super) fn first(population: &'rows mut Population<G>, rows: usize) -> Self {
        let length = population.length();
        let (genes, fitness, violations) = population.parts_mut();
        let violated = rows.min(violations.len());
        Batch {
            genes: &genes[..rows * length],
            fitness: &mut fitness[..rows],
            violations: &mut violations[..violated],
            draws: None,
        }
    }

    /// Creates a batch of a problem without constraints.
    pub(super) fn new(
        genes: &'rows [G],
        fitness: &'rows mut [f64],
        draws: Option<(&'rows [u8; 32], u64)>,
    ) -> Self {
        Batch { genes, fitness, violations: &mut [], draws }
    }

    pub(super) fn rows(&self) -> usize {
        self.fitness.len()
    }

    /// Evaluates all rows in one call of the plugin.
    ///
    /// # Errors
    /// If [`Problem::evaluate`] fails, or with noise [`Problem::evaluate_noisy`], or with
    /// constraints [`Problem::evaluate_constrained`].
    #[inline]
    pub(super) fn evaluate(&mut self, problem: &Problem) -> Result<(), CallError> {
        if let Some((seed, first)) = self.draws {
            return problem.evaluate_noisy(seed, first, self.genes, self.fitness);
        }
        // The length of `violations` cannot decide: with a spent budget it is 0 for every problem.
        if problem.description().has_violations {
            problem.evaluate_constrained(self.genes, self.fitness, self.violations)
        } else {
            problem.evaluate(self.genes, self.fitness)
        }
    }

    /// Returns some of the rows.
    pub(super) fn range(&mut self, rows: Range<usize>) -> Batch<'_, G> {
        let length = self.genes.len() / self.rows().max(1);
        let genes = &self.genes[rows.start * length..rows.end * length];
        let violations = if self.violations.is_empty() { 0..0 } else { rows.clone() };
        let draws = self.draws.map(|(seed, first)| (seed, first + rows.start as u64));
        let (fitness, violations) = (&mut self.fitness[rows], &mut self.violations[violations]);
        Batch { genes, fitness, violations, draws }
    }

    /// Returns the same rows.
    pub(super) fn again(&mut self) -> Batch<'_, G> {
        let Batch { genes, draws, .. } = *self;
        Batch { genes, fitness: self.fitness, violations: self.violations, draws }
    }

    /// Removes the first rows, at most `rows`, and returns them.
    pub(super) fn take(&mut self, rows: usize) -> Batch<'rows, G> {
        let rows = rows.min(self.rows());
        let length = self.genes.len() / self.rows().max(1);
        let (genes, rest) = self.genes.split_at(rows * length);
        self.genes = rest;
        let draws = self.draws;
        self.draws = draws.map(|(seed, first)| (seed, first + rows as u64));
        let first = |figures: &mut &'rows mut [f64]| {
            let there = rows.min(figures.len());
            let (first, rest) = take(figures).split_at_mut(there);
            *figures = rest;
            first
        };
        let (fitness, violations) = (first(&mut self.fitness), first(&mut self.violations));
        Batch { genes, fitness, violations, draws }
    }
}
