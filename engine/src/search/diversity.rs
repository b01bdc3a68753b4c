//! Diversity of a population: the mean distance of its individuals.

use super::distance::Metric;
use crate::problem::{Gene, GeneKind, Genome};

/// Maximum number of values of a gene for which they are counted.
const COUNTED: usize = 1 << 16;

/// Returns the mean [distance](Metric::distance) of all pairs of genomes, which have `length` genes
/// each. `None` if there are fewer than two genomes.
///
/// Morrison and De Jong (2002), doi:10.1007/3-540-46033-0_3.
pub(super) fn diversity<G: Gene>(genes: &[G], length: usize, metric: &Metric) -> Option<f64> {
    let rows = genes.len() / length.max(1);
    let pairs = pairs(rows);
    if pairs == 0 {
        return None;
    }
    let values = genes.iter().map(|gene| gene.to_index()).max().map_or(0, |most| most + 1);
    let sum = match G::KIND != GeneKind::F64 && values <= COUNTED {
        true => count_of_differences(genes, length, values) as f64,
        false => sum_of_distances(genes, length, metric),
    };
    Some(sum / pairs as f64)
}

/// Returns the diversity of a population of recorded genomes, as `stop.diversity` measures it.
/// Records do not have the kinds of mixed genes, which count as real numbers here. `None` if there
/// are fewer than two genomes, or if not all are of one kind and length.
#[must_use]
pub fn diversity_of(genomes: &[&Genome]) -> Option<f64> {
    /// Joins the genes of genomes that are all of this variant.
    macro_rules! joined {
        ($variant:ident, $length:expr) => {{
            let mut genes = Vec::new();
            for genome in genomes {
                let Genome::$variant(row) = genome else { return None };
                genes.extend_from_slice((row.len() == $length).then_some(row)?);
            }
            diversity(&genes, $length, &Metric::Genes)
        }};
    }
    let first = genomes.first()?;
    let length = first.length();
    match first {
        Genome::U8(_) => joined!(U8, length),
        Genome::U16(_) => joined!(U16, length),
        Genome::U32(_) => joined!(U32, length),
        Genome::F64(_) => joined!(F64, length),
    }
}

fn pairs(rows: usize) -> usize {
    rows * rows.saturating_sub(1) / 2
}

fn sum_of_distances<G: Gene>(genes: &[G], length: usize, metric: &Metric) -> f64 {
    let mut rest = genes.chunks_exact(length);
    let mut sum = 0.0;
    while let Some(one) = rest.next() {
        sum += rest.clone().map(|other| metric.distance(one, other)).sum::<f64>();
    }
    sum
}

/// Returns the number of positions in which a pair of genomes differs, summed over all pairs. It
/// follows from the counts of values per position, so that no pair is compared. Genes are below
/// `values`.
fn count_of_differences<G: Gene>(genes: &[G], length: usize, values: usize) -> usize {
    let mut counts = vec![0_usize; values];
    let mut alike = 0;
    for position in 0..length {
        let column = || genes[position..].iter().step_by(length).map(|gene| gene.to_index());
        for value in column() {
            // A pair with each earlier genome of this value.
            alike += counts[value];
            counts[value] += 1;
        }
        column().for_each(|value| counts[value] = 0);
    }
    pairs(genes.len() / length) * length - alike
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::draws::{Random, below};
    use crate::search::distance::distance;

    /// The distances of the pairs one by one.
    fn by_pairs<G: Gene>(genes: &[G], length: usize) -> Vec<f64> {
        let rows: Vec<&[G]> = genes.chunks(length).collect();
        let pairs = (0..rows.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        pairs.map(|(one, other)| distance(rows[one], rows[other])).collect()
    }

    #[test]
    fn diversity_is_the_mean_over_all_pairs() {
        assert_eq!(diversity::<u8>(&[0, 0, 0, 1, 1, 1], 2, &Metric::Genes), Some(4.0 / 3.0));
        assert_eq!(diversity(&[0.0, 0.0, 3.0, 4.0], 2, &Metric::Genes), Some(5.0));
        assert_eq!(diversity(&[7_u16; 12], 3, &Metric::Genes), Some(0.0));
        assert_eq!(diversity(&[7_u16; 3], 3, &Metric::Genes), None);
        assert_eq!(diversity::<f64>(&[], 3, &Metric::Genes), None);
    }

    #[test]
    fn recorded_genomes_have_the_diversity_of_their_genes() {
        let bits = [vec![0, 0], vec![0, 1], vec![1, 1]].map(Genome::U8);
        assert_eq!(diversity_of(&bits.iter().collect::<Vec<_>>()), Some(4.0 / 3.0));
        assert_eq!(diversity_of(&[&bits[0]]), None);
        let others = [Genome::U16(vec![0, 0]), Genome::U8(vec![0; 3])];
        others.iter().for_each(|other| assert_eq!(diversity_of(&[&bits[0], other]), None));
    }

    #[test]
    fn counts_per_position_are_those_of_the_pairs() {
        let mut random = Random::seed_from_u64(1);
        for rows in [2, 3, 10, 41] {
            let genes: Vec<u32> = (0..rows * 7).map(|_| below(&mut random, 5) as u32).collect();
            let all = by_pairs(&genes, 7);
            let mean = Some(all.iter().sum::<f64>() / all.len() as f64);
            assert_eq!(diversity(&genes, 7, &Metric::Genes), mean);
            // Values that are too many to count have the same pairs.
            let large: Vec<u32> = genes.iter().map(|gene| gene * 1_000_000_000).collect();
            assert_eq!(diversity(&large, 7, &Metric::Genes), mean);
            let real: Vec<f64> = genes.iter().map(|gene| f64::from(*gene) / 3.0).collect();
            let all = by_pairs(&real, 7);
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let found = diversity(&real, 7, &Metric::Genes).expect("several rows");
            assert!((found - mean).abs() < 1e-12 * mean, "{found} {mean}");
        }
    }
}
