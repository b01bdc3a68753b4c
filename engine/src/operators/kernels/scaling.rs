//! Kernel of a scaling: the weights of all rows at once.

use multiversion::multiversion;

/// Maximum weight. The sum of 2^32 such weights is still finite, and no population has more rows.
pub(crate) const GREATEST: f64 = 1e290;

/// Clamps a weight to the range of weights.
#[inline]
pub(crate) fn weighed(weight: f64) -> f64 {
    weight.clamp(0.0, GREATEST)
}

/// Writes the weight `worst - f`, and 0 if f is greater than `worst`.
///
/// Source: the windowing of Goldberg (1989), "Genetic Algorithms in Search, Optimization and
/// Machine Learning", p. 75, with a fixed `worst`.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
pub(crate) fn complement(fitness: &[f64], worst: f64, weights: &mut [f64]) {
    complement_each(fitness, worst, weights);
}

/// Computes the complement; every version of [`complement`] is compiled from this.
#[inline(always)]
pub(crate) fn complement_each(fitness: &[f64], worst: f64, weights: &mut [f64]) {
    for (weight, value) in weights.iter_mut().zip(fitness) {
        *weight = weighed(worst - value);
    }
}
