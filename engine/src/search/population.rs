//! Populations: genomes and their fitness, row by row.

use super::distance::Metric;
use super::snapshot::Snapshot;
use crate::operators::kernels::minimum::minimum;
use crate::problem::{Gene, Genomes, Problem, copy_genes};
use crate::system::aligned::Aligned;
use std::marker::PhantomData;
use std::ops::Range;

/// Origin of a row that was evaluated in full.
pub(super) const NO_ORIGIN: u32 = u32::MAX;

/// Fitness and violations of evaluated rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figures<'rows> {
    pub fitness: &'rows [f64],
    /// Empty if the problem has no constraints.
    pub violations: &'rows [f64],
}

impl<'rows> Figures<'rows> {
    /// Returns the key of each row: its violation (0 without constraints) and its fitness. A lower
    /// key is better: a feasible genome before any other, then the lower violation, then the lower
    /// fitness.
    #[inline]
    pub(super) fn keys(self) -> impl Iterator<Item = (f64, f64)> + Clone + 'rows {
        let Figures { fitness, violations } = self;
        let violation = move |row| violations.get(row).copied().unwrap_or(0.0);
        fitness.iter().enumerate().map(move |(row, fitness)| (violation(row), *fitness))
    }

    /// Returns the lowest key; infinite fitness without rows.
    #[inline]
    pub(super) fn best(self) -> (f64, f64) {
        if self.violations.is_empty() {
            return (0.0, minimum(self.fitness));
        }
        self.keys()
            .fold((f64::INFINITY, f64::INFINITY), |best, key| if key < best { key } else { best })
    }

    /// Returns the greatest key.
    pub(super) fn worst(self) -> (f64, f64) {
        if self.violations.is_empty() {
            return (0.0, self.fitness.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        }
        self.keys()
            .fold((-1.0, f64::NEG_INFINITY), |worst, key| if key > worst { key } else { worst })
    }
}

/// `rows` genomes of `length` genes each, with one fitness per row.
#[derive(Clone, Default)]
pub struct Population<G> {
    genomes: Genomes,
    /// One value per row; lower is better.
    pub fitness: Aligned<f64>,
    /// One value per row, 0 for feasible rows; empty if the problem has no constraints.
    pub violations: Vec<f64>,
    /// Strength of each row's mutation; empty unless mutation adapts itself.
    pub(super) strengths: Vec<f64>,
    /// Number of the [anchor](super::anchors) that each row was evaluated from; empty without
    /// anchors.
    pub(super) origins: Vec<u32>,
    length: usize,
    metric: Metric,
    gene: PhantomData<G>,
}

/// Creates `rows` rows for genomes of a problem, not yet filled in.
pub(super) fn population_of<G: Gene>(problem: &Problem, rows: usize) -> Population<G> {
    let description = problem.description();
    let metric = Metric::of(&description.bounds);
    let (length, is_constrained) = (description.genome_length, description.has_violations);
    Population { metric, ..Population::constrained(rows, length, is_constrained) }
}

impl<G: Gene> Population<G> {
    /// Creates `rows` rows of genomes of this length, not yet filled in.
    pub fn new(rows: usize, length: usize) -> Self {
        Population {
            genomes: Genomes::new::<G>(rows * length),
            fitness: Aligned::new(rows),
            violations: Vec::new(),
            strengths: Vec::new(),
            origins: Vec::new(),
            length,
            metric: Metric::Genes,
            gene: PhantomData,
        }
    }

    /// Creates rows like [`new`](Self::new), with violations if `violations` is true.
    pub fn constrained(rows: usize, length: usize, violations: bool) -> Self {
        let violations = vec![0.0; if violations { rows } else { 0 }];
        Population { violations, ..Population::new(rows, length) }
    }

    /// Writes or reads all rows. Those that are read have no anchors.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore_genomes::<G>(&mut self.genomes);
        snapshot.save_or_restore(&mut self.violations);
        snapshot.save_or_restore(&mut self.strengths);
        if let Some(fitness) = snapshot.write_or_read::<[f64], Vec<f64>>(&self.fitness) {
            self.fitness.resize(fitness.len());
            self.fitness.copy_from_slice(&fitness);
            self.origins.clear();
            self.origins.resize(fitness.len(), NO_ORIGIN);
        }
    }

    /// Returns the number of individuals.
    pub fn rows(&self) -> usize {
        self.fitness.len()
    }

    /// Returns the number of genes per genome.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Returns the measure of the distance of two genomes.
    pub(super) fn metric(&self) -> &Metric {
        &self.metric
    }

    /// Returns all genes, `rows x length`.
    pub fn genes(&self) -> &[G] {
        self.genomes.genes()
    }

    /// Returns all genes, row by row, as mutable.
    pub fn genes_mut(&mut self) -> &mut [G] {
        self.genomes.genes_mut()
    }

    /// Returns genes, fitness and violations at once, as mutable.
    pub fn parts_mut(&mut self) -> (&mut [G], &mut [f64], &mut [f64]) {
        (self.genomes.genes_mut(), &mut self.fitness, &mut self.violations)
    }

    /// Returns the fitness and the violations of the first `rows` rows.
    pub(super) fn figures(&self, rows: usize) -> Figures<'_> {
        let violations = self.violations.get(..rows).unwrap_or_default();
        Figures { fitness: &self.fitness[..rows], violations }
    }

    /// Returns the fitness and the violation of a row; no violation without constraints.
    #[inline]
    pub(super) fn figures_of(&self, row: usize) -> (f64, f64) {
        (self.fitness[row], self.violations.get(row).copied().unwrap_or(0.0))
    }

    /// Sets the fitness and, with constraints, the violation of a row.
    pub(super) fn set_figures(&mut self, row: usize, (fitness, violation): (f64, f64)) {
        self.fitness[row] = fitness;
        if let Some(of_row) = self.violations.get_mut(row) {
            *of_row = violation;
        }
    }

    /// Returns the genes of the first rows.
    pub(super) fn first(&self, rows: usize) -> &[G] {
        &self.genomes.genes()[..rows * self.length]
    }

    /// Returns the genome of a row.
    pub fn row(&self, row: usize) -> &[G] {
        &self.genomes.genes()[row * self.length..][..self.length]
    }

    /// Returns the genome of a row as mutable.
    pub fn row_mut(&mut self, row: usize) -> &mut [G] {
        &mut self.genomes.genes_mut()[row * self.length..][..self.length]
    }

    /// Copies rows of `other` with all that belongs to them. Each pair is the
    /// destination row and the source row.
    #[inline]
    pub fn copy_pairs(&mut self, other: &Self, rows: impl Iterator<Item = (usize, usize)> + Clone) {
        for (to, from) in rows.clone() {
            copy_genes(self.row_mut(to), other.row(from));
            self.fitness[to] = other.fitness[from];
        }
        self.copy_rest(other, rows);
    }

    /// Copies strengths, violations and origins, if there are any.
    #[inline]
    fn copy_rest(&mut self, other: &Self, rows: impl Iterator<Item = (usize, usize)> + Clone) {
        if !other.strengths.is_empty() {
            self.strengths.resize(self.fitness.len(), 0.0);
            rows.clone().for_each(|(to, from)| self.strengths[to] = other.strengths[from]);
        }
        // A problem with violations has no anchors.
        if !other.violations.is_empty() {
            rows.for_each(|(to, from)| self.violations[to] = other.violations[from]);
        } else if !other.origins.is_empty() {
            self.origins.resize(self.fitness.len(), 0);
            rows.for_each(|(to, from)| self.origins[to] = other.origins[from]);
        }
    }

    /// Copies consecutive rows of `other` with all that belongs to them. The copies replace the
    /// rows from `to` on.
    pub fn copy_rows(&mut self, to: usize, other: &Self, from: Range<usize>) {
        let length = self.length;
        let rows = from.len();
        let genes = &other.genes()[from.start * length..from.end * length];
        self.genes_mut()[to * length..][..genes.len()].copy_from_slice(genes);
        self.fitness[to..][..rows].copy_from_slice(&other.fitness[from.clone()]);
        self.copy_rest(other, (to..).zip(from));
    }
}
