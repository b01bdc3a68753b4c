//! Series: the generations of a trial so far, thinned to at most as many points as a picture can
//! show.

use crate::record::OperatorCounts;
use crate::search::Generation;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Maximum number of points. When another one is added, half of them are removed.
const MOST: usize = 1_000;
/// Individuals that a point shows at most.
const INDIVIDUALS: usize = 40;
/// Larger populations are not sorted for a point.
const SORTED: usize = 4_096;

/// A generation of the series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    pub generation: u64,
    pub evaluations: u64,
    /// None while there is no feasible genome.
    pub best_so_far: Option<f64>,
    pub best: f64,
    pub mean: f64,
    pub worst: f64,
    /// Fitness of individuals: all, or some evenly by rank (of very many, evenly by row).
    pub individuals: Vec<f64>,
    /// Children of this and all earlier generations by operators, as the columns of the generations
    /// table have them; `None` if they are not counted.
    pub children: Option<[u64; 7]>,
}

/// Every generation whose number is a multiple of the stride, and the last.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    points: Vec<Point>,
    /// A power of two.
    stride: u64,
    /// Epoch of the points; it changes each time points are removed.
    epoch: u64,
}

impl Default for Series {
    fn default() -> Self {
        Series { points: Vec::new(), stride: 1, epoch: 0 }
    }
}

impl Series {
    /// Returns the mask: generations whose numbers have none of its bits belong to the series.
    pub(crate) fn mask(&self) -> u64 {
        self.stride - 1
    }

    fn takes(&self, generation: u64) -> bool {
        generation & self.mask() == 0
    }

    /// Adds a generation that has a place.
    pub(crate) fn add(&mut self, generation: &Generation<'_>, children: Option<OperatorCounts>) {
        self.push(Point::of(generation, children));
    }

    fn push(&mut self, point: Point) {
        if self.points.len() == MOST {
            self.stride *= 2;
            self.epoch += 1;
            let stride = self.stride;
            self.points.retain(|point| point.generation % stride == 0);
            if !self.takes(point.generation) {
                return;
            }
        }
        self.points.push(point);
    }

    /// Returns the points after the `known` ones of an epoch, and whether they replace all of
    /// those.
    pub(crate) fn since(&self, epoch: u64, known: usize) -> (bool, &[Point]) {
        if epoch == self.epoch && known <= self.points.len() {
            (false, &self.points[known..])
        } else {
            (true, &self.points)
        }
    }

    /// Returns all points.
    pub(crate) fn all(&self) -> &[Point] {
        &self.points
    }

    /// The epoch, and how many points there are.
    pub(crate) fn place(&self) -> (u64, usize) {
        (self.epoch, self.points.len())
    }

    /// Takes points that a process sent.
    pub(crate) fn take(&mut self, replaces: bool, points: Vec<Point>) {
        if replaces {
            self.points.clear();
            self.epoch += 1;
        }
        self.points.extend(points);
    }
}

impl Point {
    /// Returns a generation as a point. Its best and worst are the fitness of the best and of the
    /// worst individual, by violation first. `children` are those so far.
    pub(crate) fn of(generation: &Generation<'_>, children: Option<OperatorCounts>) -> Self {
        let fitness = generation.fitness;
        let sum: f64 = fitness.iter().sum();
        let rows = || 0..fitness.len();
        let violations = generation.violations;
        let better = |one: &usize, other: &usize| merit_order(fitness, violations, *one, *other);
        let best = rows().min_by(better).map_or(f64::INFINITY, |row| fitness[row]);
        let worst = rows().max_by(better).map_or(f64::NEG_INFINITY, |row| fitness[row]);
        let mut individuals =
            if fitness.len() > SORTED { evenly(fitness, INDIVIDUALS) } else { fitness.to_vec() };
        individuals.sort_by(f64::total_cmp);
        Point {
            generation: generation.number,
            evaluations: generation.evaluations,
            best_so_far: (generation.best_violation == 0.0).then_some(generation.best_so_far),
            best,
            mean: sum / fitness.len() as f64,
            worst,
            individuals: evenly(&individuals, INDIVIDUALS),
            children: children.map(OperatorCounts::to_array),
        }
    }
}

/// Compares two rows by violation, if there are violations, then by fitness.
pub(super) fn merit_order(
    fitness: &[f64],
    violations: &[f64],
    one: usize,
    other: usize,
) -> Ordering {
    let violation = |row: usize| violations.get(row).copied().unwrap_or(0.0);
    let by_violation = violation(one).total_cmp(&violation(other));
    by_violation.then(fitness[one].total_cmp(&fitness[other]))
}

/// Returns at most `most` values, evenly spaced by position, with the first and the last.
pub(crate) fn evenly<T: Clone>(values: &[T], most: usize) -> Vec<T> {
    if values.len() <= most {
        return values.to_vec();
    }
    (0..most).map(|place| values[place * (values.len() - 1) / (most - 1)].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(generation: u64) -> Point {
        let value = generation as f64;
        Point {
            generation,
            evaluations: generation * 10,
            best_so_far: Some(value),
            best: value,
            mean: value,
            worst: value,
            individuals: vec![value],
            children: None,
        }
    }

    /// However long a trial is, its series is short and even, and who follows it by what is new
    /// has the same.
    #[test]
    fn a_series_is_bounded_and_can_be_followed() {
        let (mut series, mut copy) = (Series::default(), Series::default());
        let (mut epoch, mut known) = series.place();
        for generation in 0..100_000 {
            if series.takes(generation) {
                series.push(point(generation));
            }
            if generation % 777 == 0 || generation == 99_999 {
                let (replaces, points) = series.since(epoch, known);
                copy.take(replaces, points.to_vec());
                (epoch, known) = series.place();
                assert_eq!(copy.points, series.points);
            }
        }
        assert!(series.points.len() <= MOST && series.points.len() > MOST / 3);
        let steps: Vec<u64> =
            series.points.windows(2).map(|two| two[1].generation - two[0].generation).collect();
        assert!(steps.iter().all(|step| *step == series.stride), "{steps:?}");
    }

    #[test]
    fn values_are_chosen_evenly() {
        let all: Vec<u32> = (0..100).collect();
        assert_eq!(evenly(&all, 4), [0, 33, 66, 99]);
        assert_eq!(evenly(&all[..3], 4), [0, 1, 2]);
    }
}
