//! Importance of tuned keys: functional ANOVA of a forest's prediction (Hutter, Hoos and
//! Leyton-Brown 2014, <https://proceedings.mlr.press/v32/hutter14.html>).
//!
//! The prediction is constant on boxes, so its variance over the space, and the part of it that any
//! keys explain, are sums over pairs of boxes, without sampling. The shares are those of Sobol
//! (2001, doi:10.1016/S0378-4754(00)00270-6): of a key alone, and with all its interactions.

use super::forest::{Example, Forest, Leaf};
use super::space::{Coordinate, Dimension, Point};

/// Difference of costs, as a share of their mean, that rounding errors may make.
const SAME: f64 = 1e-12;
/// Minimum number of settings from which importance is estimated.
const FEWEST: usize = 10;

/// Importance of keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    /// Shares of each key.
    pub keys: Vec<Shares>,
    /// Out-of-bag share of the variance of the costs of settings.
    pub explained: f64,
}

/// Shares of a key in the variance of the predicted cost over the whole space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// Share that the key explains by itself.
    pub alone: f64,
    /// Share that the key explains with its interactions: the variance that is left if all other
    /// keys are known.
    pub total: f64,
}

/// Returns the importance of the keys for the cost. Settings are weighted equally; where one lacks
/// a key, it counts as in the middle of the range, or as the first choice. `None` with fewer than
/// ten settings, or if the predicted cost is the same everywhere.
#[must_use]
pub fn importance(
    dimensions: &[Dimension],
    settings: &[(Point, f64)],
    seed: u64,
) -> Option<Importance> {
    if settings.len() < FEWEST {
        return None;
    }
    let filled = |(coordinate, dimension): (&Option<Coordinate>, &Dimension)| match dimension {
        Dimension::Number => coordinate.unwrap_or(Coordinate::Share(0.5)),
        Dimension::Choice(_) => coordinate.unwrap_or(Coordinate::Choice(0)),
    };
    // Shares do not depend on the unit of costs, nor may what counts as a rounding error.
    let mean = settings.iter().map(|(_, cost)| cost).sum::<f64>() / settings.len() as f64;
    let greatest = settings.iter().map(|(_, cost)| (cost - mean).abs()).fold(0.0, f64::max);
    if !greatest.is_finite() || greatest <= SAME * mean.abs() {
        return None;
    }
    let example = |(point, cost): &(Point, f64)| Example {
        point: point.iter().zip(dimensions).map(filled).collect(),
        cost: (cost - mean) / greatest,
    };
    let examples: Vec<Example> = settings.iter().map(example).collect();
    let forest = Forest::fit(dimensions, &examples, seed);
    let keys = shares(&forest.trees, dimensions.len())?;
    Some(Importance { keys, explained: forest.explained })
}

/// Returns the shares of each dimension in the variance of the mean prediction of trees; `None` if
/// there is no variance.
fn shares(trees: &[Vec<Leaf>], dimensions: usize) -> Option<Vec<Shares>> {
    let leaves: Vec<&Leaf> = trees.iter().flatten().collect();
    let sizes: Vec<Vec<f64>> =
        leaves.iter().map(|leaf| leaf.sides.iter().map(|side| side.size()).collect()).collect();
    let volume = |leaf: usize| sizes[leaf].iter().product::<f64>();
    let of_trees = trees.len() as f64;
    let mean = (0..leaves.len()).map(|one| leaves[one].cost * volume(one)).sum::<f64>() / of_trees;
    let (mut whole, mut alone) = (0.0, vec![0.0; dimensions]);
    let (mut others, mut common) = (vec![0.0; dimensions], vec![0.0; dimensions]);
    for (place, one) in leaves.iter().enumerate() {
        for (other, two) in leaves.iter().enumerate().skip(place) {
            // A pair of two boxes counts in both orders.
            let orders = if other == place { 1.0 } else { 2.0 };
            let weight = orders * (one.cost - mean) * (two.cost - mean) / (of_trees * of_trees);
            let independent = volume(place) * volume(other);
            let mut meeting = 1.0;
            let mut apart = 0;
            for (at, common) in common.iter_mut().enumerate() {
                *common = one.sides[at].common(two.sides[at]);
                apart += usize::from(*common == 0.0);
                meeting *= *common;
            }
            whole += weight * meeting;
            for at in 0..dimensions {
                let both = sizes[place][at] * sizes[other][at];
                alone[at] += weight * independent * common[at] / both;
                // The product of all other dimensions.
                let rest = match apart {
                    0 => meeting / common[at],
                    1 if common[at] == 0.0 => common
                        .iter()
                        .enumerate()
                        .filter(|(own, _)| *own != at)
                        .map(|(_, one)| one)
                        .product(),
                    _ => 0.0,
                };
                others[at] += weight * rest * both;
            }
        }
    }
    if whole <= 1e-12 * mean * mean || whole <= 0.0 {
        return None;
    }
    let share = |part: f64| (part / whole).clamp(0.0, 1.0);
    let of = |at: usize| {
        let (alone, total) = (share(alone[at]), share(whole - others[at]));
        Shares { alone, total: total.max(alone) }
    };
    Some((0..dimensions).map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::super::forest::Side;
    use super::*;
    use crate::random::draws::{Random, below, unit};
    use std::f64::consts::{PI, TAU};

    /// Draws settings of three numbers and a choice of four all over the space.
    fn drawn(count: usize, cost: impl Fn([f64; 3], usize) -> f64) -> Vec<(Point, f64)> {
        let mut random = Random::seed_from_u64(3);
        let mut one = || {
            let numbers = [(); 3].map(|()| unit(&mut random));
            let choice = below(&mut random, 4);
            let shares = numbers.iter().map(|share| Some(Coordinate::Share(*share)));
            let point = shares.chain([Some(Coordinate::Choice(choice))]).collect();
            (point, cost(numbers, choice))
        };
        (0..count).map(|_| one()).collect()
    }

    const DIMENSIONS: [Dimension; 4] =
        [Dimension::Number, Dimension::Number, Dimension::Number, Dimension::Choice(4)];

    #[track_caller]
    fn near(found: &[Shares], expected: [(f64, f64); 4], within: f64) {
        for (found, (alone, total)) in found.iter().zip(expected) {
            let differ = (found.alone - alone).abs().max((found.total - total).abs());
            assert!(differ < within, "{found:?} against {alone} and {total}");
        }
    }

    /// A sum of two steps has variances of 1/4 and 4/4 alone; their product has 1/16 in all, of
    /// which a third is each step's alone, and a third is their interaction.
    #[test]
    fn boxes_have_the_exact_shares_of_steps() {
        let halves = [(0.0, 0.5), (0.5, 1.0)];
        let tree = |cost: fn(usize, usize) -> f64| -> Vec<Leaf> {
            let places = [(0, 0), (0, 1), (1, 0), (1, 1)];
            let leaf = |(one, two): (usize, usize)| Leaf {
                sides: vec![
                    Side::Between(halves[one].0, halves[one].1),
                    Side::Set([0b0011, 0b1100][two], 4),
                    Side::Between(0.0, 1.0),
                ],
                cost: cost(one, two),
            };
            places.into_iter().map(leaf).collect()
        };
        let of = |cost| shares(&[tree(cost)], 3).expect("a variance");
        let all = |expected: [(f64, f64); 3], found: Vec<Shares>| {
            for (found, (alone, total)) in found.into_iter().zip(expected) {
                assert!((found.alone - alone).abs() < 1e-12, "{found:?}");
                assert!((found.total - total).abs() < 1e-12, "{found:?}");
            }
        };
        all([(0.2, 0.2), (0.8, 0.8), (0.0, 0.0)], of(|one, two| (one + 2 * two) as f64));
        let third = 1.0 / 3.0;
        all(
            [(third, 2.0 * third), (third, 2.0 * third), (0.0, 0.0)],
            of(|one, two| (one * two) as f64),
        );
        assert!(shares(&[tree(|_, _| 5.0)], 3).is_none());
    }

    /// The shares of a sum are those of its terms' variances: 4/12, 1/12, 0, and 5/16 for one of
    /// four choices that costs 1 more in place of 0, times 5/3.
    #[test]
    fn sums_have_the_shares_of_their_terms_and_no_interaction() {
        let settings = drawn(1_000, |[one, two, _], choice| {
            2.0 * one + two + f64::from(u8::from(choice == 2))
        });
        let found = importance(&DIMENSIONS, &settings, 1).expect("importance");
        let variances = [4.0 / 12.0, 1.0 / 12.0, 0.0, 3.0 / 16.0];
        let all: f64 = variances.iter().sum();
        near(&found.keys, variances.map(|one| (one / all, one / all)), 0.04);
        assert!(found.explained > 0.9, "{}", found.explained);
        // The unit of costs, and where they are 0, changes nothing but rounding errors.
        for (unit, least) in [(1e-9, 0.0), (1e9, 0.0), (1e-3, 1e6)] {
            let scaled = |(point, cost): &(Point, f64)| (point.clone(), least + unit * cost);
            let scaled: Vec<(Point, f64)> = settings.iter().map(scaled).collect();
            let scaled = importance(&DIMENSIONS, &scaled, 1).expect("importance");
            assert!((scaled.explained - found.explained).abs() < 1e-6, "{unit} {least}");
        }
        assert_eq!(importance(&DIMENSIONS, &settings, 1), Some(found));
    }

    /// Ishigami and Homma's function (1990), whose shares are known in closed form: a = 7, b = 0.1,
    /// and sin x + a sin² y + b z⁴ sin x for numbers from -π to π.
    #[test]
    fn interactions_are_in_the_total() {
        let (a, b) = (7.0, 0.1);
        let settings = drawn(4_000, |shares, _| {
            let [x, y, z] = shares.map(|share| TAU * share - PI);
            libm::sin(x) * (1.0 + b * z * z * z * z) + a * libm::sin(y) * libm::sin(y)
        });
        let found = importance(&DIMENSIONS, &settings, 1).expect("importance");
        let pi4 = PI * PI * PI * PI;
        let (x, y) = (0.5 * (1.0 + b * pi4 / 5.0) * (1.0 + b * pi4 / 5.0), a * a / 8.0);
        let both = b * b * pi4 * pi4 * 8.0 / 225.0;
        let all = x + y + both;
        let expected = [(x, x + both), (y, y), (0.0, both), (0.0, 0.0)];
        near(&found.keys, expected.map(|(alone, total)| (alone / all, total / all)), 0.1);
    }

    #[test]
    fn costs_without_a_pattern_are_not_explained() {
        let mut random = Random::seed_from_u64(9);
        let noise: Vec<f64> = (0..300).map(|_| unit(&mut random)).collect();
        let place = std::cell::Cell::new(0);
        let settings = drawn(300, |_, _| noise[place.replace(place.get() + 1)]);
        let found = importance(&DIMENSIONS, &settings, 1).expect("importance");
        assert!(found.explained < 0.1, "{}", found.explained);
        assert!(importance(&DIMENSIONS, &settings[..9], 1).is_none());
        let flat: Vec<(Point, f64)> = settings.iter().map(|one| (one.0.clone(), 5.0)).collect();
        assert!(importance(&DIMENSIONS, &flat, 1).is_none());
    }
}
