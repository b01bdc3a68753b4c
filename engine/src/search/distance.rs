//! Distance of two genomes, for searches that keep a population diverse.

use crate::problem::{Gene, GeneKind};

/// Returns the distance of two genomes of equal length: Euclid's for real genes; otherwise the
/// number of positions that differ (Hamming 1950, doi:10.1002/j.1538-7305.1950.tb00463.x).
pub(super) fn distance<G: Gene>(one: &[G], other: &[G]) -> f64 {
    let pairs = one.iter().zip(other);
    if G::KIND == GeneKind::F64 {
        let squares = pairs.map(|(a, b)| (a.to_f64() - b.to_f64()) * (a.to_f64() - b.to_f64()));
        return squares.sum::<f64>().sqrt();
    }
    pairs.filter(|(a, b)| a != b).count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_definitions() {
        assert_eq!(distance::<u8>(&[1, 2, 3, 4], &[1, 3, 2, 4]), 2.0);
        assert_eq!(distance(&[0.0, 3.0, 5.0], &[4.0, 0.0, 5.0]), 5.0);
        assert_eq!(distance::<u16>(&[], &[]), 0.0);
    }
}
