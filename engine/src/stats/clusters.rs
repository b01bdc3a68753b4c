//! Variance of sums of clustered values.

use std::collections::BTreeMap;

/// Returns the design effect: the variance of a sum of clustered values relative to the variance of
/// a sum of independent values. It is at least 1. Each stratum is a list of values with their
/// clusters, and has its own mean. Clusters with the same name in different strata are the same
/// cluster.
///
/// Source: Rao and Scott (1992), "A simple method for the analysis of clustered binary data",
/// Biometrics 48:577-585, doi:10.2307/2532311.
///
/// Limitations: an estimate, uncertain if there are few clusters. A design effect below 1 is raised
/// to 1.
#[must_use]
pub fn cluster_factor<K: Ord + Copy>(strata: &[Vec<(K, f64)>]) -> f64 {
    let mut sums: BTreeMap<K, f64> = BTreeMap::new();
    let mut alone = 0.0;
    for stratum in strata {
        let mean =
            stratum.iter().map(|(_, value)| value).sum::<f64>() / stratum.len().max(1) as f64;
        for (cluster, value) in stratum {
            *sums.entry(*cluster).or_default() += value - mean;
            alone += (value - mean) * (value - mean);
        }
    }
    let together: f64 = sums.values().map(|sum| sum * sum).sum();
    if alone > 0.0 { (together / alone).max(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_count_once_and_independent_values_in_full() {
        let values: Vec<(u64, f64)> =
            (0..12).map(|trial| (trial, f64::from(trial as u8 % 3) - 1.0)).collect();
        let copies = vec![values.clone(); 4];
        assert!((cluster_factor(&copies) - 4.0).abs() < 1e-12);
        assert_eq!(cluster_factor(std::slice::from_ref(&values)), 1.0);
        // Opposite values cancel in the sum, but the design effect is not reduced below 1.
        let opposite: Vec<(u64, f64)> = values.iter().map(|(one, value)| (*one, -value)).collect();
        assert_eq!(cluster_factor(&[values, opposite]), 1.0);
        assert_eq!(cluster_factor::<u64>(&[Vec::new()]), 1.0);
        assert_eq!(cluster_factor(&[vec![(1, 1.0), (2, 1.0)]]), 1.0);
    }
}
