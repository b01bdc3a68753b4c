//! Diversity of a population: the mean distance of its individuals.

use super::distance::distance;
use crate::problem::{Gene, GeneKind};

/// Returns the mean [`distance`] of all pairs of genomes, which have `length` genes each. `None` if
/// there are fewer than two genomes.
///
/// Morrison and De Jong (2002), doi:10.1007/3-540-46033-0_3.
pub(super) fn diversity<G: Gene>(genes: &[G], length: usize) -> Option<f64> {
    let rows = genes.len() / length.max(1);
    let pairs = pairs(rows);
    if pairs == 0 {
        return None;
    }
    let sum = match G::KIND {
        GeneKind::F64 => sum_of_distances(genes, length),
        _ => count_of_differences(genes, length) as f64,
    };
    Some(sum / pairs as f64)
}

fn pairs(rows: usize) -> usize {
    rows * rows.saturating_sub(1) / 2
}

fn sum_of_distances<G: Gene>(genes: &[G], length: usize) -> f64 {
    let mut rest = genes.chunks_exact(length);
    let mut sum = 0.0;
    while let Some(one) = rest.next() {
        sum += rest.clone().map(|other| distance(one, other)).sum::<f64>();
    }
    sum
}

/// Returns the number of positions in which a pair of genomes differs, summed over all pairs. It
/// follows from the counts of values per position, so that no pair is compared.
fn count_of_differences<G: Gene>(genes: &[G], length: usize) -> usize {
    let rows = genes.len() / length;
    let mut values: Vec<G> = Vec::with_capacity(rows);
    let differences = |position: usize| {
        values.clear();
        values.extend(genes.iter().skip(position).step_by(length));
        values.sort_unstable_by(|a, b| a.to_f64().total_cmp(&b.to_f64()));
        let alike = values.chunk_by(|a, b| a == b).map(|alike| pairs(alike.len()));
        pairs(rows) - alike.sum::<usize>()
    };
    (0..length).map(differences).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::draws::{Random, below};

    /// The distances of the pairs one by one.
    fn by_pairs<G: Gene>(genes: &[G], length: usize) -> Vec<f64> {
        let rows: Vec<&[G]> = genes.chunks(length).collect();
        let pairs = (0..rows.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        pairs.map(|(one, other)| distance(rows[one], rows[other])).collect()
    }

    #[test]
    fn diversity_is_the_mean_over_all_pairs() {
        assert_eq!(diversity::<u8>(&[0, 0, 0, 1, 1, 1], 2), Some(4.0 / 3.0));
        assert_eq!(diversity(&[0.0, 0.0, 3.0, 4.0], 2), Some(5.0));
        assert_eq!(diversity(&[7_u16; 12], 3), Some(0.0));
        assert_eq!(diversity(&[7_u16; 3], 3), None);
        assert_eq!(diversity::<f64>(&[], 3), None);
    }

    #[test]
    fn counts_per_position_are_those_of_the_pairs() {
        let mut random = Random::seed_from_u64(1);
        for rows in [2, 3, 10, 41] {
            let genes: Vec<u32> = (0..rows * 7).map(|_| below(&mut random, 5) as u32).collect();
            let all = by_pairs(&genes, 7);
            assert_eq!(diversity(&genes, 7), Some(all.iter().sum::<f64>() / all.len() as f64));
            let real: Vec<f64> = genes.iter().map(|gene| f64::from(*gene) / 3.0).collect();
            let all = by_pairs(&real, 7);
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let found = diversity(&real, 7).expect("several rows");
            assert!((found - mean).abs() < 1e-12 * mean, "{found} {mean}");
        }
    }
}
