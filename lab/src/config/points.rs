//! Points of a sample: which combinations of a sweep's values it has.

use super::node::Node;
use super::sobol::Sobol;
use super::spread::Spread;
use crate::random::draws::{Random, below_large, unit};
use std::collections::{HashMap, HashSet};

/// Most combinations that are listed to draw from them; of more, combinations are drawn until
/// enough differ.
const MOST_LISTED: u64 = 1_000_000;
/// Maximum number of draws for each combination that is asked for.
const MOST_DRAWS: usize = 100;

/// Way to choose points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Combinations that differ, each as likely as any other.
    Random,
    /// Each key has one value in each of as many equal parts of its range as there are points
    /// (McKay, Beckman and Conover 1979, doi:10.1080/00401706.1979.10489755).
    LatinHypercube,
    /// The first points of a Sobol sequence, shifted by random digits.
    Sobol,
}

/// Keys of a sweep that vary together.
#[derive(Clone, Copy, Debug)]
pub(super) enum Dimension<'a> {
    /// This many values, at least one.
    Values(usize),
    Spread(&'a Spread),
}

impl Dimension<'_> {
    /// Returns the number of its values; `None` if there are as many as real numbers.
    fn count(&self) -> Option<u64> {
        match self {
            Dimension::Values(count) => Some(*count as u64),
            Dimension::Spread(spread) => spread.count(),
        }
    }
}

/// Combinations of a sample, all different.
#[derive(Debug, Default)]
pub(super) struct Points {
    /// For each combination, the place of a value for each dimension.
    pub rows: Vec<Vec<usize>>,
    /// Values of each spread, in the order of their places; empty for other dimensions.
    pub values: Vec<Vec<Node>>,
    /// Number of combinations of which a random sample is one. Those that are excepted were left
    /// out if all were listed; `None` if there are too many to count.
    pub all: Option<u64>,
    /// Whether all combinations were listed.
    pub is_listed: bool,
}

/// Fewer combinations than a sample asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fewer {
    /// This many are all that there are.
    All(u64),
    /// This many differ among those drawn; there may be more.
    Found { combinations: u64, draws: u64 },
}

/// Chooses `count` points in these dimensions, without combinations that are `excepted`. Points of
/// a Latin hypercube or a Sobol sequence are fewer where values repeat or are excepted.
pub(super) fn choose(
    dimensions: &[Dimension<'_>],
    (count, method): (usize, Method),
    excepted: &dyn Fn(&[usize]) -> bool,
    random: &mut Random,
) -> Result<Points, Fewer> {
    let all =
        dimensions.iter().try_fold(1_u64, |all, dimension| all.checked_mul(dimension.count()?));
    if let Some(all) = all.filter(|all| *all < count as u64) {
        return Err(Fewer::All(all));
    }
    let mut chooser = Chooser::new(dimensions, excepted);
    match method {
        Method::Random => {
            let lists = dimensions.iter().all(|one| matches!(one, Dimension::Values(_)));
            match all.filter(|all| lists && *all <= MOST_LISTED) {
                Some(all) => chooser.draw_of_all(all, count, random)?,
                None => {
                    chooser.draw(count, random)?;
                    chooser.points.all = all;
                }
            }
        }
        Method::LatinHypercube => chooser.add_hypercube(count, random),
        Method::Sobol => {
            let mut sobol = Sobol::new(dimensions.len()).shifted(random);
            for _ in 0..count {
                chooser.add(&sobol.point());
            }
        }
    }
    Ok(chooser.points)
}

struct Chooser<'a> {
    dimensions: &'a [Dimension<'a>],
    excepted: &'a dyn Fn(&[usize]) -> bool,
    points: Points,
    /// Places of the values of each spread.
    places: Vec<HashMap<String, usize>>,
    seen: HashSet<Vec<usize>>,
}

impl<'a> Chooser<'a> {
    fn new(dimensions: &'a [Dimension<'a>], excepted: &'a dyn Fn(&[usize]) -> bool) -> Self {
        let values = vec![Vec::new(); dimensions.len()];
        let points = Points { values, ..Points::default() };
        let places = vec![HashMap::new(); dimensions.len()];
        Chooser { dimensions, excepted, points, places, seen: HashSet::new() }
    }

    /// Draws from the list of all combinations, by the first steps of a shuffle: a larger sample
    /// begins with the smaller one.
    fn draw_of_all(&mut self, all: u64, count: usize, random: &mut Random) -> Result<(), Fewer> {
        let mut left: Vec<u64> =
            (0..all).filter(|number| !(self.excepted)(&self.nth(*number))).collect();
        if left.len() < count {
            return Err(Fewer::All(left.len() as u64));
        }
        (self.points.all, self.points.is_listed) = (Some(left.len() as u64), true);
        for place in 0..count {
            let other = place + below_large(random, (left.len() - place) as u64) as usize;
            left.swap(place, other);
            self.points.rows.push(self.nth(left[place]));
        }
        Ok(())
    }

    /// Returns the combination of this number, the last dimension fastest.
    fn nth(&self, mut number: u64) -> Vec<usize> {
        let mut row = vec![0; self.dimensions.len()];
        for (place, dimension) in row.iter_mut().zip(self.dimensions).rev() {
            let values = dimension.count().unwrap_or(1);
            *place = (number % values) as usize;
            number /= values;
        }
        row
    }

    /// Draws each value on its own, until enough combinations differ.
    fn draw(&mut self, count: usize, random: &mut Random) -> Result<(), Fewer> {
        let draws = count.saturating_mul(MOST_DRAWS);
        for _ in 0..draws {
            if self.points.rows.len() == count {
                break;
            }
            let point: Vec<f64> = self.dimensions.iter().map(|_| unit(random)).collect();
            self.add(&point);
        }
        let (combinations, draws) = (self.points.rows.len() as u64, draws as u64);
        match combinations < count as u64 {
            true => Err(Fewer::Found { combinations, draws }),
            false => Ok(()),
        }
    }

    fn add_hypercube(&mut self, count: usize, random: &mut Random) {
        let mut columns: Vec<Vec<f64>> = Vec::with_capacity(self.dimensions.len());
        for _ in self.dimensions {
            let mut parts: Vec<usize> = (0..count).collect();
            for place in 0..count {
                parts.swap(place, place + below_large(random, (count - place) as u64) as usize);
            }
            let share = |part: usize| (part as f64 + unit(random)) / count as f64;
            columns.push(parts.into_iter().map(share).collect());
        }
        for place in 0..count {
            let point: Vec<f64> = columns.iter().map(|column| column[place]).collect();
            self.add(&point);
        }
    }

    /// Adds the combination at a point, unless it is there or excepted.
    fn add(&mut self, point: &[f64]) {
        let mut row = Vec::with_capacity(point.len());
        for (number, (dimension, share)) in self.dimensions.iter().zip(point).enumerate() {
            row.push(match dimension {
                Dimension::Values(count) => ((share * *count as f64) as usize).min(count - 1),
                Dimension::Spread(spread) => self.place(number, spread.value(*share)),
            });
        }
        if !(self.excepted)(&row) && self.seen.insert(row.clone()) {
            self.points.rows.push(row);
        }
    }

    /// Returns the place of a value among those of a spread.
    fn place(&mut self, dimension: usize, value: Node) -> usize {
        let values = &mut self.points.values[dimension];
        *self.places[dimension].entry(value.to_toml()).or_insert_with(|| {
            values.push(value);
            values.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse::parse;
    use crate::config::source::Sources;
    use std::collections::BTreeMap;

    fn spread(text: &str) -> Spread {
        let mut sources = Sources::default();
        let source = sources.add("x.toml", format!("x = {text}"));
        let mut out = Vec::new();
        let root = parse(&sources, source, &mut out);
        let node = root.get("x").expect("the key");
        let entries = node.entries().expect("a table");
        Spread::read("x", node, entries, &mut out).expect("a range")
    }

    fn points(dimensions: &[Dimension<'_>], count: usize, method: Method, seed: u64) -> Points {
        let mut random = Random::seed_from_u64(seed);
        choose(dimensions, (count, method), &|_| false, &mut random).expect("enough")
    }

    /// Every subset of 2 of 6 combinations is as likely: Pearson's test with 14 degrees of freedom
    /// fails a correct sampler with probability 0.001 (critical value 36.12).
    #[test]
    fn every_subset_of_combinations_is_as_likely() {
        let dimensions = [Dimension::Values(2), Dimension::Values(3)];
        let mut counts: BTreeMap<Vec<Vec<usize>>, f64> = BTreeMap::new();
        let rounds = 15_000;
        for seed in 0..rounds {
            let mut rows = points(&dimensions, 2, Method::Random, seed).rows;
            rows.sort();
            *counts.entry(rows).or_default() += 1.0;
        }
        let expected = rounds as f64 / 15.0;
        assert_eq!(counts.len(), 15);
        let statistic: f64 =
            counts.values().map(|count| (count - expected).powi(2) / expected).sum();
        assert!(statistic < 36.12, "{statistic}");
    }

    #[test]
    fn random_combinations_differ_and_a_larger_sample_begins_with_the_smaller() {
        let fine = spread("{ from = 1, to = 30 }");
        for dimensions in [
            vec![Dimension::Values(7), Dimension::Values(8)],
            vec![Dimension::Values(3), Dimension::Spread(&fine)],
            // More than can be listed, or counted.
            vec![Dimension::Values(1_000_000); 5],
        ] {
            let small = points(&dimensions, 20, Method::Random, 4).rows;
            let large = points(&dimensions, 50, Method::Random, 4).rows;
            assert_eq!(large[..20], small);
            assert_eq!(large.iter().collect::<HashSet<_>>().len(), 50);
        }
        let all = [Dimension::Values(7), Dimension::Values(8)];
        assert_eq!(points(&all, 56, Method::Random, 1).rows.len(), 56);
    }

    #[test]
    fn asking_for_more_combinations_than_there_are_says_how_many() {
        let whole = spread("{ from = 1, to = 9 }");
        let dimensions = [Dimension::Values(4), Dimension::Spread(&whole)];
        for method in [Method::Random, Method::LatinHypercube, Method::Sobol] {
            let mut random = Random::seed_from_u64(1);
            let choose = |count, except: &dyn Fn(&[usize]) -> bool, random: &mut Random| {
                choose(&dimensions, (count, method), except, random).map(|_| ())
            };
            assert_eq!(choose(37, &|_| false, &mut random), Err(Fewer::All(36)), "{method:?}");
            assert_eq!(choose(36, &|_| false, &mut random), Ok(()), "{method:?}");
        }
        let lists = [Dimension::Values(4), Dimension::Values(9)];
        let mut random = Random::seed_from_u64(1);
        let found = choose(&lists, (30, Method::Random), &|row| row[0] == 2, &mut random);
        assert_eq!(found.map(|_| ()), Err(Fewer::All(27)));
        // A rule leaves hardly any of a huge grid: the error says how many were found.
        let huge = [Dimension::Values(1_000_000), Dimension::Values(1_000_000)];
        let found = choose(&huge, (9, Method::Random), &|row| row[0] > 0, &mut random);
        let few = Fewer::Found { combinations: 0, draws: 900 };
        assert_eq!(found.map(|_| ()), Err(few));
    }

    /// The definition of McKay, Beckman and Conover: each part of each dimension has one point.
    #[test]
    fn a_latin_hypercube_has_one_point_in_each_part_of_each_dimension() {
        let real = spread("{ from = 0.0, to = 40.0 }");
        let whole = spread("{ from = 1, to = 8 }");
        let dimensions =
            [Dimension::Spread(&real), Dimension::Values(40), Dimension::Spread(&whole)];
        for seed in 0..20 {
            let Points { rows, values, .. } = points(&dimensions, 40, Method::LatinHypercube, seed);
            assert_eq!(rows.len(), 40);
            let number = |dimension: usize, row: &Vec<usize>| {
                let text = values[dimension][row[dimension]].to_toml();
                text.parse::<f64>().expect("a number")
            };
            // Rounded to 6 digits, a value may come to lie on the border of its part.
            let mut parts: Vec<f64> = rows.iter().map(|row| number(0, row)).collect();
            parts.sort_by(f64::total_cmp);
            let inside =
                |(part, value): (usize, &f64)| (part as f64..=part as f64 + 1.0).contains(value);
            assert!(parts.iter().enumerate().all(inside), "{parts:?}");
            let places: HashSet<usize> = rows.iter().map(|row| row[1]).collect();
            assert_eq!(places.len(), 40);
            let mut times = [0; 8];
            rows.iter().for_each(|row| times[number(2, row) as usize - 1] += 1);
            assert_eq!(times, [5; 8]);
        }
    }

    #[test]
    fn points_that_repeat_or_are_excepted_are_left_out() {
        let dimensions = [Dimension::Values(5), Dimension::Values(5)];
        for method in [Method::LatinHypercube, Method::Sobol] {
            let mut random = Random::seed_from_u64(9);
            let chosen = choose(&dimensions, (20, method), &|row| row[0] == 0, &mut random);
            let rows = chosen.expect("enough").rows;
            assert!((8..20).contains(&rows.len()), "{}", rows.len());
            assert!(rows.iter().all(|row| row[0] > 0));
            assert_eq!(rows.iter().collect::<HashSet<_>>().len(), rows.len());
        }
    }
}
