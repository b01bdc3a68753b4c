//! Roulette wheel: rows drawn in proportion to weight, by independent draws.

#[cfg(target_arch = "x86_64")]
use super::wide_wheel::{self, Wheel};
use super::{Scratch, uniform};
use crate::random::draws::Random;
use crate::system::aligned::Aligned;
use multiversion::multiversion;
use runner_plugin::{Vectors, vectors};
use std::hint::select_unpredictable;

/// Draws rows in proportion to weight, by independent turns of a wheel. Draws uniformly if all
/// weights are 0.
///
/// If weights are similar, so that at least one uniform draw in four is accepted, rows are drawn by
/// rejection. A uniformly drawn row is accepted with probability weight / greatest weight. This
/// gives the same distribution without a search (Lipowski and Lipowska 2012,
/// doi:10.1016/j.physa.2011.12.004). Otherwise, an alias table is used.
///
/// Source: Holland (1975), "Adaptation in Natural and Artificial Systems"; the wheel: Goldberg
/// (1989), p. 11.
pub(super) fn roulette(
    weights: &[f64],
    random: &mut Random,
    scratch: &mut Scratch,
    parents: &mut [u32],
) {
    let (greatest, total) = greatest_and_total(weights);
    if total <= 0.0 {
        uniform(weights.len(), random, parents);
    } else if total * REJECTIONS >= greatest * weights.len() as f64 && (1.0 / greatest).is_finite()
    {
        reject(weights, greatest, random, &mut scratch.limits, parents);
    } else {
        alias(weights, total, random, scratch, parents);
    }
}

/// Returns the greatest weight (at least 0) and the sum.
#[multiversion(targets("x86_64+avx2"))]
fn greatest_and_total(weights: &[f64]) -> (f64, f64) {
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

/// Maximum mean number of draws per accepted draw; above it an alias table is faster.
const REJECTIONS: f64 = 4.0;

/// Draws rows with an alias table. Every row has a slot of the same width, and fills the part that
/// its weight requires. The rest of the slot goes to one row whose weight exceeds its own slot.
/// (Walker 1977, doi:10.1145/355744.355749; built in linear time: Vose 1991, doi:10.1109/32.92917.)
pub(super) fn alias(
    weights: &[f64],
    total: f64,
    random: &mut Random,
    scratch: &mut Scratch,
    parents: &mut [u32],
) {
    const WHOLE: f64 = (1u64 << 52) as f64;
    let Scratch { numbers: shares, limits, aliases, few, many, .. } = scratch;
    let (count, rows) = (weights.len(), weights.len() as u128);
    shares.clear();
    shares.extend(weights.iter().map(|weight| weight / total * count as f64));
    limits.resize(count);
    limits.fill(1 << 52);
    aliases.clear();
    aliases.extend(0..count as u32);
    few.clear();
    many.clear();
    for (row, share) in (0..).zip(shares.iter()) {
        if *share < 1.0 { few.push(row) } else { many.push(row) }
    }
    // Rounding may leave rows of either kind over. Such a row fills its slot, but the slot of a row
    // without weight goes to a heavy row.
    let heavy = many.last().copied();
    while let Some(light) = few.pop() {
        let share = shares[light as usize];
        let Some(giver) = many.last().copied().or(heavy.filter(|_| share == 0.0)) else { continue };
        limits[light as usize] = (share * WHOLE) as u64;
        aliases[light as usize] = giver;
        let left = &mut shares[giver as usize];
        *left -= 1.0 - share;
        if *left < 1.0 && !many.is_empty() {
            many.pop();
            few.push(giver);
        }
    }
    let mut rest = parents;
    while !rest.is_empty() {
        let draws = random.draws(rest.len());
        let (some, more) = rest.split_at_mut(draws.len());
        for (parent, draw) in some.iter_mut().zip(draws) {
            let product = u128::from(*draw) * rows;
            let row = (product >> 64) as usize;
            *parent = select_unpredictable(
                (product as u64 >> 12) < limits[row],
                row as u32,
                aliases[row],
            );
        }
        rest = more;
    }
}

/// Draws rows by rejection. One 64-bit draw times the number of rows gives both the row and its
/// acceptance. The whole part is the row, uniform to rows / 2^64. The fraction, also uniform,
/// decides whether the row is accepted. A rejected row is overwritten by the next, so there is no
/// branch to mispredict.
pub(super) fn reject(
    weights: &[f64],
    greatest: f64,
    random: &mut Random,
    limits: &mut Aligned<u64>,
    parents: &mut [u32],
) {
    limits.resize(weights.len());
    reject_by(Vectors::Avx512, weights, 1.0 / greatest, random, limits, parents);
}

/// Draws rows by rejection, with `most` as the upper limit of vector instructions. `scale` is the
/// factor that converts weights to probabilities. There are as many limits as weights.
#[expect(unsafe_code, reason = "not every processor can; checks of places take long")]
fn reject_by(
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
