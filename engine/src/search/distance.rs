//! Distance of two genomes, for searches that keep a population diverse.

use crate::problem::{Bounds, Gene, GeneKind, MixedGene};
use std::sync::Arc;

/// Measure of the distance of two genomes of a problem.
#[derive(Clone, Debug, Default)]
pub(super) enum Metric {
    /// [`distance`] of the genes.
    #[default]
    Genes,
    /// Mean distance of mixed genes: Gower's (1971, doi:10.2307/2528823), from 0 to 1.
    Mixed(Arc<[MixedGene]>),
}

impl Metric {
    /// Returns the measure for genomes within these bounds.
    pub(super) fn of(bounds: &Bounds) -> Self {
        match bounds {
            Bounds::Mixed(genes) => Metric::Mixed(genes.as_slice().into()),
            _ => Metric::Genes,
        }
    }

    /// Returns the distance of two genomes of equal length.
    #[inline]
    pub(super) fn distance<G: Gene>(&self, one: &[G], other: &[G]) -> f64 {
        match self {
            Metric::Genes => distance(one, other),
            Metric::Mixed(genes) => {
                let pairs = one.iter().zip(other);
                let all = genes
                    .iter()
                    .zip(pairs)
                    .map(|(gene, (one, other))| gene.distance(one.to_f64(), other.to_f64()));
                all.sum::<f64>() / genes.len() as f64
            }
        }
    }
}

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
    use crate::problem::MixedKind;

    #[test]
    fn mixed_genes_count_by_their_kinds() {
        let gene = |kind| MixedGene { name: String::new(), kind };
        let metric = Metric::of(&Bounds::Mixed(vec![
            gene(MixedKind::Real { low: 0.0, high: 10.0 }),
            gene(MixedKind::Integer { low: 1.0, high: 5.0 }),
            gene(MixedKind::Choice(vec!["a".into(), "b".into(), "c".into()])),
            gene(MixedKind::Bit),
        ]));
        let (one, other) = ([2.0, 1.0, 0.0, 1.0], [7.0, 2.0, 2.0, 1.0]);
        assert_eq!(metric.distance(&one, &other), (0.5 + 0.25 + 1.0) / 4.0);
        assert_eq!(metric.distance(&one, &one), 0.0);
    }

    #[test]
    fn distances_are_those_of_the_definitions() {
        assert_eq!(distance::<u8>(&[1, 2, 3, 4], &[1, 3, 2, 4]), 2.0);
        assert_eq!(distance(&[0.0, 3.0, 5.0], &[4.0, 0.0, 5.0]), 5.0);
        assert_eq!(distance::<u16>(&[], &[]), 0.0);
    }
}
