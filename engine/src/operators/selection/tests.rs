use super::wheel::{alias, reject};
use super::*;
use crate::random::draws::below;

/// Returns the shares of the rows among 200,000 parents.
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

/// Asserts that each binomial share of 200,000 is within 5 standard deviations: a false-alarm rate
/// of 6e-7 per share.
fn assert_shares(found: &[f64], expected: &[f64]) {
    for (found, expected) in found.iter().zip(expected) {
        let deviation = (expected * (1.0 - expected) / 200_000.0).sqrt();
        assert!((found - expected).abs() <= 5.0 * deviation + 1e-12, "{found} is not {expected}");
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

/// Spins the wheel in the simple way, by running sums and a search.
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
    // Each row's probability according to the table; exact except for the 52 bits of the limits.
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
            assert!((found / rows as f64 - weight / total).abs() < 1e-14, "{found} of {weights:?}");
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
    // Rank i of 4 (best first) wins a tournament of 3 with probability ((4 - i)^3 - (3 - i)^3) /
    // 4^3.
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
    let found = shares(4, |random, parents| truncation(&fitness, 2, random, &mut scratch, parents));
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
            // A product of 0 always comes first.
            assert_eq!(round[0], 3);
            first[round[1] as usize] += 1;
        }
    }
    // Row 1 has the least product of the rows with fitness above 0 in a share 1 - a/2 - b/2 + a b /
    // 3 = 0.736 of the rounds, where a = 1/3 and b = 1/4. With 20,000 rounds, the share is within 5
    // standard deviations of 0.0031.
    let share = f64::from(first[1]) / 20_000.0;
    assert!((share - (1.0 - 1.0 / 6.0 - 1.0 / 8.0 + 1.0 / 36.0)).abs() < 0.0156, "{share}");
}
