//! Genomes: which there are, drawn and numbered.

use super::queens::RowGene;
use runner_plugin::rand::RngExt;
use runner_plugin::{RowRng, RowRngs};

/// The genomes of a board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Genomes {
    /// Genes.
    pub columns: usize,
    /// Values of a gene. If they are distinct, there are as many as genes.
    pub rows: usize,
    /// Whether no two genes have the same value.
    pub distinct: bool,
}

impl Genomes {
    pub(crate) fn is_valid<G: RowGene>(&self, board: &[G]) -> bool {
        if !self.distinct {
            return board.iter().all(|gene| gene.row() < self.rows);
        }
        let mut free = vec![true; self.rows];
        board.iter().all(|gene| free.get_mut(gene.row()).is_some_and(std::mem::take))
    }

    /// Number of genomes; 0 if their numbers do not fit u64.
    pub(crate) fn space_size(&self) -> u64 {
        (0..self.columns)
            .try_fold(1u64, |size, column| size.checked_mul(self.rows_left(column)))
            .unwrap_or(0)
    }

    /// Rows that the queen in `column` can have, given those before it.
    fn rows_left(&self, column: usize) -> u64 {
        (if self.distinct { self.rows - column } else { self.rows }) as u64
    }

    /// Writes genomes in lexicographic order: number 0 is all zeros, or 0 1 2 ….
    pub(crate) fn enumerate<G: RowGene>(&self, number: u64, board: &mut [G]) {
        let mut rest = number;
        // Digits of a mixed radix, the last gene the fastest.
        for column in (0..self.columns).rev() {
            let radix = self.rows_left(column);
            board[column] = G::from_row((rest % radix) as usize);
            rest /= radix;
        }
        if self.distinct {
            // Each digit is a place among the rows that are still free: later ones move up past it.
            for column in (0..self.columns).rev() {
                let row = board[column].row();
                for later in &mut board[column + 1..] {
                    if later.row() >= row {
                        *later = G::from_row(later.row() + 1);
                    }
                }
            }
        }
    }

    /// The inverse of [`enumerate`](Self::enumerate).
    pub(crate) fn number<G: RowGene>(&self, board: &[G]) -> Option<u64> {
        if self.space_size() == 0 || !self.is_valid(board) {
            return None;
        }
        let mut number = 0;
        for (column, gene) in board.iter().enumerate() {
            let row = gene.row();
            let digit = if self.distinct {
                board[column + 1..].iter().filter(|later| later.row() < row).count()
            } else {
                row
            };
            number = number * self.rows_left(column) + digit as u64;
        }
        Some(number)
    }

    /// Draws a genome, each with the same probability.
    pub(crate) fn sample<G: RowGene>(&self, rng: &mut RowRng, board: &mut [G]) {
        let rng = rng.stream();
        if !self.distinct {
            let rows = self.rows as u32;
            board.fill_with(|| G::from_row(rng.random_range(0..rows) as usize));
            return;
        }
        for (column, gene) in board.iter_mut().enumerate() {
            *gene = G::from_row(column);
        }
        // Fisher & Yates.
        for last in (1..board.len()).rev() {
            board.swap(last, rng.random_range(0..=last as u32) as usize);
        }
    }

    /// Draws genomes as [`sample`](Self::sample) does, one for each row.
    pub(crate) fn sample_rows<G: RowGene>(&self, rngs: &RowRngs, boards: &mut [G]) {
        if self.distinct {
            rngs.each(boards, |rng, board| self.sample(rng, board));
        } else {
            rngs.fill_below(self.rows as u32, boards);
        }
    }
}
