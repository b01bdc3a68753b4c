//! Selections: which rows of the population become parents. Each fills `parents`; consecutive pairs
//! mate.

use super::Order;
use crate::random::draws::{Random, below_each, shuffle, unit};
use std::hint::select_unpredictable;

/// Buffers that selections reuse.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Cumulative weights, or fitness times noise.
    numbers: Vec<f64>,
    /// Chances of rows that are drawn to be taken, times 2^52.
    limits: Vec<u64>,
    /// Rivals of tournaments.
    rivals: Vec<u32>,
    /// In a table of aliases: for each row, who has the rest of its place; and the rows that have
    /// room or too much.
    aliases: Vec<u32>,
    few: Vec<u32>,
    many: Vec<u32>,
    order: Order,
}

/// In proportion to weight, by independent turns of a wheel; uniformly where all weights are 0.
///
/// Where weights lie close together, so that at least one uniform draw in four would be taken, rows
/// are drawn uniformly and taken with probability weight / greatest weight, which comes to the same
/// and needs no search (Lipowski and Lipowska 2012, doi:10.1016/j.physa.2011.12.004). Otherwise a
/// table of aliases is made.
///
/// Source: Holland (1975), "Adaptation in Natural and Artificial Systems"; the wheel: Goldberg
/// (1989), p. 11.
pub fn roulette(weights: &[f64], random: &mut Random, scratch: &mut Scratch, parents: &mut [u32]) {
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

/// The greatest weight (at least 0) and the sum, eight lanes at a time: additions wait for each
/// other.
fn greatest_and_total(weights: &[f64]) -> (f64, f64) {
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

/// Draws for one that is taken, at most, on average; beyond it a table is quicker.
const REJECTIONS: f64 = 4.0;

/// The wheel, by a table of aliases: every row has a place of the same width, of which it fills as
/// much as its weight asks for; the rest goes to one row that weighs more than its place holds
/// (Walker 1977, doi:10.1145/355744.355749; made in linear time: Vose 1991, doi:10.1109/32.92917).
fn alias(
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
    limits.clear();
    limits.resize(count, 1 << 52);
    aliases.clear();
    aliases.extend(0..count as u32);
    few.clear();
    many.clear();
    for (row, share) in (0..).zip(shares.iter()) {
        if *share < 1.0 { few.push(row) } else { many.push(row) }
    }
    // Rounding may leave rows of either kind over: those fill their places, but a row without
    // weight has none.
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

/// The wheel, by rejection. One draw of 64 bits times the number of rows is both: its whole part is
/// the row, uniform to rows / 2^64, and its fraction, uniform again, decides whether the row is
/// taken. A row that is not is overwritten by the next: there is no branch that could be
/// mispredicted.
fn reject(
    weights: &[f64],
    greatest: f64,
    random: &mut Random,
    limits: &mut Vec<u64>,
    parents: &mut [u32],
) {
    // Fractions of 52 bits: adding 1 puts them into the mantissa.
    let (scale, one) = (1.0 / greatest, 1.0f64.to_bits());
    limits.clear();
    limits.extend(weights.iter().map(|weight| (1.0 + weight * scale).to_bits() - one));
    let (limits, rows) = (&limits[..], weights.len() as u128);
    let mut taken = 0;
    while taken < parents.len() {
        for draw in random.draws(parents.len() - taken) {
            let product = u128::from(*draw) * rows;
            let row = (product >> 64) as usize;
            parents[taken] = row as u32;
            taken += usize::from((product as u64 >> 12) < limits[row]);
        }
    }
}

/// In proportion to weight, by evenly spaced pointers on one turn of the wheel, then shuffled so
/// that mates are random: each row is drawn its expected number of times, rounded down or up.
///
/// Source: Baker (1987), "Reducing bias and inefficiency in the selection algorithm", ICGA 2, pp.
/// 14-21.
pub fn sus(weights: &[f64], random: &mut Random, scratch: &mut Scratch, parents: &mut [u32]) {
    let total = accumulate(weights, &mut scratch.numbers);
    if total <= 0.0 {
        return uniform(weights.len(), random, parents);
    }
    let step = total / parents.len() as f64;
    let start = unit(random);
    for (place, parent) in parents.iter_mut().enumerate() {
        *parent = find(&scratch.numbers, (start + place as f64) * step);
    }
    shuffle(parents, random);
}

/// The fittest of `size` uniform draws with replacement; of equals the first drawn.
///
/// Source: Goldberg and Deb (1991), "A comparative analysis of selection schemes used in genetic
/// algorithms", FOGA 1, doi:10.1016/B978-0-08-050684-5.50008-2.
pub fn tournament(
    fitness: &[f64],
    size: usize,
    random: &mut Random,
    scratch: &mut Scratch,
    parents: &mut [u32],
) {
    // Some parents at a time, so that their rivals stay at hand.
    let some = (TOURNAMENT_DRAWS / size).max(1);
    scratch.rivals.resize(some * size, 0);
    for parents in parents.chunks_mut(some) {
        let rivals = &mut scratch.rivals[..parents.len() * size];
        below_each(random, fitness.len(), rivals);
        for (parent, rivals) in parents.iter_mut().zip(rivals.chunks_exact(size)) {
            let (mut best, mut least) = (rivals[0], fitness[rivals[0] as usize]);
            for rival in &rivals[1..] {
                let found = fitness[*rival as usize];
                best = select_unpredictable(found < least, *rival, best);
                least = select_unpredictable(found < least, found, least);
            }
            *parent = best;
        }
    }
}

/// Rivals that are drawn at a time.
const TOURNAMENT_DRAWS: usize = 512;

/// Uniformly among the `count` fittest; which of equals are among them is drawn by lot.
///
/// Source: Mühlenbein and Schlierkamp-Voosen (1993), "Predictive models for the breeder genetic
/// algorithm", doi:10.1162/evco.1993.1.1.25.
pub fn truncation(
    fitness: &[f64],
    count: usize,
    random: &mut Random,
    scratch: &mut Scratch,
    parents: &mut [u32],
) {
    let best = super::replacement::best(fitness, count, random, &mut scratch.order);
    below_each(random, count, parents);
    parents.iter_mut().for_each(|parent| *parent = best[*parent as usize]);
}

/// Uniformly among all rows.
pub fn uniform(rows: usize, random: &mut Random, parents: &mut [u32]) {
    below_each(random, rows, parents);
}

/// Noisy ranking: each row gets a fresh uniform number in [0, 1), and the order of fitness times
/// that number is the order of the parents, so that neighbours mate; rows of fitness 0 come first,
/// in random order. Where more parents are asked for than there are rows, a new round begins. For
/// fitness of at least 0; infinity counts as the greatest finite number. (Ranking by fitness before
/// the numbers are handed out, as the source does, changes nothing: every row gets one.)
///
/// Source: Baljicki and Milović, "Fischer random chess (Chess960)", which calls it roulette.
pub fn noisy_rank(
    fitness: &[f64],
    random: &mut Random,
    scratch: &mut Scratch,
    parents: &mut [u32],
) {
    let Scratch { numbers, order, .. } = scratch;
    for round in parents.chunks_mut(fitness.len()) {
        numbers.clear();
        numbers.extend(fitness.iter().map(|value| {
            let noise = unit(random);
            // All products with 0 are equal: the noise itself orders them, below all others. What
            // rounding leaves below an ideal of 0 is one.
            if *value <= 0.0 { noise - 1.0 } else { value.min(f64::MAX) * noise }
        }));
        round.copy_from_slice(&order.all(numbers)[..round.len()]);
    }
}

/// Running sums of the weights; returns the last, the total.
fn accumulate(weights: &[f64], sums: &mut Vec<f64>) -> f64 {
    sums.clear();
    let mut total = 0.0;
    sums.extend(weights.iter().map(|weight| {
        total += weight;
        total
    }));
    total
}

/// The first row whose running sum exceeds `point`: a row of weight 0 is never found. The search
/// halves without branches, since a branch would be mispredicted half of the time.
#[inline]
fn find(sums: &[f64], point: f64) -> u32 {
    let (mut base, mut size) = (0usize, sums.len());
    while size > 1 {
        let half = size / 2;
        base = select_unpredictable(sums[base + half - 1] <= point, base + half, base);
        size -= half;
    }
    // Rounding can take the point to the total itself: then the last row that has weight is meant.
    let mut row = base;
    while row > 0 && sums[row] == sums[row - 1] {
        row -= 1;
    }
    row as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::draws::below;

    /// Shares of the rows among 200,000 parents.
    fn shares(rows: usize, mut select: impl FnMut(&mut Random, &mut [u32])) -> Vec<f64> {
        let mut random = Random::seed_from_u64(7);
        let mut counts = vec![0.0; rows];
        let mut parents = [0; 100];
        for _ in 0..2_000 {
            select(&mut random, &mut parents);
            parents.iter().for_each(|row| counts[*row as usize] += 1.0 / 200_000.0);
        }
        counts
    }

    /// Within 5 standard deviations of a binomial share of 200,000: a false alarm in 6e-7 for each
    /// share.
    fn assert_shares(found: &[f64], expected: &[f64]) {
        for (found, expected) in found.iter().zip(expected) {
            let deviation = (expected * (1.0 - expected) / 200_000.0).sqrt();
            assert!(
                (found - expected).abs() <= 5.0 * deviation + 1e-12,
                "{found} is not {expected}"
            );
        }
    }

    #[test]
    fn wheels_select_in_proportion_to_weight() {
        let weights = [0.0, 1.0, 2.0, 0.0, 5.0, 0.0];
        let expected = [0.0, 0.125, 0.25, 0.0, 0.625, 0.0];
        let mut scratch = Scratch::default();
        assert_shares(
            &shares(6, |random, parents| roulette(&weights, random, &mut scratch, parents)),
            &expected,
        );
        assert_shares(
            &shares(6, |random, parents| sus(&weights, random, &mut scratch, parents)),
            &expected,
        );
    }

    /// The wheel the plain way, by running sums and a search.
    fn turn(weights: &[f64], random: &mut Random, sums: &mut Vec<f64>, parents: &mut [u32]) {
        let total = accumulate(weights, sums);
        parents.iter_mut().for_each(|parent| *parent = find(sums, unit(random) * total));
    }

    #[test]
    fn rejection_aliases_and_search_turn_the_same_wheel() {
        let mut sums = Vec::new();
        let mut scratch = Scratch::default();
        for weights in
            [[3.0, 4.0, 2.5, 0.0, 4.0, 2.0], [0.0, 0.0, 90.0, 1.0, 0.5, 8.5], [1.0; 6], [0.1; 6]]
        {
            let total: f64 = weights.iter().sum();
            let greatest = weights.iter().fold(0.0, |a: f64, b| a.max(*b));
            let expected = weights.map(|weight| weight / total);
            assert_shares(
                &shares(6, |random, parents| turn(&weights, random, &mut sums, parents)),
                &expected,
            );
            let rejected = shares(6, |random, parents| {
                reject(&weights, greatest, random, &mut scratch.limits, parents)
            });
            assert_shares(&rejected, &expected);
            let aliased =
                shares(6, |random, parents| alias(&weights, total, random, &mut scratch, parents));
            assert_shares(&aliased, &expected);
        }
    }

    #[test]
    fn tables_of_aliases_hold_each_weight_to_rounding() {
        // What every row gets, read off the table: exact but for the 52 bits of the limits.
        let mut random = Random::seed_from_u64(11);
        let mut scratch = Scratch::default();
        for rows in 1..200 {
            let weights: Vec<f64> = (0..rows)
                .map(|_| [0.0, 1.0, unit(&mut random), 1e-9, 50.0][below(&mut random, 5)])
                .collect();
            let total: f64 = weights.iter().sum();
            if total <= 0.0 {
                continue;
            }
            alias(&weights, total, &mut random, &mut scratch, &mut []);
            let mut found = vec![0.0; rows];
            for row in 0..rows {
                let share = scratch.limits[row] as f64 / (1u64 << 52) as f64;
                found[row] += share;
                found[scratch.aliases[row] as usize] += 1.0 - share;
            }
            for (found, weight) in found.iter().zip(&weights) {
                assert!(
                    (found / rows as f64 - weight / total).abs() < 1e-14,
                    "{found} of {weights:?}"
                );
                assert!(*weight > 0.0 || *found == 0.0, "a row without weight has {found}");
            }
        }
    }

    #[test]
    fn sus_draws_each_row_its_expected_number_of_times() {
        let mut random = Random::seed_from_u64(8);
        let mut parents = [0; 16];
        sus(&[1.0, 2.0, 5.0], &mut random, &mut Scratch::default(), &mut parents);
        let count = |row| parents.iter().filter(|parent| **parent == row).count();
        assert_eq!([count(0), count(1), count(2)], [2, 4, 10]);
    }

    #[test]
    fn wheels_without_weight_are_uniform() {
        let mut scratch = Scratch::default();
        assert_shares(
            &shares(4, |random, parents| roulette(&[0.0; 4], random, &mut scratch, parents)),
            &[0.25; 4],
        );
    }

    #[test]
    fn the_branch_free_search_agrees_with_the_plain_one() {
        let mut random = Random::seed_from_u64(9);
        for rows in 1..40 {
            let weights: Vec<f64> = (0..rows).map(|_| below(&mut random, 3) as f64).collect();
            let mut sums = Vec::new();
            let total = accumulate(&weights, &mut sums);
            for _ in 0..100 {
                let point = unit(&mut random) * total;
                if let Some(plain) = sums.iter().position(|sum| *sum > point) {
                    assert_eq!(find(&sums, point), plain as u32, "{sums:?} at {point}");
                }
            }
            if total > 0.0 {
                assert!(weights[find(&sums, total) as usize] > 0.0, "{sums:?}");
            }
        }
    }

    #[test]
    fn tournaments_have_their_known_probabilities() {
        // Rank i of 4 (best first) wins a tournament of 3 with probability ((4 - i)^3 - (3 - i)^3)
        // / 4^3.
        let fitness = [3.0, 0.0, 2.0, 1.0];
        let expected = [1.0 / 64.0, 37.0 / 64.0, 7.0 / 64.0, 19.0 / 64.0];
        assert_shares(
            &shares(4, |random, parents| {
                tournament(&fitness, 3, random, &mut Scratch::default(), parents)
            }),
            &expected,
        );
    }

    #[test]
    fn truncation_keeps_to_the_best() {
        let fitness = [3.0, 0.0, 2.0, 1.0];
        let mut scratch = Scratch::default();
        let found =
            shares(4, |random, parents| truncation(&fitness, 2, random, &mut scratch, parents));
        assert_shares(&found, &[0.0, 0.5, 0.0, 0.5]);
    }

    #[test]
    fn a_noisy_ranking_takes_every_row_once_a_round_and_favours_the_fit() {
        let fitness = [4.0, 1.0, 3.0, 0.0];
        let mut random = Random::seed_from_u64(10);
        let mut first = [0u32; 4];
        for _ in 0..10_000 {
            let mut parents = [9; 8];
            noisy_rank(&fitness, &mut random, &mut Scratch::default(), &mut parents);
            for round in parents.chunks(4) {
                let mut sorted = round.to_vec();
                sorted.sort_unstable();
                assert_eq!(sorted, [0, 1, 2, 3]);
                // A product of 0 is never beaten.
                assert_eq!(round[0], 3);
                first[round[1] as usize] += 1;
            }
        }
        // U/1 is least of U1, 3 U2, 4 U3 in (with a = 1/3, b = 1/4): 1 - a/2 - b/2 + a b / 3 of the
        // rounds = 0.736; 20,000 rounds, 5 standard deviations of 0.0031.
        let share = f64::from(first[1]) / 20_000.0;
        assert!((share - (1.0 - 1.0 / 6.0 - 1.0 / 8.0 + 1.0 / 36.0)).abs() < 0.0156, "{share}");
    }
}
