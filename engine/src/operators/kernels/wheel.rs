//! Kernel of the roulette wheel: rows drawn by rejection.

#[cfg(target_arch = "x86_64")]
use super::wide_wheel::{self, Wheel};
use crate::random::draws::Random;
use multiversion::multiversion;
use runner_plugin::{Vectors, vectors};

/// Returns the greatest weight (at least 0) and the sum.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn greatest_and_total(weights: &[f64]) -> (f64, f64) {
    greatest_and_total_in_lanes(weights)
}

/// Computes greatest weight and sum; every version is compiled from this. It uses eight lanes at a
/// time, because successive additions depend on each other.
#[inline(always)]
fn greatest_and_total_in_lanes(weights: &[f64]) -> (f64, f64) {
    let greater = |a: f64, b: f64| if b > a { b } else { a };
    let (eights, rest) = weights.as_chunks::<8>();
    let (mut most, mut sums) = ([0.0; 8], [0.0; 8]);
    for eight in eights {
        for lane in 0..8 {
            most[lane] = greater(most[lane], eight[lane]);
            sums[lane] += eight[lane];
        }
    }
    for (lane, weight) in rest.iter().enumerate() {
        most[lane] = greater(most[lane], *weight);
        sums[lane] += weight;
    }
    (most.into_iter().fold(0.0, greater), sums.into_iter().sum())
}

/// Draws rows by rejection, with `most` as the upper limit of vector instructions. `scale` is the
/// factor that converts weights to probabilities. There are as many limits as weights.
#[expect(unsafe_code, reason = "not every processor can; checks of places take long")]
pub(crate) fn reject_by(
    most: Vectors,
    weights: &[f64],
    scale: f64,
    random: &mut Random,
    limits: &mut [u64],
    parents: &mut [u32],
) {
    match most.min(vectors()) {
        #[cfg(target_arch = "x86_64")]
        Vectors::Avx512 if limits.len() <= wide_wheel::MOST => {
            // SAFETY: the processor has these instructions.
            return unsafe { Wheel::new(weights, scale, limits).fill(random, parents) };
        }
        _ => {}
    }
    set_limits(weights, scale, limits);
    let rows = limits.len() as u128;
    let mut taken = 0;
    while taken < parents.len() {
        for draw in random.draws(parents.len() - taken) {
            let product = u128::from(*draw) * rows;
            let row = (product >> 64) as usize;
            // Bounds checks of both indices would double the time.
            // SAFETY: a draw is below 2^64, so its row is below the number of rows, which is the
            // number of limits. There are at most as many draws as missing parents, and each draw
            // fills at most one place.
            unsafe {
                *parents.get_unchecked_mut(taken) = row as u32;
                taken += usize::from((product as u64 >> 12) < *limits.get_unchecked(row));
            }
        }
    }
}

/// Sets each row's acceptance probability, times 2^52.
#[multiversion(targets("x86_64+avx2"))]
fn set_limits(weights: &[f64], scale: f64, limits: &mut [u64]) {
    set_each_limit(weights, scale, limits);
}

/// Sets the limits; every version of [`set_limits`] is compiled from this.
#[inline(always)]
fn set_each_limit(weights: &[f64], scale: f64, limits: &mut [u64]) {
    // Adding 1 puts a fraction of 52 bits into the mantissa.
    let one = 1.0f64.to_bits();
    for (limit, weight) in limits.iter_mut().zip(weights) {
        *limit = (1.0 + weight * scale).to_bits() - one;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::draws::unit;
    use rand::Rng;

    #[test]
    fn every_version_gives_the_same_bits() {
        let mut random = Random::seed_from_u64(4);
        for rows in 0..70 {
            let weights: Vec<f64> =
                (0..rows).map(|_| (60.0 * (unit(&mut random) - 0.3)).exp2().floor()).collect();
            let found = greatest_and_total(&weights);
            let plain = greatest_and_total_in_lanes(&weights);
            assert_eq!(
                (found.0.to_bits(), found.1.to_bits()),
                (plain.0.to_bits(), plain.1.to_bits())
            );
            let (mut found, mut plain) = (vec![1; rows], vec![2; rows]);
            set_limits(&weights, 1.0 / plain_greatest(&weights), &mut found);
            set_each_limit(&weights, 1.0 / plain_greatest(&weights), &mut plain);
            assert_eq!(found, plain);
        }
    }

    /// Uses weights of many kinds, including those for which a single bit decides. The numbers of
    /// parents end at various places among the draws.
    #[test]
    fn every_version_takes_the_same_rows_by_the_same_draws() {
        let mut random = Random::seed_from_u64(6);
        for rows in (1..=40).chain([63, 64, 65, 100, 127, 128, 129, 200, 255, 256, 257, 300]) {
            for round in 0..8 {
                let unit_weight = |random: &mut Random| match round {
                    0 => 1.0,
                    1 => unit(random) * 2.0f64.powi(-16),
                    2 => (unit(random) * 65536.0).floor() / 65536.0,
                    3 => (unit(random) * 2.0).floor(),
                    _ => unit(random),
                };
                let mut weights: Vec<f64> = (0..rows).map(|_| unit_weight(&mut random)).collect();
                weights[rows / 2] = 1.0;
                for count in [1, 2, 15, 16, 17, 32, 33, 100, 700] {
                    let [(expected, next), found @ ..] = Vectors::ALL.map(|most| {
                        let mut random = random.clone();
                        let (mut limits, mut parents) = (vec![9; rows], vec![u32::MAX; count]);
                        reject_by(most, &weights, 1.0, &mut random, &mut limits, &mut parents);
                        (parents, random.next_u64())
                    });
                    assert!(expected.iter().all(|row| (*row as usize) < rows));
                    for found in found {
                        assert_eq!(found, (expected.clone(), next), "{rows} {round} {count}");
                    }
                    random.next_u64();
                }
            }
        }
    }

    fn plain_greatest(weights: &[f64]) -> f64 {
        weights.iter().fold(1.0, |most, weight| most.max(*weight))
    }
}
