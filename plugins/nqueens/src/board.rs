//! Boards: the squares that a genome's queens can have.

use super::picture;
use super::queens::RowGene;
use runner_plugin::Format;

/// A board of as many rows as columns.
pub trait Board: Clone + Send + Sync + 'static {
    /// Columns of the board.
    fn columns(&self) -> usize;
    /// Number of genes: columns without a queen of their own.
    fn genes(&self) -> usize;
    /// Number of values of a gene.
    fn values(&self) -> usize;
    /// The row of each value of a gene, ascending.
    fn rows(&self) -> Vec<u32>;
    /// The square of a gene: its column and row.
    fn square(&self, position: usize, value: usize) -> (usize, usize);
    /// The value of a gene whose queen is in a row.
    fn value_of(&self, row: usize) -> usize;
    /// Lines that are taken before any queen of a genome, 1 each, others 0: rows, rising and
    /// falling diagonals. `None` if there can be none.
    fn taken(&self) -> Option<&[u32]>;
    /// Renders a genome with what the board has already.
    fn render<G: RowGene>(&self, genome: &[G], format: Format) -> Option<String>;
}

/// A board on which every column has a gene, and nothing is taken.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// Columns of the board.
    pub(crate) columns: usize,
}

impl Board for Whole {
    #[inline]
    fn columns(&self) -> usize {
        self.columns
    }

    #[inline]
    fn genes(&self) -> usize {
        self.columns
    }

    #[inline]
    fn values(&self) -> usize {
        self.columns
    }

    fn rows(&self) -> Vec<u32> {
        (0..self.columns as u32).collect()
    }

    #[inline]
    fn square(&self, position: usize, value: usize) -> (usize, usize) {
        (position, value)
    }

    #[inline]
    fn value_of(&self, row: usize) -> usize {
        row
    }

    #[inline]
    fn taken(&self) -> Option<&[u32]> {
        None
    }

    fn render<G: RowGene>(&self, genome: &[G], format: Format) -> Option<String> {
        picture::render(genome, |_, _| false, format)
    }
}
