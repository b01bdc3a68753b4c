//! Puzzles: boards on which some queens have their place, and some diagonals are excluded.
//!
//! Gent, Jefferson and Nightingale (2017), doi:10.1613/jair.5512. Whether a puzzle has a solution
//! is NP-complete; n queens alone have one in closed form.

use super::board::Board;
use super::given::{Given, on_lines};
use super::picture;
use super::queens::RowGene;
use runner_plugin::{Format, Parameters};

/// A board with queens, and with lines that are taken.
#[derive(Clone, Debug)]
pub(crate) struct Puzzle {
    columns: usize,
    /// Columns without a queen, ascending.
    free: Vec<u32>,
    /// The row of each value of a gene, ascending.
    rows: Vec<u32>,
    /// The row of the queen in each column; that of a free column is not used.
    placed: Vec<u32>,
    /// Lines with a queen, and excluded diagonals.
    taken: Vec<u32>,
    /// Excluded diagonals alone.
    excluded: Vec<u32>,
}

impl Puzzle {
    /// Returns the puzzle that the parameters describe; `None` if nothing is placed or excluded.
    ///
    /// # Errors
    /// If they contradict each other, or leave nothing to search for.
    pub(crate) fn read(parameters: &Parameters) -> Result<Option<Self>, String> {
        let given = Given::read(parameters)?;
        let distinct = parameters.text("encoding") == "permutation";
        Ok((!given.is_empty()).then(|| Puzzle::new(&given, distinct)))
    }

    /// `distinct`: genes have the free rows alone, each once.
    pub(crate) fn new(given: &Given, distinct: bool) -> Self {
        let n = given.columns;
        let mut placed = vec![0; n];
        let (mut free, mut rows) = (vec![true; n], vec![true; n]);
        for (column, row) in &given.queens {
            placed[*column] = *row as u32;
            free[*column] = false;
            rows[*row] = !distinct;
        }
        let listed = |free: &[bool]| (0..n as u32).filter(|place| free[*place as usize]).collect();
        Puzzle {
            columns: n,
            free: listed(&free),
            rows: listed(&rows),
            placed,
            taken: given.taken.clone(),
            excluded: given.excluded.clone(),
        }
    }
}

impl Board for Puzzle {
    #[inline]
    fn columns(&self) -> usize {
        self.columns
    }

    #[inline]
    fn genes(&self) -> usize {
        self.free.len()
    }

    #[inline]
    fn values(&self) -> usize {
        self.rows.len()
    }

    fn rows(&self) -> Vec<u32> {
        self.rows.clone()
    }

    #[inline]
    fn square(&self, position: usize, value: usize) -> (usize, usize) {
        (self.free[position] as usize, self.rows[value] as usize)
    }

    fn value_of(&self, row: usize) -> usize {
        self.rows.partition_point(|other| (*other as usize) < row)
    }

    fn taken(&self) -> Option<&[u32]> {
        Some(&self.taken)
    }

    fn render<G: RowGene>(&self, genome: &[G], format: Format) -> Option<String> {
        let mut board = self.placed.clone();
        for (position, gene) in genome.iter().enumerate() {
            let (column, row) = self.square(position, gene.row());
            board[column] = row as u32;
        }
        let n = self.columns;
        let is_excluded =
            |column, row| on_lines(n, column, row).into_iter().any(|line| self.excluded[line] > 0);
        picture::render(&board, is_excluded, format)
    }
}

#[cfg(test)]
mod tests;
