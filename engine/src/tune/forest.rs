//! Forests of regression trees over a space of settings (Breiman 2001,
//! doi:10.1023/A:1010933404324): each tree predicts one cost per box of the space.

use super::space::{Coordinate, Dimension};
use crate::random::draws::{Random, below};

/// Trees of a forest.
const TREES: usize = 24;
/// Minimum number of settings in a box.
const LEAST: usize = 3;
/// Maximum number of boxes of a tree, about.
const BOXES: usize = 64;
/// Maximum number of choices that are split as a set; more are split by their numbers.
const CHOICES: usize = 128;

/// Setting with its cost.
pub(super) struct Example {
    /// A coordinate in each dimension.
    pub point: Vec<Coordinate>,
    pub cost: f64,
}

/// Side of a box in one dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    /// Shares from the first end to the second.
    Between(f64, f64),
    /// Set of choices, and the number of all of them.
    Set(u128, usize),
}

impl Side {
    /// Returns the whole dimension.
    fn whole(dimension: Dimension) -> Self {
        match dimension {
            Dimension::Choice(all @ 1..=CHOICES) => Side::Set(u128::MAX >> (CHOICES - all), all),
            _ => Side::Between(0.0, 1.0),
        }
    }

    fn has(self, coordinate: Coordinate, dimension: Dimension) -> bool {
        match (self, coordinate) {
            (Side::Set(set, _), Coordinate::Choice(choice)) => set >> choice & 1 == 1,
            (Side::Between(low, high), _) => {
                let share = share(coordinate, dimension);
                share >= low && (share < high || high == 1.0)
            }
            (Side::Set(..), Coordinate::Share(_)) => false,
        }
    }

    /// Returns the share of the dimension that is on this side.
    pub(super) fn size(self) -> f64 {
        match self {
            Side::Between(low, high) => high - low,
            Side::Set(set, all) => f64::from(set.count_ones()) / all as f64,
        }
    }

    /// Returns the share of the dimension that two sides have in common.
    pub(super) fn common(self, other: Side) -> f64 {
        match (self, other) {
            (Side::Between(low, high), Side::Between(from, to)) => {
                (high.min(to) - low.max(from)).max(0.0)
            }
            (Side::Set(one, all), Side::Set(two, _)) => Side::Set(one & two, all).size(),
            _ => 0.0,
        }
    }
}

/// Returns the share of a dimension at which a coordinate lies.
fn share(coordinate: Coordinate, dimension: Dimension) -> f64 {
    match (coordinate, dimension) {
        (Coordinate::Share(share), _) => share,
        (Coordinate::Choice(choice), Dimension::Choice(all)) => (choice as f64 + 0.5) / all as f64,
        (Coordinate::Choice(_), Dimension::Number) => 0.5,
    }
}

/// Box of the space with its predicted cost.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Leaf {
    pub sides: Vec<Side>,
    pub cost: f64,
}

/// Trees, each of boxes that fill the space.
pub(super) struct Forest<'a> {
    dimensions: &'a [Dimension],
    pub trees: Vec<Vec<Leaf>>,
    /// Out-of-bag share of the variance of the costs.
    pub explained: f64,
}

impl<'a> Forest<'a> {
    /// Fits a forest. Each tree has as many examples as there are, drawn with replacement.
    pub(super) fn fit(dimensions: &'a [Dimension], examples: &[Example], seed: u64) -> Self {
        let mut random = Random::seed_from_u64(seed);
        let mut forest = Forest { dimensions, trees: Vec::new(), explained: 0.0 };
        let mut unseen = vec![(0.0, 0_u32); examples.len()];
        for _ in 0..TREES {
            let drawn: Vec<usize> =
                examples.iter().map(|_| below(&mut random, examples.len())).collect();
            let mut seen = vec![false; examples.len()];
            drawn.iter().for_each(|one| seen[*one] = true);
            let tree = forest.grow(examples, drawn);
            for (place, example) in examples.iter().enumerate().filter(|(place, _)| !seen[*place]) {
                let leaf = tree.iter().find(|leaf| forest.is_in(example, leaf));
                unseen[place].0 += leaf.map_or(0.0, |leaf| leaf.cost);
                unseen[place].1 += 1;
            }
            forest.trees.push(tree);
        }
        forest.explained = explained(examples, &unseen);
        forest
    }

    fn is_in(&self, example: &Example, leaf: &Leaf) -> bool {
        let sides = leaf.sides.iter().zip(self.dimensions);
        sides.zip(&example.point).all(|((side, dimension), one)| side.has(*one, *dimension))
    }

    fn grow(&self, examples: &[Example], drawn: Vec<usize>) -> Vec<Leaf> {
        let least = LEAST.max(drawn.len() / BOXES);
        let whole: Vec<Side> = self.dimensions.iter().map(|one| Side::whole(*one)).collect();
        let (mut open, mut tree) = (vec![(whole, drawn)], Vec::new());
        while let Some((sides, own)) = open.pop() {
            let split = self.dimensions.iter().enumerate().filter_map(|(place, dimension)| {
                best_split(examples, &own, (place, *dimension), (sides[place], least))
            });
            let best = split.fold(None, |best: Option<Split>, one| match best {
                Some(best) if best.gain >= one.gain => Some(best),
                _ => Some(one),
            });
            let Some(Split { place, halves, .. }) = best else {
                let cost = own.iter().map(|one| examples[*one].cost).sum::<f64>();
                tree.push(Leaf { sides, cost: cost / own.len() as f64 });
                continue;
            };
            for half in halves {
                let mut sides = sides.clone();
                sides[place] = half;
                let dimension = self.dimensions[place];
                let own = own.iter().copied();
                let own = own.filter(|one| half.has(examples[*one].point[place], dimension));
                open.push((sides, own.collect()));
            }
        }
        tree
    }
}

/// Division of a box in one dimension.
struct Split {
    place: usize,
    halves: [Side; 2],
    /// Reduction of the sum of squared errors.
    gain: f64,
}

/// Returns the best division of a box in one dimension; `None` if no division reduces the error and
/// leaves at least `least` examples on either side.
fn best_split(
    examples: &[Example],
    own: &[usize],
    (place, dimension): (usize, Dimension),
    (side, least): (Side, usize),
) -> Option<Split> {
    // Values of the dimension, ordered so that a prefix is one half, with their examples' costs.
    let mut values: Vec<(f64, f64, usize)> = Vec::new();
    for one in own {
        let Example { point, cost } = &examples[*one];
        let value = match (side, point[place]) {
            (Side::Set(..), Coordinate::Choice(choice)) => choice as f64,
            (_, coordinate) => share(coordinate, dimension),
        };
        values.push((value, *cost, 1));
    }
    values.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    values.dedup_by(|next, group| {
        let same = next.0 == group.0;
        if same {
            group.1 += next.1;
            group.2 += next.2;
        }
        same
    });
    if let Side::Set(..) = side {
        let mean = |group: &(f64, f64, usize)| group.1 / group.2 as f64;
        values.sort_by(|one, other| mean(one).total_cmp(&mean(other)));
    }
    let (sum, count) = (values.iter().map(|one| one.1).sum::<f64>(), own.len());
    let (mut left, mut of_left, mut best) = (0.0, 0, None);
    for cut in 1..values.len() {
        left += values[cut - 1].1;
        of_left += values[cut - 1].2;
        let of_right = count - of_left;
        if of_left < least || of_right < least {
            continue;
        }
        let right = sum - left;
        let gain = left * left / of_left as f64 + right * right / of_right as f64
            - sum * sum / count as f64;
        // Rounding errors are no gain.
        if gain > 1e-12 * sum.abs().max(1.0) && best.is_none_or(|(_, most)| gain > most) {
            best = Some((cut, gain));
        }
    }
    let (cut, gain) = best?;
    let halves = match side {
        Side::Between(low, high) => {
            let middle = f64::midpoint(values[cut - 1].0, values[cut].0);
            [Side::Between(low, middle), Side::Between(middle, high)]
        }
        Side::Set(set, all) => {
            let first = values[..cut].iter().fold(0, |set, one| set | 1 << (one.0 as u32));
            [Side::Set(first, all), Side::Set(set & !first, all)]
        }
    };
    Some(Split { place, halves, gain })
}

/// Returns the share of the variance that predictions explain, at least 0. `unseen` has the sum and
/// the number of the predictions of each example.
fn explained(examples: &[Example], unseen: &[(f64, u32)]) -> f64 {
    let known = || examples.iter().zip(unseen).filter(|(_, (_, count))| *count > 0);
    let mean = known().map(|(one, _)| one.cost).sum::<f64>() / known().count().max(1) as f64;
    let square = |value: f64| value * value;
    let all: f64 = known().map(|(one, _)| square(one.cost - mean)).sum();
    let errors = known().map(|(one, (sum, count))| square(one.cost - sum / f64::from(*count)));
    if all > 0.0 { (1.0 - errors.sum::<f64>() / all).max(0.0) } else { 0.0 }
}
