//! Draws of settings: the first ones all over the space, later ones around survivors.

use super::space::{Coordinate, Dimension, Point, Space};
use crate::random::draws::{Random, below, chance, normal, shuffle, unit};

/// Shares of numbers that are at most this far apart agree.
const NEAR: f64 = 0.01;

/// Returns whether settings agree: they have the same keys and choices, and numbers within one
/// hundredth of their ranges.
pub(super) fn agree(points: &[&Point]) -> bool {
    let Some((first, others)) = points.split_first() else { return true };
    let same = |one: &Option<Coordinate>, other: &Option<Coordinate>| match (one, other) {
        (Some(Coordinate::Share(one)), Some(Coordinate::Share(other))) => {
            (one - other).abs() <= NEAR
        }
        (one, other) => one == other,
    };
    others.iter().all(|other| first.iter().zip(*other).all(|(one, other)| same(one, other)))
}

/// Draws `count` settings and returns those that have a key, with this coordinate.
#[must_use]
pub fn settings_with(
    space: &dyn Space,
    seed: u64,
    (key, coordinate_of_key): (usize, Coordinate),
    count: usize,
) -> Vec<Point> {
    let mut sampler = Sampler::new(space, seed);
    let mut draw = || {
        sampler.point(|random, place, dimension| match place == key {
            true => coordinate_of_key,
            false => coordinate(random, dimension),
        })
    };
    (0..count).map(|_| draw()).filter(|point| point[key].is_some()).collect()
}

/// Source of settings.
pub(super) struct Sampler<'a> {
    space: &'a dyn Space,
    random: Random,
}

impl<'a> Sampler<'a> {
    /// Creates a sampler with its own stream of random numbers.
    pub(super) fn new(space: &'a dyn Space, seed: u64) -> Self {
        Sampler { space, random: Random::seed_from_u64(seed) }
    }

    /// Draws `count` settings that spread over the space: a Latin hypercube (McKay, Beckman and
    /// Conover 1979, doi:10.1080/00401706.1979.10489755).
    pub(super) fn spread(&mut self, count: usize) -> Vec<Point> {
        let dimensions = self.space.dimensions();
        let mut columns: Vec<Vec<usize>> = Vec::with_capacity(dimensions.len());
        for _ in dimensions {
            let mut strata: Vec<usize> = (0..count).collect();
            shuffle(&mut strata, &mut self.random);
            columns.push(strata);
        }
        let mut point = |row: usize| {
            self.point(|random, place, dimension| {
                let share = (columns[place][row] as f64 + unit(random)) / count as f64;
                match dimension {
                    Dimension::Number => Coordinate::Share(share),
                    Dimension::Choice(values) => {
                        Coordinate::Choice(((share * values as f64) as usize).min(values - 1))
                    }
                }
            })
        };
        (0..count).map(&mut point).collect()
    }

    /// Draws a setting from the whole space.
    pub(super) fn anywhere(&mut self) -> Point {
        self.point(|random, _, dimension| coordinate(random, dimension))
    }

    /// Draws a setting around one of `parents`, the best first. Returns it with the index of its
    /// parent. A parent of rank r of n is chosen with a weight of n - r + 1. A number is drawn from
    /// a normal distribution around the parent's, whose standard deviation is `width` of the range,
    /// within the range. A choice is the parent's with probability 1 - `width`, and otherwise any.
    /// Dimensions that the parent lacks are drawn from the whole range.
    pub(super) fn near(&mut self, parents: &[Point], width: f64) -> (Point, usize) {
        let count = parents.len();
        let mut ticket = below(&mut self.random, count * (count + 1) / 2);
        let mut parent = 0;
        while ticket >= count - parent {
            ticket -= count - parent;
            parent += 1;
        }
        let point = self.point(|random, place, dimension| {
            match (parents[parent].get(place).copied().flatten(), dimension) {
                (Some(Coordinate::Share(mean)), Dimension::Number) => {
                    Coordinate::Share(truncated(random, mean, width))
                }
                (Some(Coordinate::Choice(choice)), Dimension::Choice(_))
                    if !chance(random, width) =>
                {
                    Coordinate::Choice(choice)
                }
                _ => coordinate(random, dimension),
            }
        });
        (point, parent)
    }

    /// Draws the coordinates in the dimensions that a setting has, in their order.
    fn point(
        &mut self,
        mut draw: impl FnMut(&mut Random, usize, Dimension) -> Coordinate,
    ) -> Point {
        let mut point = Point::new();
        for (place, dimension) in self.space.dimensions().iter().enumerate() {
            let has = self.space.has(&point);
            point.push(has.then(|| draw(&mut self.random, place, *dimension)));
        }
        point
    }
}

fn coordinate(random: &mut Random, dimension: Dimension) -> Coordinate {
    match dimension {
        Dimension::Number => Coordinate::Share(unit(random)),
        Dimension::Choice(values) => Coordinate::Choice(below(random, values)),
    }
}

/// Draws from a normal distribution around a share, among numbers in [0, 1). Rejection draws at
/// most 2.1 times per number on average, for widths up to one half.
fn truncated(random: &mut Random, mean: f64, width: f64) -> f64 {
    loop {
        let share = mean + width * normal(random);
        if (0.0..1.0).contains(&share) {
            return share;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a space of a number, a choice of three, and a number that only the last choice has.
    struct Small([Dimension; 3]);

    impl Space for Small {
        fn dimensions(&self) -> &[Dimension] {
            &self.0
        }

        fn has(&self, earlier: &[Option<Coordinate>]) -> bool {
            earlier.len() < 2 || earlier[1] == Some(Coordinate::Choice(2))
        }
    }

    const SMALL: Small = Small([Dimension::Number, Dimension::Choice(3), Dimension::Number]);

    fn share(point: &Point, dimension: usize) -> Option<f64> {
        match point[dimension] {
            Some(Coordinate::Share(share)) => Some(share),
            _ => None,
        }
    }

    #[test]
    fn a_latin_hypercube_has_a_point_in_each_part_and_only_the_keys_of_its_choices() {
        let mut sampler = Sampler::new(&SMALL, 1);
        let points = sampler.spread(30);
        let mut parts: Vec<usize> = points
            .iter()
            .map(|point| (share(point, 0).expect("a number") * 30.0) as usize)
            .collect();
        parts.sort_unstable();
        assert_eq!(parts, (0..30).collect::<Vec<_>>());
        for choice in 0..3 {
            let of_choice = |point: &&Point| point[1] == Some(Coordinate::Choice(choice));
            let count = points.iter().filter(of_choice).count();
            assert_eq!(count, 10);
            assert!(points.iter().filter(of_choice).all(|one| one[2].is_some() == (choice == 2)));
        }
        assert!(sampler.anywhere()[0].is_some());
    }

    /// Draws 2,000 settings near two parents. Of the counts below, each is within 5 standard
    /// deviations of its expectation, with a false-alarm rate below 1e-5 for all together.
    #[test]
    fn settings_are_drawn_near_their_parents_and_more_often_near_the_best() {
        let mut sampler = Sampler::new(&SMALL, 2);
        let parents = [
            vec![
                Some(Coordinate::Share(0.5)),
                Some(Coordinate::Choice(2)),
                Some(Coordinate::Share(0.0)),
            ],
            vec![Some(Coordinate::Share(0.9)), Some(Coordinate::Choice(0)), None],
        ];
        let drawn: Vec<(Point, usize)> = (0..2_000).map(|_| sampler.near(&parents, 0.1)).collect();
        let of_best: Vec<&Point> =
            drawn.iter().filter(|(_, parent)| *parent == 0).map(|(point, _)| point).collect();
        let near = |count: usize, all: usize, rate: f64| {
            let deviation = (all as f64 * rate * (1.0 - rate)).sqrt();
            assert!((count as f64 - all as f64 * rate).abs() < 5.0 * deviation, "{count} of {all}");
        };
        near(of_best.len(), 2_000, 2.0 / 3.0);
        // Within one standard deviation, and the parent's choice or the same by chance.
        let within = of_best.iter().filter(|one| (share(one, 0).expect("one") - 0.5).abs() < 0.1);
        near(within.count(), of_best.len(), 0.6827);
        let same = of_best.iter().filter(|one| one[1] == parents[0][1]);
        near(same.count(), of_best.len(), 0.9 + 0.1 / 3.0);
        // At the end of the range: the positive half of the distribution.
        let third = of_best.iter().filter_map(|one| share(one, 2));
        let third: Vec<f64> = third.collect();
        near(third.iter().filter(|share| **share < 0.1).count(), third.len(), 0.6827);
        assert!(drawn.iter().all(|(one, _)| one[2].is_some() == (one[1] == parents[0][1])));
    }

    #[test]
    fn settings_agree_if_their_choices_are_the_same_and_their_numbers_near() {
        let point = |share: f64, choice: usize| {
            vec![Some(Coordinate::Share(share)), Some(Coordinate::Choice(choice)), None]
        };
        let (one, near, far, other) =
            (point(0.5, 1), point(0.509, 1), point(0.52, 1), point(0.5, 0));
        assert!(agree(&[&one, &near]) && agree(&[&one]) && agree(&[]));
        assert!(!agree(&[&one, &near, &far]) && !agree(&[&one, &other]));
    }
}
