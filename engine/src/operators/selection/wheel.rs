//! Roulette wheel: rows drawn in proportion to weight, by independent draws.

use super::{Scratch, uniform};
use crate::operators::kernels::wheel::{greatest_and_total, reject_by};
use crate::random::draws::Random;
use crate::system::aligned::Aligned;
use runner_plugin::Vectors;
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
