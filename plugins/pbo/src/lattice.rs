//! Problems on a lattice: Ising models and queens.

/// Neighbours on a ring that are alike.
pub(crate) fn ring(genome: &[u8]) -> f64 {
    let last = genome[genome.len() - 1];
    let before = std::iter::once(&last).chain(genome);
    before.zip(genome).filter(|(one, other)| one == other).count() as f64
}

/// Neighbours to the right and below on a torus of `side` squares a side that are alike; with
/// `diagonal` also those both to the right and below (the triangular lattice).
pub(crate) fn torus(genome: &[u8], side: usize, diagonal: bool) -> f64 {
    let mut alike = 0;
    for row in 0..side {
        let below = if row + 1 == side { 0 } else { row + 1 };
        for column in 0..side {
            let right = if column + 1 == side { 0 } else { column + 1 };
            let own = genome[row * side + column];
            alike += usize::from(own == genome[below * side + column]);
            alike += usize::from(own == genome[row * side + right]);
            alike += usize::from(diagonal && own == genome[below * side + right]);
        }
    }
    alike as f64
}

/// Queens on a board, less `side` for each queen too many in a row, a column or a diagonal.
pub(crate) fn queens(genome: &[u8], side: usize) -> f64 {
    let queens: usize = genome.iter().map(|gene| usize::from(*gene)).sum();
    let mut surplus = 0;
    let mut line = |first: usize, step: usize, squares: usize| {
        let ones: usize = genome[first..]
            .iter()
            .step_by(step.max(1))
            .take(squares)
            .map(|gene| usize::from(*gene))
            .sum();
        surplus += ones.saturating_sub(1);
    };
    for start in 0..side {
        line(start * side, 1, side);
        line(start, side, side);
        // Diagonals down to the right from the top row and the left column, the main one once.
        line(start, side + 1, side - start);
        if start > 0 {
            line(start * side, side + 1, side - start);
        }
        // Down to the left from the top row and the right column. On one square there is no such
        // step.
        line(start, side.saturating_sub(1), start + 1);
        if start > 0 {
            line(start * side + side - 1, side - 1, side - start);
        }
    }
    queens as f64 - side as f64 * surplus as f64
}

/// The most queens that do not attack each other.
pub(crate) fn most_queens(side: usize) -> f64 {
    match side {
        2 => 1.0,
        3 => 2.0,
        _ => side as f64,
    }
}
