//! Clusters: values that may depend on each other.

use std::collections::BTreeMap;

/// How many times as great the variance of a sum is as if all values were independent, where those
/// of one cluster may not be; 1 at least. Each stratum is a list of clusters with their values, and
/// has its own mean; clusters of one name in different strata are one.
///
/// Source: Rao and Scott (1992), "A simple method for the analysis of clustered binary data",
/// Biometrics 48:577-585, doi:10.2307/2532311.
///
/// Weak spots: an estimate, uncertain where there are few clusters. What clusters make certain
/// rather than uncertain (a value below 1) is not used.
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
        // Opposite values make the sum certain: that is not relied on.
        let opposite: Vec<(u64, f64)> = values.iter().map(|(one, value)| (*one, -value)).collect();
        assert_eq!(cluster_factor(&[values, opposite]), 1.0);
        assert_eq!(cluster_factor::<u64>(&[Vec::new()]), 1.0);
        assert_eq!(cluster_factor(&[vec![(1, 1.0), (2, 1.0)]]), 1.0);
    }
}
