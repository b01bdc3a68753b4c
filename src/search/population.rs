//! Populations: genomes and their fitness, row by row.

use crate::problem::{Gene, Genomes, copy_genes};
use std::marker::PhantomData;
use std::ops::Range;

/// `rows` genomes of `length` genes each, with one fitness per row.
#[derive(Clone, Default)]
pub struct Population<G> {
    genomes: Genomes,
    /// One value per row; lower is better.
    pub fitness: Vec<f64>,
    length: usize,
    gene: PhantomData<G>,
}

impl<G: Gene> Population<G> {
    /// So many rows of genomes of this length, not yet filled in.
    pub fn new(rows: usize, length: usize) -> Self {
        Population {
            genomes: Genomes::new::<G>(rows * length),
            fitness: vec![0.0; rows],
            length,
            gene: PhantomData,
        }
    }

    /// How many individuals it has.
    pub fn rows(&self) -> usize {
        self.fitness.len()
    }

    /// Genes per genome.
    pub fn length(&self) -> usize {
        self.length
    }

    /// All genes, `rows x length`.
    pub fn genes(&self) -> &[G] {
        self.genomes.genes()
    }

    /// All genes, row by row.
    pub fn genes_mut(&mut self) -> &mut [G] {
        self.genomes.genes_mut()
    }

    /// Genes and fitness at once.
    pub fn parts_mut(&mut self) -> (&mut [G], &mut [f64]) {
        (self.genomes.genes_mut(), &mut self.fitness)
    }

    /// The genome of a row.
    pub fn row(&self, row: usize) -> &[G] {
        &self.genomes.genes()[row * self.length..][..self.length]
    }

    /// The genome of a row, to be changed.
    pub fn row_mut(&mut self, row: usize) -> &mut [G] {
        &mut self.genomes.genes_mut()[row * self.length..][..self.length]
    }

    /// Copies row `from` of `other`, with its fitness, over row `to`.
    pub fn copy_row(&mut self, to: usize, other: &Self, from: usize) {
        copy_genes(self.row_mut(to), other.row(from));
        self.fitness[to] = other.fitness[from];
    }

    /// Copies consecutive rows of `other`, with their fitness, over the rows from `to` on.
    pub fn copy_rows(&mut self, to: usize, other: &Self, from: Range<usize>) {
        let length = self.length;
        let rows = from.len();
        let genes = &other.genes()[from.start * length..from.end * length];
        self.genes_mut()[to * length..][..genes.len()].copy_from_slice(genes);
        self.fitness[to..][..rows].copy_from_slice(&other.fitness[from]);
    }
}
